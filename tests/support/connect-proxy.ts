/** An HTTP proxy on loopback that tunnels by CONNECT, or refuses if the test says so. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { HttpProxy } from '#main/kernel/ports.ts';
import type { Certificate } from './certificate.ts';

export interface ConnectProxy {
  port: number;
  /** Every CONNECT request received. */
  asked: { target: string; headers: IncomingHttpHeaders }[];
  /** The raw response; `never`: no response; null: a tunnel. */
  refusal: string | null;
  /** The destination of every tunnel, whatever its target. */
  leadsTo: number;
  proxy(more?: Partial<HttpProxy>): HttpProxy;
  stop(): Promise<void>;
}

export async function startConnectProxy(leadsTo: number, certificate?: Certificate): Promise<ConnectProxy> {
  const server = certificate === undefined ? createServer() : createSecureServer(certificate);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  });
  server.on('connect', ({ url = '', headers }, socket: Socket) => {
    self.asked.push({ target: url, headers });
    socket.on('error', () => {});
    if (self.refusal === 'never') return;
    if (self.refusal !== null) {
      socket.end(self.refusal);
      return;
    }
    const onward = connect(self.leadsTo, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const self: ConnectProxy = {
    port,
    asked: [],
    refusal: null,
    leadsTo,
    proxy: (more = {}) => ({
      kind: certificate === undefined ? 'http' : 'https',
      name: `127.0.0.1:${port}`,
      host: '127.0.0.1',
      port,
      variable: 'HTTPS_PROXY',
      authorization: null,
      ...more,
    }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.on('error', () => {}).destroy();
      }),
  };
  return self;
}
