import { describe, expect, test, vi } from 'vitest';
import { createSessions, pathOf, refusal } from './guard.ts';

const AUTHORITY = '127.0.0.1:4321';
const ask = (method: string, headers: Record<string, string>, upgrade = false, target = '/') => {
  const hosts = headers['host']?.split(', ') ?? [];
  return refusal({ method, target, hosts, header: (name) => headers[name], upgrade }, AUTHORITY);
};
const genuine = { host: AUTHORITY, origin: `http://${AUTHORITY}` };

describe('access', () => {
  test.each([
    ['GET', { host: AUTHORITY }, false],
    ['GET', { host: AUTHORITY, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, false],
    ['GET', { ...genuine, 'sec-fetch-site': 'same-origin' }, false],
    ['POST', genuine, false],
    ['GET', genuine, true],
    [
      'GET',
      {
        host: AUTHORITY,
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
      },
      false,
    ],
  ])('%s %j upgrade %s passes', (method, headers, upgrade) => {
    expect(ask(method, headers as Record<string, string>, upgrade)).toBeNull();
  });

  test.each([
    ['a rebound host name', 'GET', { host: 'evil.example:4321' }, false],
    ['localhost by name', 'GET', { host: 'localhost:4321' }, false],
    ['another port', 'GET', { host: '127.0.0.1:4322' }, false],
    ['no Host', 'GET', {}, false],
    ['two Hosts', 'GET', { host: `${AUTHORITY}, ${AUTHORITY}` }, false],
    ['a foreign Origin', 'POST', { ...genuine, origin: 'https://evil.example' }, false],
    ['a null Origin', 'POST', { ...genuine, origin: 'null' }, false],
    ['a page of another port', 'GET', { ...genuine, origin: 'http://127.0.0.1:80' }, true],
    ['a post without Origin', 'POST', { host: AUTHORITY }, false],
    ['an upgrade without Origin', 'GET', { host: AUTHORITY }, true],
    [
      'a script tag elsewhere',
      'GET',
      {
        host: AUTHORITY,
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'no-cors',
        'sec-fetch-dest': 'script',
      },
      false,
    ],
    [
      'a frame on another site',
      'GET',
      {
        host: AUTHORITY,
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'iframe',
      },
      false,
    ],
    [
      'a page of another local port',
      'GET',
      { host: AUTHORITY, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      false,
    ],
  ])('%s is refused', (_what, method, headers, upgrade) => {
    expect(ask(method, headers as Record<string, string>, upgrade)).not.toBeNull();
  });
});

describe('the target', () => {
  test.each([
    ['/', '/'],
    ['/a?b', '/a?b'],
    [`http://${AUTHORITY}`, '/'],
    [`http://${AUTHORITY}/a?b`, '/a?b'],
    ['http://evil.example/', null],
    [`http://${AUTHORITY}.evil.example/`, null],
    [`http://${AUTHORITY}@evil.example/`, null],
    [`https://${AUTHORITY}/`, null],
    ['*', null],
    ['', null],
  ])('%s is the path %s', (target, path) => {
    expect(pathOf(target, AUTHORITY)).toBe(path);
    expect(ask('GET', genuine, false, target) === null).toBe(path !== null);
  });
});

describe('sessions', () => {
  const sessions = createSessions();
  const { token } = sessions;

  test('the token has 256 bits', () => expect(Buffer.from(token, 'base64url')).toHaveLength(32));

  test('the token and the secret exchanged for it are accepted, and differ', () => {
    const session = sessions.admit(token);
    expect(session).not.toBe(token);
    expect(sessions.admit(session ?? '')).toBe(session);
    expect(sessions.admit(token)).toBe(session);
  });

  test.each(['', 'x', token.slice(1), `${token}x`, token.toUpperCase(), `${token}\0`])(
    '%j is refused',
    (sessionToken) => expect(sessions.admit(sessionToken)).toBeNull(),
  );

  test('two runs share no secrets', () => expect(createSessions().admit(token)).toBeNull());

  test('[limit 120 s] a link works once, and only before it expires', () => {
    vi.useFakeTimers();
    try {
      const over = vi.fn();
      const link = sessions.link(over);
      expect(sessions.admit(link)).not.toBeNull();
      expect(sessions.admit(link)).toBeNull();
      expect(over).toHaveBeenCalledTimes(1);
      const late = sessions.link(over);
      vi.advanceTimersByTime(119_999);
      expect(over).toHaveBeenCalledTimes(1);
      vi.advanceTimersByTime(1);
      expect(over).toHaveBeenCalledTimes(2);
      expect(sessions.admit(late)).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });
});
