/** A page of the browser host without a browser: opens the wire like the real page. */
import { once } from 'node:events';
import { WebSocket } from 'ws';

export const wireOf = (origin: string): WebSocket =>
  new WebSocket(`${origin.replace('http', 'ws')}/wire`, { headers: { origin } });

/** Rejects if the host refuses the secret. `hear` receives every message after the welcome. */
export async function openPage(
  origin: string,
  secret: string,
  hear: (message: unknown) => void = () => {},
): Promise<{ socket: WebSocket; secret: string }> {
  const socket = wireOf(origin);
  await once(socket, 'open');
  const opened = Promise.withResolvers<string>();
  socket.once('close', (code) => opened.reject(new Error(`closed with ${code}`)));
  socket.once('message', (welcome) => {
    // Further messages may have arrived together with the welcome.
    socket.on('message', (data) => hear(JSON.parse(String(data))));
    opened.resolve((JSON.parse(String(welcome)) as { host: 'welcome'; secret: string }).secret);
  });
  socket.send(JSON.stringify({ host: 'hello', secret }));
  return { socket, secret: await opened.promise };
}
