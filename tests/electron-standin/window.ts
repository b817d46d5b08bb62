/** `BrowserWindow` and `webContents`: a window is a page of the real browser. */
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type {
  BrowserWindowConstructorOptions,
  WebContents as ElectronContents,
  Rectangle,
  WebPreferences,
} from 'electron';
import type { Chromium, Target } from './chromium.ts';
import { codec, DISPLAY, engine, inward, outward, preventable } from './engine.ts';
import { defaultSession, type StandInSession } from './session.ts';
import { scriptsOf, type WorldNames } from './worlds.ts';

export const ipcMain = new EventEmitter();

const windows = new Set<BrowserWindow>();
const listening = new WeakSet<Chromium>();
/** Pages created by windows; all others were opened by a page. */
const ours = new Map<string, WebContents>();

/** After this time a page that blocks closing, or has crashed, is closed anyway. */
const CLOSE_WITHIN_MS = 2000;

/** Required options; the stand-in can't emulate a window with weaker isolation. */
const WANTED = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInSubFrames: false,
  nodeIntegrationInWorker: false,
  webSecurity: true,
  webviewTag: false,
} as const;

/** Attaches to every page before it runs; closes pages that were opened by a page and fails all their requests. */
function listen(chromium: Chromium): void {
  if (listening.has(chromium)) return;
  listening.add(chromium);
  chromium.browser.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    const target = chromium.target(sessionId);
    if (targetInfo.type !== 'page' || !targetInfo.openerId)
      return void target.tell('Runtime.runIfWaitingForDebugger');
    target.on(
      'Fetch.requestPaused',
      ({ requestId }) => void target.tell('Fetch.failRequest', { requestId, errorReason: 'Aborted' }),
    );
    void target.tell('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    // The opener is blocked until the new page runs.
    void target.tell('Runtime.runIfWaitingForDebugger');
    void chromium.browser.tell('Target.closeTarget', { targetId: targetInfo.targetId });
  });
}

type OpenHandler = Parameters<ElectronContents['setWindowOpenHandler']>[0];

class Frame {
  url = '';
}

export class WebContents extends EventEmitter {
  readonly id: number;
  readonly session: StandInSession;
  mainFrame = new Frame();
  readonly #chromium: Chromium;
  readonly #names: WorldNames;
  readonly #attached = Promise.withResolvers<Target>();
  readonly #frames = new Map<string, Frame>();
  /** Frame id by execution context of the preload's world. */
  readonly #contexts = new Map<number, string>();
  #targetId = '';
  #world: number | null = null;
  /** The next navigation was started by the main process and emits no `will-frame-navigate`. */
  #navigates = false;
  #destroyed = false;
  #openHandler: OpenHandler | null = null;

  constructor(
    id: number,
    chromium: Chromium,
    { preload, session = defaultSession as never }: WebPreferences,
    onGone: () => void,
  ) {
    super();
    this.session = session as unknown as StandInSession;
    this.id = id;
    this.#chromium = chromium;
    const random = () => `p${randomBytes(12).toString('hex')}`;
    this.#names = { world: random(), events: random(), toMain: random(), fromMain: random() };
    void this.#begin(preload, onGone).catch((error: unknown) => this.#attached.reject(error));
    this.#attached.promise.catch(() => {});
  }

  async #begin(preload: string | undefined, onGone: () => void): Promise<void> {
    const { browser } = this.#chromium;
    listen(this.#chromium);
    await browser.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
    });
    const { targetInfos } = await browser.send('Target.getTargets');
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank', newWindow: true });
    this.#targetId = targetId;
    ours.set(targetId, this);
    // Closes the browser's initial page.
    for (const { type, targetId: other } of targetInfos)
      if (type === 'page' && !ours.has(other)) void browser.tell('Target.closeTarget', { targetId: other });
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
    const target = this.#chromium.target(sessionId);
    void target.gone.then(() => {
      if (!this.#destroyed) onGone();
    });
    this.#listen(target);
    const { page, preload: isolated } = scriptsOf(
      this.#names,
      preload === undefined ? '' : readFileSync(preload, 'utf8'),
    );
    await Promise.all([
      target.send('Page.enable'),
      target.send('Page.setLifecycleEventsEnabled', { enabled: true }),
      target.send('Runtime.enable'),
      target.send('Runtime.addBinding', {
        name: this.#names.toMain,
        executionContextName: this.#names.world,
      }),
      target.send('Page.addScriptToEvaluateOnNewDocument', { source: page }),
      target.send('Page.addScriptToEvaluateOnNewDocument', {
        source: isolated,
        worldName: this.#names.world,
      }),
      target.send('Fetch.enable', { patterns: [{ urlPattern: '*', requestStage: 'Request' }] }),
    ]);
    this.#attached.resolve(target);
  }

  #listen(target: Target): void {
    target.on('Runtime.executionContextCreated', ({ context }) => {
      const { frameId } = context.auxData as { frameId: string };
      if (context.name !== this.#names.world) return;
      this.#contexts.set(context.id, frameId);
      if (frameId === this.#targetId) this.#world = context.id;
    });
    target.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
      this.#contexts.delete(executionContextId);
      if (this.#world === executionContextId) this.#world = null;
    });
    target.on('Runtime.executionContextsCleared', () => {
      this.#contexts.clear();
      this.#world = null;
    });
    target.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      if (name !== this.#names.toMain) return;
      const [channel, ...values] = codec.decode(payload) as [string, ...unknown[]];
      const senderFrame = this.#frames.get(this.#contexts.get(executionContextId) ?? '') ?? null;
      ipcMain.emit(channel, { sender: this, senderFrame, ports: [], type: 'frame' }, ...values);
    });
    target.on('Page.frameNavigated', ({ frame }) => {
      // A new document gets a new frame object, so that a stored reference to the old one no longer matches.
      const next = new Frame();
      next.url = outward(frame.url);
      this.#frames.set(frame.id, next);
      if (frame.parentId !== undefined) return;
      this.mainFrame = next;
      this.emit('did-navigate', {}, next.url, 200, '');
    });
    target.on('Page.frameDetached', ({ frameId }) => void this.#frames.delete(frameId));
    target.on('Page.lifecycleEvent', ({ frameId, name }) => {
      if (frameId === this.#targetId && name === 'firstPaint' && this.mainFrame.url !== '')
        this.emit('standin-painted');
    });
    target.on('Page.loadEventFired', () => this.emit('did-finish-load', {}));
    target.on('Page.windowOpen', ({ url, windowName, windowFeatures }) => {
      const { action } = this.#openHandler?.({
        url: outward(url),
        frameName: windowName,
        features: windowFeatures.join(','),
        disposition: 'new-window',
        referrer: { url: '', policy: 'no-referrer' },
      }) ?? { action: 'allow' };
      // The stand-in can't show a second window, so allowing one is an error.
      if (action !== 'deny') throw new Error(`The product let a page open ${url}`);
      defaultSession.asked.push({ url: outward(url), outcome: 'prevented' });
    });
    target.on('Page.frameStartedNavigating', ({ frameId, url, navigationType }) => {
      // Navigations over the network are checked at their request, where they can be stopped.
      if (/^https?:/.test(url) || !['differentDocument', 'reload'].includes(navigationType)) return;
      if (this.#mayNavigate(frameId, outward(url))) return;
      defaultSession.asked.push({ url: outward(url), outcome: 'prevented' });
      void target.tell('Page.stopLoading');
    });
    target.on('Inspector.targetCrashed', () => {
      this.#contexts.clear();
      this.#world = null;
      this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 11 });
    });
    target.on(
      'Fetch.requestPaused',
      (paused) => void this.#answer(target, paused).catch((error: unknown) => this.#failed(error)),
    );
  }

  #failed(error: unknown): void {
    if (!this.#destroyed) throw error;
  }

  #mayNavigate(frameId: string, url: string): boolean {
    const isMainFrame = frameId === this.#targetId;
    if (isMainFrame && this.#navigates) {
      this.#navigates = false;
      return true;
    }
    const event = preventable({
      url,
      isMainFrame,
      isSameDocument: false,
      frame: this.#frames.get(frameId) ?? null,
    });
    this.emit('will-frame-navigate', event);
    return !event.defaultPrevented;
  }

  async #answer(
    target: Target,
    paused: {
      requestId: string;
      frameId: string;
      resourceType: string;
      redirectedRequestId?: string;
      request: { url: string; method: string; headers: Record<string, string>; postData?: string };
    },
  ): Promise<void> {
    const { requestId } = paused;
    const url = outward(paused.request.url);
    const refuse = (errorReason: 'Aborted' | 'BlockedByClient' | 'NameNotResolved') =>
      target.tell('Fetch.failRequest', { requestId, errorReason });
    if (paused.resourceType === 'Document') {
      let prevented: boolean;
      if (paused.redirectedRequestId === undefined) prevented = !this.#mayNavigate(paused.frameId, url);
      else {
        const event = preventable({ url, isMainFrame: paused.frameId === this.#targetId, isInPlace: false });
        this.emit('will-redirect', event);
        prevented = event.defaultPrevented;
      }
      if (prevented) {
        defaultSession.asked.push({ url, outcome: 'prevented' });
        return void (await refuse('Aborted'));
      }
    }
    const headers = new Headers();
    for (const [name, value] of Object.entries(paused.request.headers)) headers.set(name, outward(value));
    const { method, postData } = paused.request;
    const request = new Request(url, {
      method,
      headers,
      ...(postData === undefined ? {} : { body: postData }),
    });
    const response = await this.session.answer(request, paused.resourceType);
    if (response === null) return void (await refuse('BlockedByClient'));
    await target.tell('Fetch.fulfillRequest', {
      requestId,
      responseCode: response.status,
      responseHeaders: [...response.headers].map(([name, value]) => ({
        name,
        value: name === 'location' ? inward(value) : value,
      })),
      body: Buffer.from(await response.arrayBuffer()).toString('base64'),
    });
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openHandler = handler;
  }

  getURL(): string {
    return this.mainFrame.url;
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  /** Throws for values that can't be cloned. Dropped if the page has no preload context. */
  send(channel: string, ...values: unknown[]): void {
    const text = codec.encode([channel, ...values]);
    const executionContextId = this.#world;
    if (executionContextId === null || this.#destroyed) return;
    void this.#attached.promise.then((target) =>
      target.tell('Runtime.callFunctionOn', {
        executionContextId,
        functionDeclaration: `function (text) { globalThis[${JSON.stringify(this.#names.fromMain)}](text); }`,
        arguments: [{ value: text }],
      }),
    );
  }

  reload(): void {
    this.#navigates = true;
    void this.#attached.promise.then((target) => target.tell('Page.reload', {}));
  }

  async loadURL(url: string): Promise<void> {
    const target = await this.#attached.promise;
    const loaded = new Promise<void>((resolve) => this.once('did-finish-load', () => resolve()));
    this.#navigates = true;
    const { errorText } = await target.send('Page.navigate', { url: inward(url) });
    if (errorText !== undefined) throw new Error(`${errorText} loading '${url}'`);
    await loaded;
    if (url !== 'about:blank')
      await defaultSession.settlePermissions(this.#chromium, this as unknown as ElectronContents, url);
  }

  readonly debugger = {
    attach: () => {},
    sendCommand: async (method: string, params: object = {}): Promise<unknown> =>
      (await this.#attached.promise).send(method as never, params as never),
  };

  /** For tests: crashes the page's process. */
  crash(): void {
    void this.#attached.promise.then((target) => target.tell('Page.crash'));
  }

  /** For tests: runs a script in the page and returns its value. */
  async executeJavaScript(code: string): Promise<unknown> {
    const target = await this.#attached.promise;
    const { result, exceptionDetails } = await target.send('Runtime.evaluate', {
      expression: code,
      awaitPromise: true,
      allowUnsafeEvalBlockedByCSP: false,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async resize({ width, height }: { width: number; height: number }): Promise<void> {
    await this.#attached.promise;
    const { windowId } = await this.#chromium.browser.send('Browser.getWindowForTarget', {
      targetId: this.#targetId,
    });
    await this.#chromium.browser.tell('Browser.setWindowBounds', { windowId, bounds: { width, height } });
  }

  /** Closes the page; messages that it sends while closing still arrive. */
  async end(): Promise<void> {
    const target = await this.#attached.promise.catch(() => null);
    if (this.#destroyed || target === null) return;
    void target.tell('Page.close');
    await Promise.race([target.gone, pause(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  }

  destroyed(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    ours.delete(this.#targetId);
    void this.#chromium.browser.tell('Target.closeTarget', { targetId: this.#targetId });
    this.emit('destroyed');
  }
}

let lastId = 0;

export class BrowserWindow extends EventEmitter {
  static readonly getAllWindows = (): BrowserWindow[] => [...windows];
  readonly id = ++lastId;
  readonly webContents: WebContents;
  readonly options: BrowserWindowConstructorOptions;
  #bounds: Rectangle;
  #state = { visible: false, focused: false, minimised: false, maximised: false };
  #closing = false;

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super();
    const chromium = engine('BrowserWindow');
    const preferences = options.webPreferences ?? {};
    for (const [name, value] of Object.entries(WANTED))
      if (preferences[name as keyof typeof WANTED] !== value)
        throw new Error(`The stand-in shows no window with ${name} other than ${value}`);
    this.options = options;
    const { width = 800, height = 600 } = options;
    this.#bounds = {
      x: options.x ?? (DISPLAY.width - width) / 2,
      y: options.y ?? (DISPLAY.height - height) / 2,
      width,
      height,
    };
    this.#state.visible = options.show !== false;
    this.webContents = new WebContents(this.id, chromium, preferences, () => this.close());
    this.webContents.once('standin-painted', () => this.emit('ready-to-show', {}));
    windows.add(this);
    this.#resize();
  }

  static ofFrame(frame: string): ElectronContents | null {
    return (ours.get(frame) ?? null) as ElectronContents | null;
  }

  #resize(): void {
    const { width, height } = this.#state.maximised ? DISPLAY : this.#bounds;
    void this.webContents.resize({ width, height }).catch(() => undefined);
  }

  loadURL(url: string): Promise<void> {
    return this.webContents.loadURL(url);
  }

  show(): void {
    this.#state.visible = true;
    this.emit('show', {});
    this.focus();
  }

  focus(): void {
    this.#state.focused = true;
    this.emit('focus', {});
  }

  isVisible(): boolean {
    return this.#state.visible && !this.#state.minimised;
  }

  minimize(): void {
    Object.assign(this.#state, { minimised: true, focused: false });
    this.emit('minimize', {});
  }

  restore(): void {
    this.#state.minimised = false;
    this.emit('restore', {});
  }

  isMinimized(): boolean {
    return this.#state.minimised;
  }

  maximize(): void {
    this.#state.maximised = true;
    this.#resize();
    this.emit('maximize', {});
  }

  unmaximize(): void {
    this.#state.maximised = false;
    this.#resize();
    this.emit('unmaximize', {});
  }

  isMaximized(): boolean {
    return this.#state.maximised;
  }

  isFocused(): boolean {
    return this.#state.focused;
  }

  getNormalBounds(): Rectangle {
    return this.#bounds;
  }

  /** Resizes like the analyst at the window's edge: never below the minimum size. */
  setBounds(bounds: Partial<Rectangle>): void {
    this.#bounds = { ...this.#bounds, ...bounds };
    this.#bounds.width = Math.max(this.#bounds.width, this.options.minWidth ?? 0);
    this.#bounds.height = Math.max(this.#bounds.height, this.options.minHeight ?? 0);
    this.#resize();
  }

  /** Emits `close`, which can be prevented, then closes the page, then the window. */
  close(): void {
    if (this.#closing) return;
    const event = preventable({});
    this.emit('close', event);
    if (event.defaultPrevented) return;
    this.#closing = true;
    void this.webContents.end().then(() => this.destroy());
  }

  /** Closes without emitting `close`. */
  destroy(): void {
    if (!windows.delete(this)) return;
    this.#closing = true;
    this.webContents.destroyed();
    this.emit('closed');
    if (windows.size === 0) BrowserWindow.onNone();
  }

  isDestroyed(): boolean {
    return !windows.has(this);
  }

  /** Set by `app`. */
  static onNone: () => void = () => {};
}
