/** Shared by the parts of the stand-in: the browser, and the mapping between the product's URLs and the browser's. */
import { Chromium } from './chromium.ts';
import { createCodec } from './codec.ts';

export const codec = createCodec();
export const DISPLAY = { x: 0, y: 0, width: 1920, height: 1080 };

/** Schemes that the product registered as standard; as in Electron, registered before the browser starts. */
export const standardSchemes = new Set<string>();

/**
 * Chromium gives unknown schemes an opaque origin, and no switch registers a scheme. So inside the browser, and only
 * there, `app://parapet` is `https://parapet.app.invalid`, a reserved name that never resolves.
 */
export const inward = (url: string): string =>
  url.replace(
    /^(blob:)?([a-z]+):\/\/([^/?#:]+)(?=[/?#]|$)/,
    (whole, blob: string | undefined, scheme: string, host: string) =>
      standardSchemes.has(scheme) ? `${blob ?? ''}https://${host}.${scheme}.invalid` : whole,
  );
export const outward = (url: string): string =>
  url.replace(
    /^(blob:)?https:\/\/([^/?#:]+)\.([a-z]+)\.invalid(?=[/?#]|$)/,
    (whole, blob: string | undefined, host: string, scheme: string) =>
      standardSchemes.has(scheme) ? `${blob ?? ''}${scheme}://${host}` : whole,
  );

let running: Promise<Chromium> | null = null;
let ready: Chromium | null = null;

/** Starts the browser, once. */
export function startEngine(userData: string): Promise<Chromium> {
  running ??= Chromium.launch(userData, DISPLAY).then((chromium) => {
    ready = chromium;
    return chromium;
  });
  return running;
}

export const isReady = (): boolean => ready !== null;

/** The browser; throws Electron's error if it is not ready. */
export function engine(what: string): Chromium {
  if (ready === null) throw new Error(`${what} cannot be used before app is ready`);
  return ready;
}

export async function closeEngine(): Promise<void> {
  await (await running?.catch(() => null))?.close();
  running = null;
  ready = null;
}

/** An event that a listener may prevent, like Electron's. */
export const preventable = <T extends object>(details: T) => {
  const event = {
    ...details,
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true;
    },
  };
  return event;
};
