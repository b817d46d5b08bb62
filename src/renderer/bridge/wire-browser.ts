/** The wire of the browser host: the session, the websocket, and what the host asks of its page. */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Wire } from '#shared/bridge/frames.ts';
import { HOST_PATHS, type HostAnswer, type HostRequest, hostRequest } from '#shared/bridge/host-channel.ts';
import { askForPath, pickFile } from './host-dialogs.ts';

const TOKEN = /^#token=([\w-]+)$/;

/** Exchanges the token of the address for a session cookie, and takes it out of the address bar and the history. */
async function openSession(): Promise<void> {
  const token = TOKEN.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  await fetch(HOST_PATHS.session, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
}

const noSession = () =>
  new ParapetError(
    'not-allowed',
    'This page has no session with Parapet. Open the address that Parapet printed when it started, or start it again.',
  );

const openSocket = () =>
  new Promise<WebSocket>((resolve, reject) => {
    const socket = new WebSocket(new URL(HOST_PATHS.wire, location.origin.replace(/^http/, 'ws')));
    socket.addEventListener('open', () => resolve(socket), { once: true });
    socket.addEventListener('error', () => reject(noSession()), { once: true });
  });

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
  await openSession();
  const socket = await openSocket();
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
