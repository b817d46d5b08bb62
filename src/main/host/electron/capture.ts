/** Chromium's own picture of a sanitised document, in a hidden window without script, network or the product's origin. */
import { BrowserWindow, type Session, session } from 'electron';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Ports } from '../../kernel/ports.ts';
import { LOCKED_PREFERENCES, lockContents, lockSession } from './lockdown.ts';

/** In memory, and apart from the session of the product's window. */
const PARTITION = 'pictures';

let pictures: Session | null = null;

/** Loads nothing but what the document contains itself. Locked once, as each lock adds a listener to the session. */
function pictureSession(): Session {
  if (pictures !== null) return pictures;
  pictures = session.fromPartition(PARTITION);
  lockSession(pictures);
  pictures.webRequest.onBeforeRequest(({ url }, callback) =>
    callback({ cancel: !/^(?:data|about):/.test(url) }),
  );
  return pictures;
}

/**
 * Waits for the images, then reads the place and look of every element. Through prototypes, as elements of a mail can
 * shadow properties of its document by their names; the mail's own scripts do not run.
 */
const drawnElements = (looks: readonly string[]): string => `(async () => {
  const all = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)];
  await Promise.all(all('img').map((image) => HTMLImageElement.prototype.decode.call(image).catch(() => {})));
  return JSON.stringify(all(':root, body, body *').map((element) => {
    const { left, top, width, height } = Element.prototype.getBoundingClientRect.call(element);
    const style = getComputedStyle(element);
    return {
      name: element.localName,
      place: [left, top, width, height],
      look: ${JSON.stringify(looks)}.map((name) => style.getPropertyValue(name)),
    };
  }));
})()`;

/** Rejects where Chromium cannot draw it. */
export const capture: NonNullable<Ports['capture']> = async ({ document, view, size, isDark, looks }) => {
  const window = new BrowserWindow({
    show: false,
    width: view.width,
    height: view.height,
    webPreferences: {
      ...LOCKED_PREFERENCES,
      session: pictureSession(),
      javascript: false,
    },
  });
  const { webContents } = window;
  lockContents(webContents);
  try {
    await window.loadURL('about:blank');
    const { debugger: chromium } = webContents;
    chromium.attach('1.3');
    const send = (method: string, params: object = {}) => chromium.sendCommand(method, params);
    await send('Emulation.setScriptExecutionDisabled', { value: true });
    await send('Emulation.setScrollbarsHidden', { hidden: true });
    await send('Emulation.setDeviceMetricsOverride', { ...view, deviceScaleFactor: 1, mobile: false });
    await send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }],
    });
    const { frameTree } = await send('Page.getFrameTree');
    await send('Page.setDocumentContent', { frameId: frameTree.frame.id, html: document });
    const { result } = await send('Runtime.evaluate', {
      expression: drawnElements(looks),
      awaitPromise: true,
      returnByValue: true,
    });
    if (typeof result.value !== 'string')
      throw new ParapetError('internal', 'Chromium could not draw the body as a picture.');
    const { data } = await send('Page.captureScreenshot', {
      format: 'png',
      captureBeyondViewport: true,
      clip: { x: 0, y: 0, ...size, scale: 1 },
    });
    return { png: data, elements: JSON.parse(result.value) };
  } finally {
    window.destroy();
  }
};
