/**
 * Drives the product's window in tests: in Electron if its binary and a display are present, and anywhere in real
 * Chromium under the Electron stand-in. Both offer the same operations of the analyst and the operating system.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { _electron, type Browser, chromium, type ElectronApplication, type Page } from '@playwright/test';
import type { Rectangle } from 'electron';
import { type StandIn, startStandIn } from '../../electron-standin/launch.ts';
import { UncaughtFile } from '../../support/uncaught.ts';
import { expect } from '../fixtures.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const START = { timeout: 60_000 };

interface WindowState {
  bounds: Rectangle;
  visible: boolean;
  minimised: boolean;
  maximised: boolean;
}

interface Asked {
  kind: 'open' | 'save';
  /** The suggested file name of a save dialog. */
  suggested: string;
  /** Whether the dialog is attached to the window. */
  modal: boolean;
}

export interface ParapetWindow {
  /** The page until it crashes; the page after a crash is visible to Playwright only under the stand-in. */
  page: Page;
  /** The URL of the product's page as Playwright reports it. */
  address: string;
  output(): string;
  /** Queues the path for the next dialog of this kind; a dialog without a queued path is cancelled. */
  answer(kind: 'open' | 'save', file: string): Promise<void>;
  asked(): Promise<Asked[]>;
  /** Chooses a menu item by its path of labels. */
  menu(...labels: string[]): Promise<void>;
  state(): Promise<WindowState>;
  place(bounds: Partial<Rectangle>): Promise<void>;
  minimise(): Promise<void>;
  copied(): Promise<string>;
  /** The text of the page as the main process reads it. */
  text(): Promise<string>;
  crash(): Promise<void>;
  /** Emits the macOS event for opening a file or a link. Returns whether the product handles it. */
  opened(what: 'open-file' | 'open-url', value: string): Promise<boolean>;
  /** Simulates suspend and resume of the machine. */
  sleep(): Promise<void>;
  /**
   * Starts a second instance with the same profile and returns its exit code and output. `args` replace the arguments of
   * this window.
   */
  second(args?: readonly string[], cwd?: string): Promise<{ code: number | null; output: string }>;
  /** Closes the window. Returns the exit code. */
  close(): Promise<number | null>;
  /** Ends the process in any case. Throws if it had an uncaught error. */
  end(): Promise<void>;
}

const TEXT = 'document.body.innerText';

/** Arguments of another start; the first two are the profile's. */
const again = (profile: readonly string[], args?: readonly string[]) =>
  args === undefined ? profile : [...profile.slice(0, 2), ...args];

/** A folder to start as if it were a packaged archive; stand-in only. */
export interface PackagedProduct {
  folder: string;
  env: NodeJS.ProcessEnv;
}

class StandInWindow implements ParapetWindow {
  page!: Page;
  readonly address = 'https://parapet.app.invalid/index.html';
  readonly #uncaught = new UncaughtFile();
  readonly #args: readonly string[];
  readonly #main: StandIn;
  #browser: Browser | null = null;
  readonly output: () => string;

  constructor(args: readonly string[], packaged?: PackagedProduct) {
    this.#args = args;
    this.#main = startStandIn(
      args,
      { ...this.#uncaught.env(), ...(packaged && { ...packaged.env, ELECTRON_STANDIN_PACKAGED: '1' }) },
      packaged && { product: packaged.folder },
    );
    this.output = this.#main.output;
  }

  async open(): Promise<this> {
    await expect.poll(this.output, START).toContain('Parapet ready: app://parapet/');
    this.#browser = await chromium.connectOverCDP(await this.#main.does('endpoint'));
    this.page = this.#browser.contexts()[0]!.pages()[0]!;
    await this.page.emulateMedia({ reducedMotion: 'reduce' });
    return this;
  }

  answer = (kind: 'open' | 'save', file: string) => this.#main.does('answer', kind, [file]);
  menu = (...labels: string[]) => this.#main.does('menu', labels);
  place = (bounds: Partial<Rectangle>) => this.#main.does('place', bounds);
  minimise = () => this.#main.does('minimise');
  crash = () => this.#main.does('crash');
  state = () => this.#main.does('state');
  text = async () => String(await this.#main.does('script', TEXT));

  async asked(): Promise<Asked[]> {
    const dialogs = await this.#main.does('asked');
    return dialogs.map(({ kind, options, modal }) => ({
      kind,
      modal,
      suggested: path.basename(options.defaultPath ?? ''),
    }));
  }

  async copied(): Promise<string> {
    return (await this.#main.does('state')).copied;
  }

  async sleep(): Promise<void> {
    await this.#main.does('power', 'suspend');
    await this.#main.does('power', 'resume');
  }

  opened = (what: 'open-file' | 'open-url', value: string) => this.#main.does('opened', what, value);

  async second(args?: readonly string[], cwd?: string) {
    const other = startStandIn(again(this.#args, args), this.#uncaught.env(), { cwd });
    const code = await other.exited;
    return { code, output: other.output() };
  }

  async close(): Promise<number | null> {
    await this.#main.does('close').catch(() => undefined);
    return this.#main.exited;
  }

  async end(): Promise<void> {
    await this.#browser?.close().catch(() => undefined);
    if (this.#main.process.exitCode === null) this.#main.process.kill('SIGTERM');
    await this.#main.exited;
    try {
      this.#uncaught.check();
    } finally {
      this.#uncaught.remove();
    }
  }
}

/** Queued answers and recorded dialogs, stored in Electron's main process. */
interface Recorded {
  answers: { open: string[]; save: string[] };
  asked: Asked[];
}

class ElectronWindow implements ParapetWindow {
  page!: Page;
  readonly address = 'app://parapet/index.html';
  readonly #args: readonly string[];
  #app!: ElectronApplication;
  #output = '';
  readonly output = () => this.#output;

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  #launch = () =>
    _electron.launch({
      executablePath: binary()!,
      args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), root, ...this.#args],
    });

  async open(): Promise<this> {
    this.#app = await this.#launch();
    for (const stream of [this.#app.process().stdout, this.#app.process().stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString();
      });
    this.page = await this.#app.firstWindow();
    await this.#app.evaluate(({ dialog }) => {
      const recorded: Recorded = { answers: { open: [], save: [] }, asked: [] };
      Reflect.set(globalThis, 'recorded', recorded);
      const take = (kind: 'open' | 'save', args: unknown[]) => {
        const options = args.at(-1) as { defaultPath?: string };
        const suggested = (options.defaultPath ?? '').split(/[\\/]/).at(-1) ?? '';
        recorded.asked.push({ kind, suggested, modal: args.length > 1 });
        return recorded.answers[kind].shift();
      };
      dialog.showOpenDialog = async (...args: unknown[]) => {
        const file = take('open', args);
        return { canceled: file === undefined, filePaths: file === undefined ? [] : [file] };
      };
      dialog.showSaveDialog = async (...args: unknown[]) => {
        const file = take('save', args);
        return { canceled: file === undefined, filePath: file ?? '' };
      };
    });
    return this;
  }

  answer = (kind: 'open' | 'save', file: string) =>
    this.#app.evaluate(
      (_electron, event) =>
        void (Reflect.get(globalThis, 'recorded') as Recorded).answers[event.kind].push(event.file),
      { kind, file },
    );

  asked = () => this.#app.evaluate(() => (Reflect.get(globalThis, 'recorded') as Recorded).asked);

  menu = (...labels: string[]) =>
    this.#app.evaluate(({ Menu }, path) => {
      let items = Menu.getApplicationMenu()?.items ?? [];
      let item: Electron.MenuItem | undefined;
      for (const label of path) {
        item = items.find((item) => item.label === label || item.role === label);
        items = item?.submenu?.items ?? [];
      }
      item?.click();
    }, labels);

  state = () =>
    this.#app.evaluate(({ BrowserWindow }) => {
      const window = BrowserWindow.getAllWindows()[0]!;
      return {
        bounds: window.getNormalBounds(),
        visible: window.isVisible(),
        minimised: window.isMinimized(),
        maximised: window.isMaximized(),
      };
    });

  place = (bounds: Partial<Rectangle>) =>
    this.#app.evaluate(({ BrowserWindow }, to) => BrowserWindow.getAllWindows()[0]!.setBounds(to), bounds);
  minimise = () => this.#app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.minimize());
  copied = () => this.#app.evaluate(({ clipboard }) => clipboard.readText());
  crash = () =>
    this.#app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]!.webContents.forcefullyCrashRenderer(),
    );
  text = () =>
    this.#app.evaluate(
      ({ BrowserWindow }, script) =>
        BrowserWindow.getAllWindows()[0]!.webContents.executeJavaScript(script) as Promise<string>,
      TEXT,
    );
  sleep = () =>
    this.#app.evaluate(({ powerMonitor }) => {
      powerMonitor.emit('suspend');
      powerMonitor.emit('resume');
    });

  opened = (what: 'open-file' | 'open-url', value: string) =>
    this.#app.evaluate(
      ({ app }, event) => {
        let isHandled = false;
        app.emit(event.what, { preventDefault: () => (isHandled = true) }, event.value);
        return isHandled;
      },
      { what, value },
    );

  async second(args?: readonly string[], cwd?: string) {
    const other = spawn(
      binary()!,
      [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), root, ...again(this.#args, args)],
      cwd === undefined ? {} : { cwd },
    );
    let output = '';
    for (const stream of [other.stdout, other.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    const [code] = (await once(other, 'close')) as [number | null];
    return { code, output };
  }

  async close(): Promise<number | null> {
    const ended = once(this.#app.process(), 'exit');
    await this.#app
      .evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close())
      .catch(() => undefined);
    return ((await ended) as [number | null])[0];
  }

  async end(): Promise<void> {
    await this.#app.close().catch(() => undefined);
    // UncaughtFile needs a preload by environment, which Electron ignores; the output is the only source.
    expect(this.#output).not.toMatch(/Uncaught|Unhandled/);
  }
}

const electronDir = path.dirname(createRequire(import.meta.url).resolve('electron/package.json'));

function binary(): string | null {
  const pathFile = path.join(electronDir, 'path.txt');
  if (!existsSync(pathFile)) return null;
  const file = path.join(electronDir, 'dist', readFileSync(pathFile, 'utf8').trim());
  return existsSync(file) ? file : null;
}

/** Why Electron can't be tested on this machine; null if it can. */
export function lacksElectron(): string | null {
  const hasDisplay =
    process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);
  if (binary() === null)
    return "Electron's binary is not installed (node node_modules/electron/install.js gets it)";
  return hasDisplay ? null : 'there is no display';
}

/** Starts the product with these arguments, in Electron if `electron`, else under the stand-in. */
export function openWindow(
  electron: boolean,
  args: readonly string[],
  packaged?: PackagedProduct,
): Promise<ParapetWindow> {
  return (electron ? new ElectronWindow(args) : new StandInWindow(args, packaged)).open();
}
