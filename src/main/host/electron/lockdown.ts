/** Restricts the window's content. Electron's security checklist, items 5 to 7, 11 to 15. */
import type { Session, WebContents, WebPreferences } from 'electron';
import { isOwnUrl } from './protocol.ts';

/** Clipboard writes by the page, for copying from a grid with the keyboard. */
const ALLOWED_PERMISSIONS: ReadonlySet<string> = new Set(['clipboard-sanitized-write']);
const LOCAL_SCHEMES: ReadonlySet<string> = new Set(['app:', 'data:', 'blob:', 'devtools:', 'about:']);

/** Of every window: its content is isolated from Node and from the host. */
export const LOCKED_PREFERENCES = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  spellcheck: false,
  navigateOnDragDrop: false,
} as const satisfies WebPreferences;

/** Denies permissions, devices, downloads, the spell checker's download, and every request that leaves the machine. */
export function lockSession(session: Session): void {
  const allowed = (permission: string, url: string) => ALLOWED_PERMISSIONS.has(permission) && isOwnUrl(url);
  session.setPermissionRequestHandler((contents, permission, callback) =>
    callback(allowed(permission, contents.getURL())),
  );
  session.setPermissionCheckHandler((_contents, permission, origin) => allowed(permission, origin));
  session.setDevicePermissionHandler(() => false);
  session.setSpellCheckerEnabled(false);
  session.on('will-download', (event) => event.preventDefault());
  session.webRequest.onBeforeRequest((details, callback) => {
    const scheme = URL.parse(details.url)?.protocol ?? '';
    callback({ cancel: !LOCAL_SCHEMES.has(scheme) || (scheme === 'app:' && !isOwnUrl(details.url)) });
  });
}

/** Denies navigation away, new windows and webviews. The product shows links but never follows them. */
export function lockContents(contents: WebContents): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.on('will-frame-navigate', (details) => {
    // A mail body's frame loads its srcdoc and never navigates.
    const allowed = details.isMainFrame ? isOwnUrl(details.url) : details.url === 'about:srcdoc';
    if (!allowed) details.preventDefault();
  });
  contents.on('will-redirect', (details) => details.preventDefault());
}
