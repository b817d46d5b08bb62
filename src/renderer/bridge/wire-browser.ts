/** The wire of the browser host: what the page proves itself with, the websocket, and what the host asks of its page. */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Wire } from '#shared/bridge/frames.ts';
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

/** The token of the address, taken out of the address bar and the history. */
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

/** The token first; a tab that opens a link again has its own secret still. */
async function openSession(): Promise<WebSocket> {
  const secrets = [takeToken(), sessionStorage.getItem(KEPT_AS)].filter((secret) => secret !== null);
  for (const secret of secrets) {
    const socket = await openSocket(secret).catch(() => null);
    if (socket !== null) return socket;
  }
  sessionStorage.removeItem(KEPT_AS);
  throw noSession();
}

function startDownload({ id, name }: { id: string; name: string }): void {
  const link = document.createElement('a');
  link.href = `${HOST_PATHS.download}${id}`;
  link.download = name;
  link.click();
}

/** Does what the host asks. Null: an HTTP request carries the answer. */
async function serve(request: HostRequest): Promise<HostAnswer['outcome'] | null> {
  switch (request.host) {
    case 'download':
      startDownload(request);
      return null;
    case 'clipboard':
      await navigator.clipboard.writeText(request.text);
      return 'done';
    case 'pick':
      return (await pickFile(request)) ? null : 'cancelled';
    case 'ask-path':
      return (await askForPath(request)) ? null : 'cancelled';
  }
}

/** Opens the wire to the host that served this page. Rejects `not-allowed` without a session. */
export async function openBrowserWire(): Promise<Wire> {
  // The printed address in a tab that shows Parapet already changes nothing but the fragment.
  addEventListener('hashchange', () => {
    if (TOKEN.test(location.hash)) location.reload();
  });
  const socket = await openSession();
  const onFrames: ((frame: unknown) => void)[] = [];
  const send = (message: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  socket.addEventListener('message', (event) => {
    const message: unknown = JSON.parse(String(event.data));
    const request = hostRequest.safeParse(message);
    if (!request.success) {
      for (const handler of onFrames) handler(message);
      return;
    }
    const { id } = request.data;
    void serve(request.data)
      .catch(() => 'failed' as const)
      .then((outcome) => {
        if (outcome !== null) send({ host: 'answer', id, outcome } satisfies HostAnswer);
      });
  });
  return {
    send,
    onFrame: (handler) => onFrames.push(handler),
    onClose: (handler) => socket.addEventListener('close', handler, { once: true }),
  };
}
