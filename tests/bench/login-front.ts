/** A proxy in front of the service: serves the successful logins of one app itself and forwards everything else. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const MODULE = 'office365_emails';

export interface PageAnswer {
  data: string;
  total_rows: number;
  /** The next page's key, if the service pages by key; omitted if it numbers its pages. */
  next?: string | null;
}

interface LoginFront {
  url: string;
  /** Requests for the app's successful logins, in order. */
  asked: URLSearchParams[];
  close: () => void;
}

export async function startLoginFront(
  base: string,
  answer: (query: URLSearchParams) => PageAnswer,
): Promise<LoginFront> {
  const queries: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://service.invalid');
    if (url.pathname.endsWith('/get_cache_query')) {
      const query = url.searchParams;
      const isOurs = query.get('module') === MODULE && query.get('fail') === 'false';
      if (isOurs) queries.push(query);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isOurs ? answer(query) : { data: '', total_rows: 0 }));
      return;
    }
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const method = request.method ?? 'GET';
      const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
      fetch(`${new URL(base).origin}${request.url}`, {
        method,
        headers: { authorization, 'content-type': type },
        ...(method === 'GET' ? {} : { body: Buffer.concat(parts) }),
      })
        .then(async (reply) => {
          response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? type });
          response.end(Buffer.from(await reply.arrayBuffer()));
        })
        .catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: queries,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
