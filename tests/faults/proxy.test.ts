/** Connections to a service through a proxy, over real sockets; each kind of refusal has its own error message. */
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HttpProxy, Routes } from '#main/kernel/ports.ts';
import { routesTo } from '#main/upstream/agent.ts';
import { Client, DEFAULT_LIMITS, type Limits, type Target } from '#main/upstream/client.ts';
import { selfSigned } from '#tests/support/certificate.ts';
import { type ConnectProxy, startConnectProxy } from '#tests/support/connect-proxy.ts';
import { type ScriptedService, startScripted } from '#tests/support/scripted-service.ts';

const TOKEN = 'a-token-that-must-not-travel';
const PASSWORD = 'a-password-of-the-proxy';
const authorization = `Basic ${Buffer.from(`analyst:${PASSWORD}`).toString('base64')}`;
const day = 86_400_000;
const around = [new Date(Date.now() - day), new Date(Date.now() + day)] as const;
const certificate = selfSigned(...around, 'service.example');

const clients: Client[] = [];
let service: ScriptedService;
let proxy: ConnectProxy;

const clientThrough = (routes: Routes, target: Partial<Target> = {}, limits: Partial<Limits> = {}) => {
  const client = new Client(
    {
      base: 'https://service.example',
      credential: TOKEN,
      authorityPem: certificate.cert,
      routes,
      ...target,
    },
    { ...DEFAULT_LIMITS, retries: 0, connectMs: 2_000, ...limits },
  );
  clients.push(client);
  return client;
};
const call = (client: Client) => client.json('apps.list', {});
const portOf = ({ base }: ScriptedService) => Number(new URL(base).port);

beforeEach(async () => {
  service = await startScripted(certificate);
  proxy = await startConnectProxy(portOf(service));
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all([service.stop(), proxy.stop()]);
});

async function closedPort(): Promise<number> {
  const gone = await startConnectProxy(0);
  await gone.stop();
  return gone.port;
}

describe('through a proxy', () => {
  it('the service is reached by name through a tunnel, and the credential is sent only inside it', async () => {
    const client = clientThrough([proxy.proxy()]);
    await call(client);
    expect(proxy.asked.map(({ target }) => target)).toEqual(['service.example:443']);
    expect(inspect(proxy.asked)).not.toContain(TOKEN);
    expect(service.seen.map((ask) => ask.authorization)).toEqual([`Bearer ${TOKEN}`]);
    expect(client.proxy).toBe(`127.0.0.1:${proxy.port}`);
  });

  it('the proxy itself can require TLS', async () => {
    const testCertificate = selfSigned(...around, 'localhost', 'Proxy test');
    const secure = await startConnectProxy(portOf(service), testCertificate);
    const client = clientThrough([secure.proxy({ host: 'localhost' })], {
      authorityPem: `${certificate.cert}${testCertificate.cert}`,
    });
    await expect(call(client)).resolves.toEqual({ rows: [] });
    await expect(call(clientThrough([secure.proxy({ host: 'localhost' })]))).rejects.toMatchObject({
      code: 'tls',
      message: expect.stringMatching(/^No safe connection to the proxy 127\.0\.0\.1:\d+ could be made/),
    });
    await secure.stop();
  });

  it('a user name and password are sent to the proxy only', async () => {
    const client = clientThrough([proxy.proxy({ authorization })]);
    await Promise.all([call(client), call(client), call(client)]);
    expect(service.seen).toHaveLength(3);
    expect(proxy.asked[0]?.headers['proxy-authorization']).toBe(authorization);
    expect(inspect(service.seen)).not.toContain(authorization);
  });

  it('an unreachable proxy is skipped, and the connection is direct if the settings allow it', async () => {
    const dead = proxy.proxy({ port: await closedPort(), variable: null });
    const client = clientThrough([dead, proxy.proxy({ variable: null })]);
    await call(client);
    expect(client.proxy).toBe(`127.0.0.1:${proxy.port}`);

    const direct = clientThrough([dead, null], { base: service.base.replace('127.0.0.1', 'localhost') });
    // The certificate is for another name: the error proves that the connection was direct.
    await expect(call(direct)).rejects.toMatchObject({ data: { reason: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
    expect(direct.proxy).toBe(null);
  });

  it('loopback addresses never use a proxy', async () => {
    let requests = 0;
    const routes = async () => {
      requests += 1;
      return [proxy.proxy()];
    };
    for (const address of [
      'http://127.0.0.1:8080',
      'https://localhost/x',
      'http://[::1]:1',
      'https://127.9.9.9',
    ])
      expect(await routesTo({ routes }, address)).toEqual([null]);
    expect(requests).toBe(0);
    expect(await routesTo({ routes }, 'https://service.example')).toHaveLength(1);
    expect(await routesTo({}, 'https://service.example')).toEqual([null]);
  });
});

describe('[bad input] a proxy that refuses is named', () => {
  const failure = async (routes: Routes, limits: Partial<Limits> = {}) => {
    const error = await call(clientThrough(routes, {}, limits)).catch((reason: unknown) => reason);
    // No part of the error may contain the credential, as it may be shown, logged or saved.
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(TOKEN);
    expect(service.seen).toEqual([]);
    return error;
  };
  const answering = (status: string, ...headers: string[]) =>
    [`HTTP/1.1 ${status}`, ...headers, 'content-length: 0', '', ''].join('\r\n');

  it.each([
    [
      'no credentials',
      null,
      'Proxy-Authenticate: Basic realm="x"',
      /requires a user name and password.*HTTPS_PROXY/,
    ],
    [
      'wrong ones',
      authorization,
      'Proxy-Authenticate: Basic realm="x"',
      /did not accept the user name and password in HTTPS_PROXY/,
    ],
    [
      'another sign-in',
      null,
      'Proxy-Authenticate: Negotiate',
      /a sign-in that Parapet does not have \(negotiate, ntlm\)/,
    ],
  ])('407, %s', async (_, answer, header, words) => {
    proxy.refusal = answering(
      '407 Proxy Authentication Required',
      header,
      ...(header.endsWith('Negotiate') ? ['Proxy-Authenticate: NTLM'] : []),
    );
    const error = await failure([proxy.proxy({ authorization: answer })]);
    expect(error).toMatchObject({ code: 'proxy', retryable: false, data: { status: 407 } });
    expect(error).toMatchObject({ message: expect.stringMatching(words) });
    expect(JSON.stringify(error) + String(error)).not.toContain(PASSWORD);
  });

  it('[limit 60 s] a wrong password is not retried, so that no account is locked', async () => {
    proxy.refusal = answering('407 Proxy Authentication Required');
    const client = clientThrough([proxy.proxy({ authorization })], {}, { retries: 3, retryBaseMs: 1 });
    const refused = () => expect(call(client)).rejects.toMatchObject({ code: 'proxy' });
    await Promise.all(Array.from({ length: 6 }, refused));
    await refused();
    expect(proxy.asked).toHaveLength(1);
  });

  it.each([
    [
      '403 Forbidden',
      'proxy',
      /does not allow connections to service\.example:443 \(HTTP 403\), so nothing was sent/,
    ],
    ['502 Bad Gateway', 'unreachable', /could not reach service\.example:443 \(HTTP 502\)/],
    ['503 Service Unavailable', 'unreachable', /could not reach service\.example:443 \(HTTP 503\)/],
    ['302 Found', 'proxy', /opened no connection to service\.example:443 \(HTTP 302\).*Check HTTPS_PROXY/],
  ])('%s', async (status, code, words) => {
    proxy.refusal = answering(status, 'content-type: text/html');
    const error = await failure([proxy.proxy()]);
    expect(error).toMatchObject({ code, message: expect.stringMatching(words) });
  });

  it('a proxy with a closed port', async () => {
    expect(await failure([proxy.proxy({ port: await closedPort() })])).toMatchObject({
      code: 'unreachable',
      retryable: true,
      message: expect.stringMatching(/^The proxy 127\.0\.0\.1:\d+ cannot be reached.*Check HTTPS_PROXY/),
    });
  });

  it('a proxy whose host name does not resolve', async () => {
    expect(await failure([proxy.proxy({ host: 'nowhere.invalid', variable: null })])).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/^The name of the proxy .* Check the proxy settings of this system/),
    });
  });

  it('[limit 10 s] a proxy that never answers', async () => {
    proxy.refusal = 'never';
    const error = await failure([proxy.proxy()], { connectMs: 100 });
    expect(error).toMatchObject({ code: 'unreachable', data: { reason: 'ETIMEDOUT' } });
  });

  it('something that is not a proxy', async () => {
    proxy.refusal = 'SSH-2.0-OpenSSH_9.2\r\n';
    expect(await failure([proxy.proxy()])).toMatchObject({
      code: 'proxy',
      message: expect.stringMatching(/is not an HTTP proxy/),
    });
  });

  it('a proxy of another kind', async () => {
    const socks: HttpProxy = proxy.proxy({ kind: 'unsupported', name: 'socks.example:1080', variable: null });
    expect(await failure([socks])).toMatchObject({
      code: 'proxy',
      message: expect.stringMatching(/through socks\.example:1080\. Parapet can only use HTTP proxies/),
    });
    expect(await failure([{ ...socks, variable: 'HTTPS_PROXY' }])).toMatchObject({
      message: expect.stringMatching(/^HTTPS_PROXY does not name an HTTP proxy/),
    });
  });

  it('[bad input] a proxy that replaces the service’s certificate', async () => {
    const inspecting = await startScripted(selfSigned(...around, 'service.example'));
    proxy.leadsTo = portOf(inspecting);
    expect(await failure([proxy.proxy()])).toMatchObject({
      code: 'tls',
      message: expect.stringMatching(/came through the proxy .* your company's authority/),
    });
    expect(inspecting.seen).toEqual([]);
    await inspecting.stop();
  });
});
