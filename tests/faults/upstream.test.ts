/** Misbehaving services, and how the client handles each. Real sockets on loopback. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Client, DEFAULT_LIMITS, type Limits, retryAfter, type Target } from '#main/upstream/client.ts';
import { selfSigned } from '#tests/support/certificate.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';

const TRUST_CHILD = fileURLToPath(new URL('../support/trust-child.ts', import.meta.url));
const run = promisify(execFile);
const TOKEN = 'a-token-that-must-not-travel';
const clients: Client[] = [];
const services: ScriptedService[] = [];
let service: ScriptedService;

const clientFor = (target: Partial<Target> = {}, limits: Partial<Limits> = {}) => {
  const client = new Client(
    { base: service.base, credential: TOKEN, authorityPem: null, ...target },
    { ...DEFAULT_LIMITS, retryBaseMs: 5, ...limits },
  );
  clients.push(client);
  return client;
};
const another = async (...args: Parameters<typeof startScripted>) => {
  const started = await startScripted(...args);
  services.push(started);
  return started;
};

beforeEach(async () => {
  service = await another();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(services.splice(0).map((started) => started.stop()));
});

describe('a healthy service', () => {
  it('[spec 7] receives the bearer token, the query in order and the double slash verbatim', async () => {
    service.answer = (_, response, { method }) =>
      sendJson(response, method === 'GET' ? { rows: [] } : { success: true });
    const client = clientFor();
    await client.json('email.recipients', { params: { saas: 'mail' }, query: { entity_id: 'a/b&c' } });
    await client.json('policies.send-result', { params: { id: '7 8' } });
    expect(service.seen.map(({ method, url, authorization }) => [method, url, authorization])).toEqual([
      ['GET', '/api/v1/sql_queries/mail/email_recipients?entity_id=a%2Fb%26c', `Bearer ${TOKEN}`],
      ['POST', '/api/v1/policies/policies_catalog//7%208/send_result', `Bearer ${TOKEN}`],
    ]);
  });

  it('keeps a path prefix of the address', async () => {
    await clientFor({ base: `${service.base}/gateway` }).json('apps.list', {});
    expect(service.seen[0]?.url).toBe('/gateway/api/v1/apps/sec_entities');
  });

  it('[bad input] may send unknown fields and unknown enum words: both survive', async () => {
    const app = {
      name: 'x',
      label: 'X',
      state: 'half_enabled',
      category: 'odd',
      is_saas: false,
      novelty: { deep: [1] },
    };
    service.answer = (_, response) => sendJson(response, { rows: [app], extra: true });
    await expect(clientFor().json('apps.list', {})).resolves.toMatchObject({ rows: [app], extra: true });
  });

  it('may answer in gzip', async () => {
    service.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify({ rows: [] })));
    };
    await expect(clientFor().json('apps.list', {})).resolves.toEqual({ rows: [] });
  });

  it('may answer a change with "no content"', async () => {
    service.answer = (_, response) => response.writeHead(204).end();
    await expect(clientFor().json('query.delete', { params: { id: '1' } })).resolves.toEqual({
      success: true,
    });
  });

  it('accepts a file as multipart and returns one as bytes', async () => {
    service.answer = (_, response, { url }) =>
      url.endsWith('import') ? sendJson(response, { imported: ['a'], error: [] }) : response.end('bytes');
    const client = clientFor();
    await client.upload('query.import', { name: 'queries.json', bytes: new TextEncoder().encode('{"x":1}') });
    expect(service.seen[0]?.body).toMatch(/name="file"; filename="queries\.json"[\s\S]*\{"x":1\}/);
    const bytes = await client.blob('query.export', { body: { ids: ['1'] } });
    expect(new TextDecoder().decode(bytes)).toBe('bytes');
  });
});

describe('a file', () => {
  it.each(['query.export-results', 'query.export-active-users'] as const)(
    '%s that is still being generated is not reported as an empty file',
    async (endpoint) => {
      service.answer = (_, response) => response.writeHead(202).end('{"job":7}');
      const download = clientFor().blob(endpoint, { params: { id: 'q' }, body: {} });
      await expect(download).rejects.toMatchObject({ code: 'wrong-shape', retryable: true });
    },
  );
});

describe('statuses', () => {
  const cases = [
    [401, 'unauthorized', false],
    [403, 'forbidden', false],
    [404, 'not-found', false],
    [409, 'conflict', false],
    [410, 'not-found', false],
    [418, 'bad-request', false],
    [500, 'server-error', true],
    [501, 'not-implemented', false],
  ] as const;
  it.each(cases)('[bad input] status %i is %s', async (status, code, retryable) => {
    service.answer = (_, response) =>
      sendJson(response, { error: 'it said\u001b[31m so\u202e\n<b>twice</b>' }, status);
    const failure = clientFor().json('apps.list', {});
    await expect(failure).rejects.toMatchObject({ code, retryable, data: { status, endpoint: 'apps.list' } });
    // The service's text arrives on one line, without control and direction characters.
    await expect(failure).rejects.toThrow('“it said [31m so <b>twice</b>”');
    expect(service.seen).toHaveLength(1);
  });

  it('401 asks for a credential if none was sent, and for another one otherwise', async () => {
    service.answer = (_, response) => sendJson(response, {}, 401);
    await expect(clientFor({ credential: null }).json('apps.list', {})).rejects.toThrow(
      'The service requires a credential',
    );
    await expect(clientFor().json('apps.list', {})).rejects.toThrow('did not accept the credential');
  });

  it('[bad input] 429 is retried after Retry-After, then reported with the time to wait', async () => {
    service.answer = (_, response) => sendJson(response, {}, 429, { 'retry-after': '0' });
    await expect(clientFor().json('apps.list', {})).rejects.toMatchObject({
      code: 'rate-limited',
      retryable: true,
      data: { retryAfterMs: 0 },
    });
    expect(service.seen).toHaveLength(4);
  });

  it('[bad input] a Retry-After longer than the limit is not waited for', async () => {
    service.answer = (_, response) => sendJson(response, {}, 429, { 'retry-after': '90' });
    await expect(clientFor().json('apps.list', {})).rejects.toThrow('Wait 90 s');
    expect(service.seen).toHaveLength(1);
  });

  it('503 and then a recovery: the caller gets the answer', async () => {
    service.answer = (_, response) =>
      service.seen.length < 3 ? sendJson(response, {}, 503) : sendJson(response, { rows: [] });
    await expect(clientFor().json('apps.list', {})).resolves.toEqual({ rows: [] });
  });

  it('[bad input] a change that must not be repeated is sent once', async () => {
    service.answer = (_, response) => sendJson(response, {}, 503);
    const body = { entity_ids: ['1'], entity_type: 'email', data: { action: 'q' }, date_trigger: null };
    await expect(clientFor().json('manual-actions.create', { body })).rejects.toMatchObject({
      code: 'server-error',
    });
    expect(service.seen).toHaveLength(1);
  });
});

describe('[bad input] invalid responses are errors and never cached', () => {
  it('a web page instead of JSON', async () => {
    service.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>Sign in</title>');
    };
    await expect(clientFor().json('apps.list', {})).rejects.toMatchObject({
      code: 'not-json',
      data: { html: true },
    });
  });

  const inMail = (entityId: string) => ({ params: { saas: 'mail' }, query: { entity_id: entityId } });
  const named = (type: string, id: string) => ({ params: { type, id } });

  it.each([
    ['email.profile', inMail('e1'), { entity_id: 'e2', subject: 'Another mail' }],
    ['email.profile', inMail('e12'), { entity_id: 'e1' }],
    ['file.profile', inMail('f1'), { entity_id: 'f2', title: 'e1.pdf' }],
    ['entity.get', named('user', 'u1'), { entity_id: 'u2', email: 'other@corp.example' }],
    ['entity.get', named('group', 'g1'), { entity_id: 2 }],
    ['query.get', { params: { id: '7' } }, { id: '8', name: 'Another', type: 'query', domain: 'email' }],
  ] as const)('%s of another id than the one asked', async (endpoint, request, answer) => {
    service.answer = (_, response) => sendJson(response, answer);
    await expect(clientFor().json(endpoint, request)).rejects.toMatchObject({
      code: 'wrong-shape',
      message: expect.stringContaining(`answered with “${'id' in answer ? answer.id : answer.entity_id}”`),
    });
  });

  it.each([
    ['email.profile', inMail('e1'), { entity_id: 'e1' }],
    ['email.profile', inMail('17'), { entity_id: 17 }],
    ['email.profile', inMail('e1'), { entityId: 'E1' }],
    ['email.profile', inMail('e1.3'), { entity_id: 'e1' }],
    ['email.profile', inMail('old'), { entity_id: 'e1', requested_id: 'old' }],
    ['file.matched', named('file', 'f1'), { success: true, hash: '/h/', token: 't', id: 'link-9' }],
    [
      'entity.get',
      named('user', 'A.Diallo@corp.example'),
      { entity_id: 'u1', email: 'a.diallo@corp.example' },
    ],
  ] as const)('but not %s that names it in another way (%j)', async (endpoint, request, answer) => {
    service.answer = (_, response) => sendJson(response, answer);
    await expect(clientFor().json(endpoint, request)).resolves.toMatchObject({});
  });

  it('text instead of JSON', async () => {
    service.answer = (_, response) => response.end('it works!');
    await expect(clientFor().json('apps.list', {})).rejects.toMatchObject({ code: 'not-json' });
  });

  it.each(['{"rows": [{"name": "a"', '{"rows": [', '{"rows": "unfinis', '{"rows":'])(
    'JSON that ends early: %s',
    async (text) => {
      service.answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(text);
      };
      await expect(clientFor().json('apps.list', {})).rejects.toMatchObject({
        code: 'truncated',
        retryable: true,
      });
    },
  );

  it('a connection that breaks off half-way', async () => {
    service.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
      response.write('{"rows": [', () => response.destroy());
    };
    await expect(clientFor().json('apps.list', {})).rejects.toMatchObject({ code: 'truncated' });
    expect(service.seen).toHaveLength(4);
  });

  it('gzip that breaks off', async () => {
    service.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify({ rows: [], filler: 'x'.repeat(1000) })).subarray(0, 30));
    };
    await expect(clientFor({}, { retries: 0 }).json('apps.list', {})).rejects.toMatchObject({
      code: 'truncated',
    });
  });

  it('[bad input] the wrong shape: endpoint and field are named', async () => {
    service.answer = (_, response) => sendJson(response, { rows: [{ name: { odd: 5 }, label: 'A' }] });
    await expect(clientFor().json('apps.list', {})).rejects.toMatchObject({
      code: 'wrong-shape',
      data: { endpoint: 'apps.list', field: 'rows.0.name' },
    });
  });

  it('[bad input] a response that announces too large a size is not read', async () => {
    service.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(10_000_000) });
      response.write('{');
    };
    await expect(clientFor({}, { answerBytes: 1_000_000 }).json('apps.list', {})).rejects.toMatchObject({
      code: 'too-large',
    });
  });

  it('[bad input] a response that turns out too large is cut off, compressed or not', async () => {
    const filler = JSON.stringify({ rows: [], filler: 'x'.repeat(3_000_000) });
    const zipped = gzipSync(filler);
    service.answer = (_, response) => {
      const gzip = service.seen.length > 1;
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(gzip ? { 'content-encoding': 'gzip' } : {}),
      });
      response.end(gzip ? zipped : filler);
    };
    const client = clientFor({}, { answerBytes: 1_000_000 });
    await expect(client.json('apps.list', {})).rejects.toMatchObject({ code: 'too-large' });
    await expect(client.json('apps.list', {})).rejects.toMatchObject({ code: 'too-large' });
  });
});

describe('network failures', () => {
  it('[bad input] a closed port', async () => {
    await service.stop();
    services.length = 0;
    await expect(clientFor().json('apps.list', {})).rejects.toMatchObject({
      code: 'unreachable',
      retryable: true,
    });
  });

  it('[bad input] a host name that does not exist', async () => {
    await expect(
      clientFor({ base: 'https://nowhere.invalid' }, { retries: 0 }).json('apps.list', {}),
    ).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('a response that never comes', async () => {
    service.answer = () => {};
    await expect(clientFor({}, { headersMs: 50 }).json('apps.list', {})).rejects.toMatchObject({
      code: 'timeout',
    });
    expect(service.seen).toHaveLength(1);
  });

  it('a response that stops half-way', async () => {
    service.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"rows":');
    };
    await expect(clientFor({}, { bodyIdleMs: 50 }).json('apps.list', {})).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  it.each([
    ['plain', {}],
    ['compressed', { 'content-encoding': 'gzip' }],
  ])(
    '[limit 60 s] a response that trickles in, %s, is abandoned at the deadline of the call',
    async (_, headers) => {
      const bytes = gzipSync(Buffer.alloc(100_000, ' '), { level: 0 });
      service.answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', ...headers });
        let offset = 0;
        const drip = setInterval(() => response.write(bytes.subarray(offset, ++offset)), 5);
        response.on('close', () => clearInterval(drip));
      };
      await expect(clientFor({}, { callMs: 120 }).json('apps.list', {})).rejects.toMatchObject({
        code: 'timeout',
        retryable: true,
      });
      expect(service.seen).toHaveLength(1);
    },
  );

  it('headers that trickle in are abandoned like a body that does', async () => {
    service.answer = (request, response) => {
      const { socket } = request;
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x-more: 1\r\n'), 5);
      response.on('close', () => clearInterval(drip));
      socket.on('close', () => clearInterval(drip)).on('error', () => clearInterval(drip));
    };
    await expect(clientFor({}, { callMs: 120 }).json('apps.list', {})).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  it('a large response over a slow line gets the time it needs', async () => {
    const text = JSON.stringify({ rows: [], filler: 'x'.repeat(4_000) });
    service.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      let offset = 0;
      const trickle = setInterval(() => {
        response.write(text.slice(offset, offset + 200));
        offset += 200;
        if (offset < text.length) return;
        clearInterval(trickle);
        response.end();
      }, 50);
    };
    // A second in all, which is longer than `callMs`, at a rate that stays above `slowest`. The first byte has `callMs`,
    // on a busy machine as well.
    const limits = { callMs: 500, slowest: 500 };
    await expect(clientFor({}, limits).json('apps.list', {})).resolves.toMatchObject({ rows: [] });
  });

  it('[bad input] a slow response is abandoned on cancel', async () => {
    const controller = new AbortController();
    const closed = Promise.withResolvers<void>();
    service.answer = (_, response) => {
      response.on('close', () => closed.resolve());
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"rows":', () => controller.abort());
    };
    await expect(clientFor().json('apps.list', {}, { signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    await closed.promise;
    expect(service.seen).toHaveLength(1);
  });

  it('a connection that is not being made is abandoned on cancel', async () => {
    const controller = new AbortController();
    // Accepts the connection and never answers the TLS handshake.
    const silent = createServer((socket) => {
      socket.on('error', () => {}).once('data', () => controller.abort());
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const before = performance.now();
    const client = clientFor({ base: `https://127.0.0.1:${port}` }, { connectMs: 60_000 });
    await expect(client.json('apps.list', {}, { signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(performance.now() - before).toBeLessThan(30_000);
    silent.close();
  });

  it('a wait between attempts ends on cancel', async () => {
    const controller = new AbortController();
    service.answer = (_, response) => {
      sendJson(response, {}, 503, { 'retry-after': '20' });
      response.on('close', () => controller.abort());
    };
    await expect(clientFor().json('apps.list', {}, { signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});

describe('redirects', () => {
  it('within their origin are followed', async () => {
    service.answer = (_, response, { url }) =>
      url.startsWith('/elsewhere')
        ? sendJson(response, { rows: [] })
        : response.writeHead(302, { location: '/elsewhere?x=1' }).end();
    await expect(clientFor().json('apps.list', {})).resolves.toEqual({ rows: [] });
    expect(service.seen.map(({ url }) => url)).toEqual(['/api/v1/apps/sec_entities', '/elsewhere?x=1']);
  });

  it('to another origin are not followed and carry no credential there', async () => {
    const stranger = await another();
    service.answer = (_, response) =>
      response.writeHead(307, { location: `${stranger.base}/api/v1/x` }).end();
    await expect(clientFor().json('apps.list', {})).rejects.toMatchObject({
      code: 'redirected',
      data: { to: stranger.base },
    });
    expect(stranger.seen).toEqual([]);
  });

  it('[limit 5 redirects] in a cycle are ended', async () => {
    service.answer = (_, response, { url }) => response.writeHead(302, { location: url }).end();
    await expect(clientFor().json('apps.list', {})).rejects.toMatchObject({ code: 'redirected' });
    expect(service.seen).toHaveLength(6);
  });

  it('do not turn a change into a read', async () => {
    service.answer = (_, response) => response.writeHead(302, { location: '/x' }).end();
    await expect(
      clientFor().json('email.report', { body: { entity_id: '1', report: 'r' } }),
    ).rejects.toMatchObject({
      code: 'redirected',
    });
    expect(service.seen).toHaveLength(1);
  });
});

describe('[bad input] a bad certificate is refused with the reason', () => {
  const day = 86_400_000;
  const dates = (from: number, until: number) =>
    [new Date(Date.now() + from * day), new Date(Date.now() + until * day)] as const;

  it('of an untrusted authority are refused; with the authority in the settings they are accepted', async () => {
    const certificate = selfSigned(...dates(-1, 1));
    const secure = await another(certificate);
    await expect(clientFor({ base: secure.base }).json('apps.list', {})).rejects.toMatchObject({
      code: 'tls',
    });
    expect(secure.seen).toEqual([]);
    await expect(
      clientFor({ base: secure.base, authorityPem: certificate.cert }).json('apps.list', {}),
    ).resolves.toEqual({ rows: [] });
  });

  it('that have expired are refused, and the error says so', async () => {
    const certificate = selfSigned(...dates(-3, -2));
    const secure = await another(certificate);
    const failure = clientFor({ base: secure.base, authorityPem: certificate.cert }).json('apps.list', {});
    await expect(failure).rejects.toMatchObject({ code: 'tls', data: { reason: 'CERT_HAS_EXPIRED' } });
    await expect(failure).rejects.toThrow('has expired');
    expect(secure.seen).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')(
    'of an authority that the system or the environment trusts are accepted',
    async () => {
      const certificate = selfSigned(...dates(-1, 1));
      const secure = await another(certificate);
      const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'parapet-trust-')), 'authority.pem');
      writeFileSync(file, certificate.cert);
      const outcome = async (env: NodeJS.ProcessEnv) =>
        (await run(process.execPath, [TRUST_CHILD, secure.base], { env })).stdout;
      try {
        expect(await outcome({})).toBe('tls');
        // The variable for the system's certificate authorities on Linux.
        expect(await outcome({ SSL_CERT_FILE: file })).toBe('answered');
        expect(await outcome({ NODE_EXTRA_CA_CERTS: file })).toBe('answered');
      } finally {
        rmSync(path.dirname(file), { recursive: true });
      }
    },
  );

  it('for another name are refused', async () => {
    const certificate = selfSigned(...dates(-1, 1), 'service.example');
    const secure = await another(certificate);
    await expect(
      clientFor({ base: secure.base, authorityPem: certificate.cert }).json('apps.list', {}),
    ).rejects.toMatchObject({ code: 'tls', data: { reason: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
  });
});

describe('[bad input] the names of a certificate are checked', () => {
  const day = 86_400_000;
  const around = [new Date(Date.now() - day), new Date(Date.now() + day)] as const;

  it.each([
    ['localhost', null],
    ['127.0.0.1', null],
    ['localhost', 'admin@service.example'],
  ])(
    'count only as alternative names, not in the subject: %s, with the alternative name %s',
    async (host, alternative) => {
      const certificate = selfSigned(...around, alternative, host);
      const secure = await another(certificate);
      const base = secure.base.replace('127.0.0.1', host);
      const failure = clientFor({ base, authorityPem: certificate.cert }).json('apps.list', {});
      await expect(failure).rejects.toMatchObject({ code: 'tls', data: { reason: 'CERT_NO_ALTNAME' } });
      await expect(failure).rejects.toThrow(/subject alternative name/);
      expect(secure.seen).toEqual([]);
    },
  );

  it('a common name beside alternative names does not add to them', async () => {
    const certificate = selfSigned(...around, 'service.example', 'localhost');
    const secure = await another(certificate);
    const base = secure.base.replace('127.0.0.1', 'localhost');
    await expect(
      clientFor({ base, authorityPem: certificate.cert }).json('apps.list', {}),
    ).rejects.toMatchObject({ code: 'tls' });
    expect(secure.seen).toEqual([]);
  });
});

describe('Retry-After', () => {
  const header = (ms: number) => new Date(ms).toUTCString();
  const NOW = Date.UTC(2026, 5, 1);

  it.each([
    ['seconds', '90', null, 90_000],
    ['seconds with spaces around', ' 7 ', null, 7_000],
    ['a date, relative to the date of the response', header(NOW + 30_000), header(NOW), 30_000],
    ['a date of a service whose clock is years ahead', header(NOW + 1e11 + 5_000), header(NOW + 1e11), 5_000],
    ['a date in the past', header(NOW - 1_000), header(NOW), 0],
    ['a date in a response without its own date: the wait is unknown', header(NOW + 30_000), null, null],
    ['a date in the obsolete forms, always GMT', 'Monday, 01-Jun-26 00:00:30 GMT', header(NOW), 30_000],
    ['a date without a zone, always GMT', 'Mon Jun  1 00:00:30 2026', header(NOW), 30_000],
    ['neither', 'soon', header(NOW), null],
    ['a negative number', '-5', header(NOW), null],
    ['too large to represent', '9'.repeat(400), header(NOW), null],
  ])('is read as %s', (_, value, date, expected) => {
    vi.stubEnv('TZ', 'Asia/Kathmandu');
    expect(retryAfter(value, date)).toBe(expected);
    vi.unstubAllEnvs();
  });

  it("is measured by the service's clock, not the local one", async () => {
    service.answer = (_, response) =>
      sendJson(response, {}, 429, {
        date: 'Mon, 01 Jan 2001 00:00:00 GMT',
        'retry-after': 'Mon, 01 Jan 2001 00:01:30 GMT',
      });
    await expect(clientFor().json('apps.list', {})).rejects.toThrow('Wait 90 s');
    expect(service.seen).toHaveLength(1);
  });
});

describe('signed links', () => {
  const link = (hash: string) => ({ params: { hash, token: 't', id: 'i' } });
  it('are requested verbatim, on the same origin', async () => {
    service.answer = (_, response) => sendJson(response, {});
    await clientFor().json('entity.signed-link', link('/a/b/'));
    expect(service.seen[0]?.url).toBe('/api/v1/a/b/ti');
  });
  it.each([
    '/a/../../x/',
    '/a?b=',
    '/a#b',
    '/a b',
    '/a/%2e%2e/%2e%2e/x/',
    '/a/%2E%2e/x/',
    '/a/.%2e/x/',
    '/a/%2e./x/',
    '/a/%2e/x/',
    '/a/%252e%252e/x/',
    '/a%2f..%2f..%2fx/',
    '/a/..%2fx/',
    '/a/..%5cx/',
    '/a/..;x/y/',
    '/a/%2e%2e%3bx/y/',
    '/a/\u0000/',
    '/a/%00/',
    '/a/%zz/',
  ])('cannot climb or add a query: %s', async (hash) => {
    await expect(clientFor().json('entity.signed-link', link(hash))).rejects.toMatchObject({
      code: 'invalid-input',
    });
    expect(service.seen).toEqual([]);
  });
});
