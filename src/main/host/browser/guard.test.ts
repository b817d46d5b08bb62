import { describe, expect, test } from 'vitest';
import { createSessions, randomToken, refusal } from './guard.ts';

const AUTHORITY = '127.0.0.1:4321';
const ask = (method: string, headers: Record<string, string>, upgrade = false) =>
  refusal({ method, header: (name) => headers[name], upgrade }, AUTHORITY);
const own = { host: AUTHORITY, origin: `http://${AUTHORITY}` };

describe('who may ask', () => {
  test.each([
    ['GET', { host: AUTHORITY }, false],
    ['GET', { host: AUTHORITY, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, false],
    ['GET', { ...own, 'sec-fetch-site': 'same-origin' }, false],
    ['POST', own, false],
    ['GET', own, true],
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
    ['a rebound name', 'GET', { host: 'evil.example:4321' }, false],
    ['localhost by name', 'GET', { host: 'localhost:4321' }, false],
    ['another port', 'GET', { host: '127.0.0.1:4322' }, false],
    ['no Host', 'GET', {}, false],
    ['a foreign Origin', 'POST', { ...own, origin: 'https://evil.example' }, false],
    ['a null Origin', 'POST', { ...own, origin: 'null' }, false],
    ['a page of another port', 'GET', { ...own, origin: 'http://127.0.0.1:80' }, true],
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
      'a frame elsewhere',
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

describe('sessions', () => {
  const token = randomToken();
  const sessions = createSessions(token, 4321);

  test('the token has 256 bits', () => expect(Buffer.from(token, 'base64url')).toHaveLength(32));

  test('the token is exchanged for a cookie that scripts and other sites cannot use', () => {
    const cookie = sessions.exchange(token);
    expect(cookie).toMatch(/^parapet-4321=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(token);
    expect(sessions.holds(`theme=dark; ${cookie?.split(';')[0]}`)).toBe(true);
  });

  test.each([
    undefined,
    '',
    'parapet-4321=',
    'parapet-4321=x',
    `parapet-4321=${token}`,
    `parapet-1=${token}`,
  ])('the cookie header %j opens nothing', (cookies) => expect(sessions.holds(cookies)).toBe(false));

  test.each(['', 'x', token.slice(1), `${token}x`])('the token %j is refused', (given) =>
    expect(sessions.exchange(given)).toBeNull(),
  );
});
