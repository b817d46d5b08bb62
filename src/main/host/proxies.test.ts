import { expect, test, vi } from 'vitest';
import { createRoutes } from './proxies.ts';

const SERVICE = new URL('https://console.service.example/api');
const named = async (env: NodeJS.ProcessEnv, url = SERVICE) =>
  (await createRoutes(env)(url)).map((route) => route?.name ?? 'direct');

test('the environment names the proxy, in lower case before upper case', async () => {
  expect(await named({})).toEqual(['direct']);
  expect(await named({ HTTPS_PROXY: 'http://one.example:3128' })).toEqual(['one.example:3128']);
  expect(await named({ HTTPS_PROXY: 'http://one:1', https_proxy: 'http://two:2' })).toEqual(['two:2']);
  expect(await named({ http_proxy: 'http://two:2', HTTPS_PROXY: 'http://one:1' })).toEqual(['one:1']);
  expect(await named({ HTTP_PROXY: 'http://one:1' })).toEqual(['one:1']);
  expect(await named({ ALL_PROXY: 'one' })).toEqual(['one:80']);
  expect(await named({ https_proxy: '', HTTPS_PROXY: ' http://one:1 ' })).toEqual(['one:1']);
});

test('a user name and password in the address become a header, and are shown nowhere', async () => {
  const route = async (value: string) => (await createRoutes({ HTTPS_PROXY: value })(SERVICE))[0];
  expect(await route('http://DOM%5Cann:p%40ss%3A1@one.example:3128')).toEqual({
    kind: 'http',
    name: 'one.example:3128',
    host: 'one.example',
    port: 3128,
    variable: 'HTTPS_PROXY',
    authorization: `Basic ${Buffer.from('DOM\\ann:p@ss:1').toString('base64')}`,
  });
  // As Windows administrators write it.
  expect(await route('http://DOM\\ann:secret@one.example:3128')).toMatchObject({
    name: 'one.example:3128',
    authorization: `Basic ${Buffer.from('DOM\\ann:secret').toString('base64')}`,
  });
  expect(await route('DOM\\ann@one:1')).toMatchObject({ name: 'one:1' });
  expect(await route('http://ann:100%@one:1')).toMatchObject({
    authorization: `Basic ${Buffer.from('ann:100%').toString('base64')}`,
  });
  expect(await route('https://[2001:db8::1]')).toMatchObject({
    kind: 'https',
    name: '[2001:db8::1]:443',
    host: '2001:db8::1',
  });
});

test.each(['socks5://ann:secret@one:1080', 'http://', 'not a proxy', 'file:///etc'])(
  'a value that is not an HTTP proxy is reported, not skipped: %s',
  async (value) => {
    const [route] = await createRoutes({ HTTPS_PROXY: value })(SERVICE);
    expect(route).toMatchObject({ kind: 'unsupported', variable: 'HTTPS_PROXY', authorization: null });
    expect(JSON.stringify(route)).not.toContain('secret');
  },
);

test.each([
  ['console.service.example', true],
  ['CONSOLE.Service.Example.', true],
  ['service.example', true],
  ['.service.example', true],
  ['*.service.example', true],
  ['rvice.example', false],
  ['other.example, service.example:443', true],
  ['other.example service.example:8443', false],
  ['*', true],
  ['', false],
  ['10.0.0.0/8', false],
])('NO_PROXY %j excludes console.service.example: %s', async (value, out) => {
  for (const name of ['NO_PROXY', 'no_proxy'])
    expect(await named({ HTTPS_PROXY: 'http://one:1', [name]: value })).toEqual([out ? 'direct' : 'one:1']);
});

test.each([
  ['10.0.0.0/8', 'https://10.2.3.4', true],
  ['10.0.0.0/8', 'https://11.2.3.4', false],
  ['10.0.0.0/99', 'https://10.2.3.4', false],
  ['10.2.3.4', 'https://10.2.3.4:8443', true],
  ['2.3.4', 'https://10.2.3.4', false],
  ['münchen.example', 'https://konsole.münchen.example', true],
  ['*.MÜNCHEN.example:443', 'https://xn--mnchen-3ya.example', true],
  ['xn--mnchen-3ya.example', 'https://münchen.example', true],
  ['munchen.example', 'https://münchen.example', false],
  ['10.2', 'https://10.0.0.2', false],
  ['fd00::/8', 'https://[fd12::1]', true],
  ['fd12::1', 'https://[fd12::1]', true],
  ['[fd12::1]:443', 'https://[fd12::1]', true],
  ['[fd12::1]:444', 'https://[fd12::1]', false],
])('NO_PROXY %j for %s: %s', async (value, address, out) => {
  expect(await named({ HTTPS_PROXY: 'http://one:1', NO_PROXY: value }, new URL(address))).toEqual([
    out ? 'direct' : 'one:1',
  ]);
});

test('without variables the system’s settings apply, by origin and cached', async () => {
  const system = vi.fn(
    async (_: string) => 'PROXY one.example:8080; HTTPS two.example; SOCKS5 three:1080; DIRECT',
  );
  const routes = createRoutes({}, system);
  expect((await routes(SERVICE)).map((route) => route && [route.kind, route.name])).toEqual([
    ['http', 'one.example:8080'],
    ['https', 'two.example:443'],
    ['unsupported', 'three:1080'],
    null,
  ]);
  await routes(new URL('https://console.service.example/other'));
  expect(system.mock.calls).toEqual([['https://console.service.example/']]);
  expect(
    await createRoutes({ NO_PROXY: 'service.example', HTTPS_PROXY: 'http://one:1' }, system)(SERVICE),
  ).toEqual([null]);
  expect(system).toHaveBeenCalledTimes(1);
});

test('[limit 10 s] the system’s settings are read again after ten seconds, as a laptop changes networks', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const system = vi.fn(async () => 'PROXY one:1');
  const routes = createRoutes({}, system);
  await routes(SERVICE);
  clock.mockReturnValue(10_999);
  await routes(SERVICE);
  expect(system).toHaveBeenCalledTimes(1);
  system.mockResolvedValue('DIRECT');
  clock.mockReturnValue(11_000);
  expect(await routes(SERVICE)).toEqual([null]);
  clock.mockRestore();
});

test.each(['DIRECT', '', 'nonsense', 'PROXY'])(
  'the system’s answer %j means a direct connection',
  async (answer) => {
    expect(await createRoutes({}, async () => answer)(SERVICE)).toEqual([null]);
  },
);

test('unreadable settings of the system mean no proxy', async () => {
  expect(await createRoutes({}, () => Promise.reject(new Error('gone')))(SERVICE)).toEqual([null]);
});
