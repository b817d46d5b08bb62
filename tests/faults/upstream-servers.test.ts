/** Real-world servers and gateways: their TLS, their error pages, their encodings of JSON. */
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client, DEFAULT_LIMITS } from '#main/upstream/client.ts';
import { mayBeDone, ParapetError } from '#shared/bridge/errors.ts';
import { selfSigned } from '#tests/support/certificate.ts';
import { type ScriptedService, startScripted } from '#tests/support/scripted-service.ts';

const day = 86_400_000;
const certificate = selfSigned(new Date(Date.now() - day), new Date(Date.now() + day));
const CHANGE = { body: { entity_id: '1', report: 'phishing' } };

const clients: Client[] = [];
const servers: Server[] = [];
let service: ScriptedService;

beforeEach(async () => {
  service = await startScripted();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const server of servers.splice(0)) server.close();
  await service.stop();
});

const clientFor = (base: string, authorityPem: string | null = certificate.cert) => {
  const client = new Client({ base, credential: 'token', authorityPem }, { ...DEFAULT_LIMITS, retries: 0 });
  clients.push(client);
  return client;
};
async function portOf(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
const failure = async (client: Client): Promise<ParapetError> => {
  const error: unknown = await client.json('email.report', CHANGE).catch((reason: unknown) => reason);
  if (!(error instanceof ParapetError)) throw new Error(`no failure: ${JSON.stringify(error)}`);
  return error;
};

describe('[bad input] encryption that is refused gives the reason', () => {
  const secure = async (options: TlsOptions) => {
    const server = createTlsServer({ ...certificate, ...options }, (socket) => {
      socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"rows":[]}');
    });
    server.on('tlsClientError', () => {});
    return `https://localhost:${await portOf(server)}`;
  };

  it('older than TLS 1.2 is refused, and the error says who has to change it', async () => {
    const base = await secure({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' });
    expect(await failure(clientFor(base))).toMatchObject({
      code: 'tls',
      message: expect.stringMatching(/only versions of TLS before 1\.2.*operator has to allow/),
    });
  });

  it('with HTTP/2 only is reported as such', async () => {
    const base = await secure({ ALPNCallback: () => undefined });
    expect(await failure(clientFor(base))).toMatchObject({
      code: 'tls',
      message: expect.stringMatching(/accepts only HTTP\/2/),
    });
  });

  it('that is missing is reported as such', async () => {
    expect(
      await failure(clientFor(service.base.replace('http://127.0.0.1', 'https://localhost'))),
    ).toMatchObject({
      code: 'tls',
      message: expect.stringMatching(/does not use encryption.*Check the address and its port/),
    });
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'that requires a client certificate is reported as such, %s',
    async (maxVersion) => {
      const base = await secure({ requestCert: true, rejectUnauthorized: true, maxVersion });
      expect((await failure(clientFor(base))).message).toMatch(
        /only clients with a certificate of their own/,
      );
    },
  );

  it('with a certificate that is not valid yet points to the clock', async () => {
    const future = selfSigned(new Date(Date.now() + day), new Date(Date.now() + 2 * day));
    const base = await secure(future);
    expect(await failure(clientFor(base, future.cert))).toMatchObject({
      code: 'tls',
      message: expect.stringMatching(/is not valid yet.*Check the clock of this machine/),
    });
  });
});

describe('[bad input] responses of gateways are explained', () => {
  const page = (title: string) =>
    `<html>\r\n<head><title>${title}</title></head>\r\n<body><center><h1>${title}</h1></center><hr><center>nginx/1.22.1</center></body>\r\n</html>`;
  const answering = (status: number, type: string, body: string | Buffer, headers = {}) => {
    service.answer = (_, response) =>
      response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  };

  it.each([
    [400, '400 No required SSL certificate was sent', 'bad-request', /refused the request \(HTTP 400\)/],
    [
      403,
      '403 Forbidden',
      'forbidden',
      /^Access was refused \(HTTP 403\), by the service or before the request reached it/,
    ],
    [404, '404 Not Found', 'not-found', /was not found\. Check the address of the connection/],
    [
      413,
      '413 Request Entity Too Large',
      'bad-request',
      /larger than the service, or a server in front of it, accepts/,
    ],
    [414, '414 Request-URI Too Large', 'bad-request', /longer than the service/],
    [431, '431 Request Header Fields Too Large', 'bad-request', /longer than the service/],
    [502, '502 Bad Gateway', 'server-error', /failed \(HTTP 502\)/],
  ])(
    'an HTML page for %i is reported by its title, as the response of a gateway',
    async (status, title, code, words) => {
      answering(status, 'text/html', page(title));
      const error = await failure(clientFor(service.base));
      expect(error).toMatchObject({ code, message: expect.stringMatching(words) });
      expect(error.message).toContain(`The answer is a web page (“${title}”)`);
    },
  );

  it('a captive portal is not reported as a failure of the service', async () => {
    answering(511, 'text/html', page('Hotel'));
    expect(await failure(clientFor(service.base))).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/^This network requires a sign-in/),
    });
  });

  it.each([
    [
      'problem details',
      { type: 'about:blank', title: 'Forbidden', detail: 'Your IP is not on the list' },
      'Your IP is not on the list',
    ],
    ['a title alone', { title: 'Quota used up' }, 'Quota used up'],
    ['an object', { error: { code: 7, message: 'Quota used up' } }, 'Quota used up'],
    ['a list', { errors: [{ message: 'Quota used up' }, { message: 'more' }] }, 'Quota used up'],
    ['a list of texts', { message: ['too long'] }, 'too long'],
  ])('the message of the service is quoted, as %s', async (_, body, quoted) => {
    answering(403, 'application/json', JSON.stringify(body));
    expect(await failure(clientFor(service.base))).toMatchObject({
      message: expect.stringContaining(`The service says: “${quoted}”`),
      data: { serviceMessage: quoted },
    });
  });

  it('unrequested compression is named', async () => {
    answering(200, 'application/json', brotliCompressSync('{"success":true}'), { 'content-encoding': 'br' });
    expect(await failure(clientFor(service.base))).toMatchObject({
      code: 'not-json',
      message: expect.stringMatching(/compressed as “br”/),
    });
  });

  it('damaged compression is not reported as a truncated response', async () => {
    const zipped = gzipSync('{"success":true}');
    zipped[zipped.length - 6] = (zipped[zipped.length - 6] ?? 0) ^ 1;
    answering(200, 'application/json', zipped, { 'content-encoding': 'gzip' });
    expect(await failure(clientFor(service.base))).toMatchObject({
      code: 'truncated',
      message: expect.stringMatching(/could not be unpacked/),
    });
  });

  it.each([
    ['SSH', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['HTTP/2', Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])],
  ])('a server that speaks %s is not reported as unreachable', async (_, greeting) => {
    const port = await portOf(
      createSocketServer((socket) => {
        socket.on('error', () => {}).on('data', () => socket.end(greeting));
      }),
    );
    expect(await failure(clientFor(`http://127.0.0.1:${port}`))).toMatchObject({
      code: 'not-json',
      message: expect.stringMatching(/does not follow HTTP/),
    });
  });

  it('the message for a connection closed without a response does not say unreachable', async () => {
    service.answer = (request) => request.socket.destroy();
    const error = await failure(clientFor(service.base));
    expect(mayBeDone(error)).toBe(true);
    expect(error.message).toMatch(/closed the connection without an answer/);
  });

  it('an empty response is reported as empty', async () => {
    answering(200, 'application/json', '');
    await expect(clientFor(service.base).json('apps.list', {})).rejects.toMatchObject({
      code: 'not-json',
      message: expect.stringMatching(/response of the service is empty/),
    });
  });
});

describe('[bad input] JSON in any charset, declared or not', () => {
  const app = (label: string) => JSON.stringify({ rows: [{ name: 'a', label }] });
  const labelOf = async (type: string, body: Buffer) => {
    service.answer = (_, response) => response.writeHead(200, { 'content-type': type }).end(body);
    const { rows } = (await clientFor(service.base).json('apps.list', {})) as { rows: { label: string }[] };
    return rows[0]?.label;
  };

  it.each([
    ['application/json', Buffer.from(`\ufeff${app('Café “€”')}`), 'Café “€”'],
    ['application/json; charset=ISO-8859-1', Buffer.from(app('Café'), 'latin1'), 'Café'],
    ['application/json;charset="windows-1252"', Buffer.from(app('\x93\x80\x94'), 'latin1'), '“€”'],
    ['application/json; charset=utf-16', Buffer.from(`\ufeff${app('Café €')}`, 'utf16le'), 'Café €'],
    ['application/json', Buffer.from(`\ufeff${app('Café €')}`, 'utf16le').swap16(), 'Café €'],
    // A default charset that the server declares wrongly.
    ['application/json; charset=ISO-8859-1', Buffer.from(app('Café €')), 'Café €'],
    ['application/json; charset=us-ascii', Buffer.from(app('Café')), 'Café'],
    ['application/json; charset=no-such', Buffer.from(app('Café')), 'Café'],
  ])('as %s keeps its characters (%#)', async (type, body, label) => {
    expect(await labelOf(type, body)).toBe(label);
  });

  it('a saved file is stored exactly as the service sent it', async () => {
    const bytes = Buffer.from('\ufeff{"a":1}');
    service.answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-16' }).end(bytes);
    const saved = await clientFor(service.base).blob('query.export', { body: { ids: ['1'] } });
    expect(Buffer.from(saved)).toEqual(bytes);
  });

  it('a page of results is decoded the same way', async () => {
    service.answer = (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json; charset=latin1' })
        .end(Buffer.from('{"rows":["é"]}', 'latin1'));
    const page = await clientFor(service.base).blob('query.execute', { body: {} });
    expect(Buffer.from(page).toString()).toBe('{"rows":["é"]}');
  });
});
