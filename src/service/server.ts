/** The service's HTTP server on the loopback interface. */
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';

const KEEP_ALIVE_MS = 120_000;

export interface ServiceApp {
  fetch(request: Request): Promise<Response>;
}

export interface Listening {
  port: number;
  /** Also closes open connections; resolves when the port is free. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1; port 0 picks a free one. Rejects when the port is taken. */
export function listen(app: ServiceApp, port: number): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, (address) => {
      server.off('error', reject);
      resolve({
        port: address.port,
        close: () =>
          new Promise((resolve) => {
            server.close(() => resolve());
            server.closeAllConnections();
          }),
      });
    }) as Server;
    // Longer than clients keep idle connections: if the server closed first, a client could send into a connection that
    // is being reset.
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.once('error', reject);
  });
}
