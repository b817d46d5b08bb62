/** The main window. */
import path from 'node:path';
import { BrowserWindow, screen } from 'electron';
import { MIN_HEIGHT, MIN_WIDTH, readWindowState, writeWindowState } from './bounds.ts';
import { LOCKED_PREFERENCES, lockContents } from './lockdown.ts';
import { APP_ORIGIN } from './protocol.ts';

interface Options {
  preload: string;
  icon: string;
  /** File with the window's remembered bounds. */
  stateFile: string;
  onClosed(): void;
  onCrash(reason: string): void;
}

/** In a crash loop the window is closed instead of reloading for ever. */
const RELOAD_AGAIN_AFTER_MS = 10_000;

/**
 * Opens the window and loads the renderer; `loaded` resolves once the page is ready, or no longer awaited: the window was
 * closed, or its page crashed and is loaded again.
 */
export function openWindow(options: Options): { window: BrowserWindow; loaded: Promise<void> } {
  const state = readWindowState(
    options.stateFile,
    screen.getAllDisplays().map((display) => display.workArea),
  );
  const { maximised, ...bounds } = state;
  const window = new BrowserWindow({
    ...bounds,
    minWidth: MIN_WIDTH,
    minHeight: MIN_HEIGHT,
    show: false,
    title: 'Parapet',
    icon: options.icon,
    backgroundColor: '#0C0F14',
    titleBarStyle: 'hidden',
    autoHideMenuBar: true,
    webPreferences: {
      preload: options.preload,
      ...LOCKED_PREFERENCES,
    },
  });
  lockContents(window.webContents);
  if (maximised) window.maximize();

  window.once('ready-to-show', () => window.show());
  window.on('close', () => {
    writeWindowState(options.stateFile, {
      ...window.getNormalBounds(),
      maximised: window.isMaximized(),
    });
  });
  window.once('closed', options.onClosed);
  let crashedAt = Number.NEGATIVE_INFINITY;
  window.webContents.on('render-process-gone', (_event, details) => {
    if (details.reason === 'clean-exit') return;
    options.onCrash(details.reason);
    const again = performance.now() - crashedAt > RELOAD_AGAIN_AFTER_MS;
    crashedAt = performance.now();
    if (again) window.webContents.reload();
    else window.destroy();
  });
  const loaded = window.loadURL(`${APP_ORIGIN}/index.html`).catch((error: unknown) => {
    if (!window.isDestroyed() && !Number.isFinite(crashedAt)) throw error;
  });
  return { window, loaded };
}

/** Brings the window to the front when Parapet is started again. */
export function showWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

export const preloadPath = (mainDir: string) => path.join(mainDir, '../preload/index.cjs');
