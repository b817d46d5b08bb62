/** The wire of the browser host: the page's secret, the websocket, and the host's requests to its page. */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { ClientFrame, ServerFrame, Wire } from '#shared/bridge/frames.ts';
import {
  HOST_PATHS,
  type HostAnswer,
  type HostRequest,
  hostRequest,
  hostWelcome,
  type PageHello,
} from '#shared/bridge/host-channel.ts';
import { askForPath, pickFile } from './host-dialogs.ts';

const TOKEN = /^#token=([\w-]+)$/;
/** Session storage: of this tab and this origin only, gone with the tab. */
const KEPT_AS = 'parapet-session';

/** Reads the token from the address and removes it from the address bar and the history. */
function takeToken(): string | null {
  const token = TOKEN.exec(location.hash)?.[1] ?? null;
  if (token !== null) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

const noSession = () =>
  new ParapetError(
    'not-allowed',
    'This page has no session with Parapet. Open the address that Parapet printed when it started, or start it again.',
  );

/** A wire that the host has opened for this secret. Rejects when the host refuses it or does not answer. */
const openSocket = (secret: string) =>
  new Promise<WebSocket>((resolve, reject) => {
    const socket = new WebSocket(new URL(HOST_PATHS.wire, location.origin.replace(/^http/, 'ws')));
    const refuse = () => reject(noSession());
    socket.addEventListener('open', () =>
      socket.send(JSON.stringify({ host: 'hello', secret } satisfies PageHello)),
    );
    socket.addEventListener('error', refuse, { once: true });
    socket.addEventListener('close', refuse, { once: true });
    socket.addEventListener(
      'message',
      (event) => {
        const welcome = hostWelcome.safeParse(JSON.parse(String(event.data)));
        if (!welcome.success) return refuse();
        sessionStorage.setItem(KEPT_AS, welcome.data.secret);
        resolve(socket);
      },
      { once: true },
    );
  });

/** The first of these secrets that the host accepts. */
async function openSession(secrets: readonly (string | null)[]): Promise<WebSocket> {
  for (const secret of secrets) {
    const socket = secret === null ? null : await openSocket(secret).catch(() => null);
    if (socket !== null) return socket;
  }
  throw noSession();
}

/** Codes with which a running host closes the wire of one page (main/host/browser/pages.ts). */
const HOST_IS_THERE: readonly number[] = [1003, 1009, 1013];
/** Broadcast channel between pages of this origin in this browser; only the host can have served them. */
const CHANNEL = 'parapet';
const LOOK_EVERY_MS = 2000;

function startDownload({ id, name }: { id: string; name: string }): void {
  const link = document.createElement('a');
  link.href = `${HOST_PATHS.download}${id}`;
  link.download = name;
  link.click();
}

/** Handles a request of the host. Null if an HTTP request carries the answer. */
async function serve(request: HostRequest): Promise<HostAnswer['outcome'] | null> {
  switch (request.host) {
    case 'download':
      startDownload(request);
      return null;
    case 'pick':
      return (await pickFile(request)) ? null : 'cancelled';
    case 'ask-path':
      return (await askForPath(request)) ? null : 'cancelled';
  }
}

/** What a page knows about a host that has gone away. */
export type Lost = 'gone' | 'restarted';

/**
 * A wire that outlives its socket. When the host goes away, the page is notified and looks for it. A new run does not
 * accept the old secret, so the page waits until the new run's address is opened in this tab or in another page. No
 * secret is sent to whatever answers at the old address: it may be any program.
 */
export class BrowserWire implements Wire {
  #socket: WebSocket;
  #onFrames: ((frame: unknown) => void)[] = [];
  #onCloses: (() => void)[] = [];
  #onOpens: (() => void)[] = [];
  #onLost: ((lost: Lost) => void)[] = [];
  #opening = false;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#serve(socket);
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener('message', ({ data }) => void this.open([String(data)]));
    addEventListener('hashchange', () => void this.open([takeToken()]));
  }

  readonly send = (message: ClientFrame | ServerFrame | HostAnswer): void => {
    if (this.#isOpen()) this.#socket.send(JSON.stringify(message));
  };
  readonly onFrame = (handler: (frame: unknown) => void): void => void this.#onFrames.push(handler);
  readonly onClose = (handler: () => void): void => void this.#onCloses.push(handler);
  readonly onOpen = (handler: () => void): void => void this.#onOpens.push(handler);
  /** Notifies of a host that has gone away, and again whenever its state changes. */
  readonly onLost = (handler: (lost: Lost) => void): void => void this.#onLost.push(handler);

  /** Opens it again with one of these secrets; while it is open, does nothing. */
  async open(secrets: readonly (string | null)[]): Promise<void> {
    if (this.#isOpen() || this.#opening) return;
    this.#opening = true;
    const socket = await openSession(secrets).catch(() => null);
    this.#opening = false;
    if (socket === null) return;
    this.#socket = socket;
    this.#serve(socket);
    for (const handler of this.#onOpens) handler();
  }

  #isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  #serve(socket: WebSocket): void {
    socket.addEventListener('message', (event) => {
      const message: unknown = JSON.parse(String(event.data));
      const request = hostRequest.safeParse(message);
      if (!request.success) {
        for (const handler of this.#onFrames) handler(message);
        return;
      }
      const { id } = request.data;
      void serve(request.data)
        .catch(() => 'failed' as const)
        .then((outcome) => {
          if (outcome !== null) this.send({ host: 'answer', id, outcome });
        });
    });
    socket.addEventListener('close', ({ code }) => {
      for (const handler of this.#onCloses) handler();
      if (HOST_IS_THERE.includes(code))
        setTimeout(() => void this.open([sessionStorage.getItem(KEPT_AS)]), 1000);
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    if (this.#isOpen()) return;
    const answers = await fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (this.#isOpen()) return;
    for (const handler of this.#onLost) handler(answers ? 'restarted' : 'gone');
    setTimeout(() => void this.#look(), LOOK_EVERY_MS);
  }
}

/** Opens the wire to the host that served this page. Rejects `not-allowed` without a session. */
export async function openBrowserWire(): Promise<BrowserWire> {
  const token = takeToken();
  try {
    // A tab that opens the link again still has its own secret.
    const socket = await openSession([token, sessionStorage.getItem(KEPT_AS)]);
    // Tabs left over from the previous run reconnect to this one.
    if (token !== null) new BroadcastChannel(CHANNEL).postMessage(sessionStorage.getItem(KEPT_AS));
    return new BrowserWire(socket);
  } catch (error) {
    sessionStorage.removeItem(KEPT_AS);
    // The printed address in a tab that shows Parapet already changes nothing but the fragment.
    addEventListener('hashchange', () => {
      if (TOKEN.test(location.hash)) location.reload();
    });
    throw error;
  }
}
