/** The part of the main process module `electron` that Parapet uses, over a real browser. See README.md. */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type * as Electron from 'electron';
import type { MenuItemConstructorOptions } from 'electron';
import { closeEngine, DISPLAY, isReady, preventable, startEngine } from './engine.ts';
import { type BeforeRequest, defaultSession, protocol, session } from './session.ts';
import { BrowserWindow, ipcMain, type WebContents } from './window.ts';

/** Resolved by main.ts once the product's main module has been evaluated; Electron is not ready before that. */
const evaluated = Promise.withResolvers<void>();
export const mainEvaluated = evaluated.resolve;

class App extends EventEmitter {
  isPackaged = process.env['ELECTRON_STANDIN_PACKAGED'] === '1';
  /** The app folder that Electron was started with. */
  root = process.cwd();
  readonly #paths = new Map<string, string>([
    ['documents', path.join(os.homedir(), 'Documents')],
    ['userData', path.join(os.tmpdir(), `electron-standin-${process.pid}`)],
  ]);
  #ready: Promise<void> | null = null;
  #exiting = false;

  readonly commandLine = {
    hasSwitch: (name: string) =>
      process.argv.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`)),
  };

  setAsDefaultProtocolClient(_protocol: string): boolean {
    return true;
  }

  relaunch(options: Electron.RelaunchOptions = {}): void {
    process.stdout.write(`relaunches ${options.execPath ?? process.execPath}\n`);
  }

  enableSandbox(): void {
    if (isReady()) throw new Error('app.enableSandbox() can only be called before app is ready');
  }

  getPath(name: string): string {
    const path = this.#paths.get(name);
    if (path === undefined) throw new Error(`Failed to get '${name}' path`);
    return path;
  }

  setPath(name: string, value: string): void {
    if (!path.isAbsolute(value)) throw new Error('Path must be absolute');
    this.#paths.set(name, value);
  }

  getVersion(): string {
    return (JSON.parse(readFileSync(path.join(this.root, 'package.json'), 'utf8')) as { version: string })
      .version;
  }

  whenReady(): Promise<void> {
    this.#ready ??= (async () => {
      await evaluated.promise;
      const chromium = await startEngine(this.getPath('userData'));
      await defaultSession.watchDownloads(chromium, BrowserWindow.ofFrame);
      this.emit('ready', {}, {});
    })();
    return this.#ready;
  }

  quit(): void {
    const event = preventable({});
    this.emit('before-quit', event);
    if (event.defaultPrevented) return;
    for (const window of BrowserWindow.getAllWindows()) window.close();
    this.exit(0);
  }

  /** Exits without emitting `before-quit`. */
  exit(code = 0): void {
    if (this.#exiting) return;
    this.#exiting = true;
    void closeEngine().then(() => {
      defaultSession.end();
      process.exit(code);
    });
  }
}

const application = new App();
BrowserWindow.onNone = () => {
  if (application.listenerCount('window-all-closed') === 0) application.quit();
  else application.emit('window-all-closed');
};

/** The menu template; tests click its items. */
class StandInMenu {
  static application: StandInMenu | null = null;
  readonly template: readonly MenuItemConstructorOptions[];

  constructor(template: readonly MenuItemConstructorOptions[]) {
    for (const item of template) {
      if (item.label === undefined && item.role === undefined && item.type === undefined)
        throw new TypeError('Invalid template for MenuItem: must have at least one of label, role or type');
      if (Array.isArray(item.submenu)) new StandInMenu(item.submenu);
    }
    this.template = template;
  }
}
const menu = {
  buildFromTemplate: (template: MenuItemConstructorOptions[]) =>
    new StandInMenu(template) as unknown as Electron.Menu,
  setApplicationMenu(built: Electron.Menu | null) {
    StandInMenu.application = built as unknown as StandInMenu | null;
  },
};

/** A native dialog: returns the answer that the test has queued, or is cancelled. */
export interface Asked {
  kind: 'open' | 'save';
  options: Electron.OpenDialogOptions & Electron.SaveDialogOptions;
  /** Whether the dialog blocks the window. */
  modal: boolean;
}
const requests: Asked[] = [];
const answers: { open: string[][]; save: string[][] } = { open: [], save: [] };
function ask(kind: 'open' | 'save', args: unknown[]): string[] | null {
  const [first, second] = args;
  const modal = first instanceof BrowserWindow;
  requests.push({ kind, options: (modal ? second : first) as Asked['options'], modal });
  return answers[kind].shift() ?? null;
}
const dialogs = {
  async showOpenDialog(...args: unknown[]) {
    const filePaths = ask('open', args);
    return { canceled: filePaths === null, filePaths: filePaths ?? [] };
  },
  async showSaveDialog(...args: unknown[]) {
    const [filePath] = ask('save', args) ?? [];
    return { canceled: filePath === undefined, filePath: filePath ?? '' };
  },
};

let copied = '';
const copies = {
  async writeText(text: string) {
    copied = text;
  },
};

const crashes = {
  start({ uploadToServer }: Electron.CrashReporterStartOptions) {
    if (uploadToServer !== false) throw new Error('A dump of Parapet is sent to nobody');
  },
};

const screens = { getAllDisplays: () => [{ bounds: DISPLAY, workArea: DISPLAY } as Electron.Display] };
const power = new EventEmitter();

/** Event methods; typed loosely, as they return a full EventEmitter, which these are not. */
type Emits = Pick<EventEmitter, 'on' | 'once' | 'off'>;

/** The part of Electron that the product may use, checked against Electron's own types. */
const surface = {
  app: application,
  BrowserWindow,
  clipboard: copies,
  crashReporter: crashes,
  dialog: dialogs,
  ipcMain,
  Menu: menu,
  powerMonitor: power,
  protocol,
  screen: screens,
  session,
} satisfies {
  app: Pick<
    Electron.App,
    | 'isPackaged'
    | 'relaunch'
    | 'setAsDefaultProtocolClient'
    | 'enableSandbox'
    | 'getPath'
    | 'setPath'
    | 'getVersion'
    | 'whenReady'
    | 'quit'
    | 'exit'
  > &
    Emits & { commandLine: Pick<Electron.CommandLine, 'hasSwitch'> };
  BrowserWindow: new (
    options: Electron.BrowserWindowConstructorOptions,
  ) => Pick<
    Electron.BrowserWindow,
    | 'loadURL'
    | 'show'
    | 'focus'
    | 'close'
    | 'destroy'
    | 'isDestroyed'
    | 'minimize'
    | 'restore'
    | 'isMinimized'
    | 'maximize'
    | 'unmaximize'
    | 'isMaximized'
    | 'getNormalBounds'
  > &
    Emits & {
      webContents: Pick<
        Electron.WebContents,
        'send' | 'getURL' | 'isDestroyed' | 'reload' | 'setWindowOpenHandler'
      > &
        Emits & { mainFrame: Pick<Electron.WebFrameMain, 'url'> };
    };
  clipboard: Pick<Electron.Clipboard, 'writeText'>;
  crashReporter: Pick<Electron.CrashReporter, 'start'>;
  dialog: Pick<Electron.Dialog, 'showOpenDialog' | 'showSaveDialog'>;
  ipcMain: Emits;
  Menu: Pick<typeof Electron.Menu, 'buildFromTemplate' | 'setApplicationMenu'>;
  powerMonitor: Emits;
  protocol: Pick<Electron.Protocol, 'registerSchemesAsPrivileged' | 'handle'>;
  screen: Pick<Electron.Screen, 'getAllDisplays'>;
  session: {
    defaultSession: Pick<
      Electron.Session,
      | 'setPermissionRequestHandler'
      | 'setPermissionCheckHandler'
      | 'setDevicePermissionHandler'
      | 'setSpellCheckerEnabled'
    > &
      Emits & { webRequest: { onBeforeRequest(handler: BeforeRequest | null): void } };
  };
};

const theWindow = (): BrowserWindow => {
  const [window] = BrowserWindow.getAllWindows();
  if (window === undefined) throw new Error('There is no window');
  return window;
};

function clickMenu(labels: readonly string[]): void {
  let items: readonly MenuItemConstructorOptions[] = StandInMenu.application?.template ?? [];
  let item: MenuItemConstructorOptions | undefined;
  for (const label of labels) {
    item = items.find((item) => item.label === label || item.role === label);
    items = Array.isArray(item?.submenu) ? item.submenu : [];
  }
  if (item === undefined) throw new Error(`The menu has no ${labels.join(' > ')}`);
  if (item.role === 'quit') application.quit();
  else item.click?.({} as never, theWindow() as unknown as Electron.BrowserWindow, {} as never);
}

/** Actions of the analyst and the operating system for tests, and the state that they can see. */
export const controls = {
  endpoint: async () => (await startEngine('')).endpoint,
  answer: (kind: 'open' | 'save', paths: string[]) => void answers[kind].push(paths),
  asked: () => requests,
  menu: clickMenu,
  menuLabels: () =>
    JSON.parse(JSON.stringify(StandInMenu.application?.template ?? [])) as MenuItemConstructorOptions[],
  close: () => theWindow().close(),
  crash: () => theWindow().webContents.crash(),
  script: (code: string) => theWindow().webContents.executeJavaScript(code),
  /** Emits the macOS event for opening a file or a link. Returns whether the product handles it. */
  opened(what: 'open-file' | 'open-url', value: string): boolean {
    const event = preventable({});
    application.emit(what, event, value);
    return event.defaultPrevented;
  },
  power: (event: 'suspend' | 'resume') => void power.emit(event),
  place: (bounds: Partial<Electron.Rectangle>) => theWindow().setBounds(bounds),
  minimise: () => theWindow().minimize(),
  maximise: () => theWindow().maximize(),
  state: () => {
    const window = theWindow();
    return {
      windows: BrowserWindow.getAllWindows().length,
      url: window.webContents.getURL(),
      bounds: window.getNormalBounds(),
      visible: window.isVisible(),
      focused: window.isFocused(),
      minimised: window.isMinimized(),
      maximised: window.isMaximized(),
      copied,
      asked: defaultSession.asked,
      /** Requests of the hidden windows that take pictures. */
      pictures: session.fromPartition('pictures').asked,
      downloads: defaultSession.downloads,
    };
  },
};
export type Controls = typeof controls;

export const { app, clipboard, crashReporter, dialog, Menu, powerMonitor, screen } = surface;
export type { WebContents };
export { BrowserWindow, ipcMain, protocol, session };
