import { describe, expect, test } from 'vitest';
import { LINK_MAX, parseLink } from './link.ts';

describe('links', () => {
  test.each([
    ['parapet://home', { to: 'home' }],
    ['parapet://home/', { to: 'home' }],
    ['PARAPET://Login-Map', { to: 'login-map' }],
    ['parapet://query/4711', { to: 'query', id: '4711' }],
    ['parapet://email/office365_emails/9f3a', { to: 'email', saas: 'office365_emails', entityId: '9f3a' }],
    ['parapet://email/gmail/9f3a/', { to: 'email', saas: 'gmail', entityId: '9f3a' }],
    [
      'parapet://user/azure_ad/ann%40tenant.example',
      { to: 'user', saas: 'azure_ad', entityId: 'ann@tenant.example' },
    ],
    // Decoded once: a second encoding stays part of the id.
    ['parapet://file/box/a%252Fb', { to: 'file', saas: 'box', entityId: 'a%2Fb' }],
    ['parapet://file/box/caf%C3%A9', { to: 'file', saas: 'box', entityId: 'café' }],
  ])('%s', (text, place) => {
    expect(parseLink(text)).toEqual({ ok: true, link: { place, connectionId: null } });
  });

  test('can name a connection', () => {
    expect(parseLink('parapet://stack?connection=0b5e-1')).toEqual({
      ok: true,
      link: { place: { to: 'stack' }, connectionId: '0b5e-1' },
    });
  });

  test.each([
    'parapet:',
    'parapet://',
    'parapet:home',
    'parapet:/home',
    'parapet:///home',
    'https://home',
    ' parapet://home',
    'parapet://home\n',
    'parapet://home\0',
    'parapet://nowhere',
    'parapet://home/extra',
    'parapet://home//',
    'parapet://query',
    'parapet://query/1/2',
    'parapet://email/gmail',
    'parapet://email/gmail/1/quarantine',
    'parapet://email/gmail//1',
    'parapet://email/../1',
    'parapet://email/gmail/..',
    'parapet://email/gmail/%2e%2e',
    'parapet://email/gmail/%2E',
    'parapet://email/g%2Fm/1',
    // Not UTF-8, half an escape, an invisible character, a direction override, two lines.
    'parapet://email/gmail/%ff',
    'parapet://email/gmail/%C0%AE%C0%AE',
    'parapet://email/gmail/%4',
    'parapet://email/gmail/%zz',
    'parapet://email/gmail/a%00b',
    'parapet://email/gmail/a%0D%0Ab',
    'parapet://email/gmail/a%E2%80%AEb',
    'parapet://email/gmail/a%E2%80%8Bb',
    'parapet://email/gmail/%20a',
    'parapet://email/gmail/café',
    'parapet://email/gmail/a"b',
    'parapet://email/gmail/a b',
    'parapet://email/gmail/a\\b',
    `parapet://email/gmail/${'a'.repeat(513)}`,
    // Credentials, ports, actions, other parameters, fragments.
    'parapet://user:secret@home',
    'parapet://home:80',
    'parapet://quarantine/gmail/1',
    'parapet://connect/https%3A%2F%2Fevil.example',
    'parapet://email/gmail/1?action=quarantine',
    'parapet://home?connect=https://evil.example',
    'parapet://home?connection=',
    'parapet://home?connection=a&connection=b',
    'parapet://home?connection=a%20b',
    'parapet://home?connection=a&x=1',
    'parapet://home?',
    'parapet://home#token=1',
    'parapet://home" --connect=https://evil.example',
    'parapet://__proto__',
    'parapet://constructor',
    'javascript:alert(1)',
    `parapet://email/gmail/${'a'.repeat(LINK_MAX)}`,
  ])('refuses %j, and says why without repeating it', (text) => {
    const parsed = parseLink(text);
    expect(parsed).toEqual({ ok: false, reason: expect.stringMatching(/^The link .*\.$/) });
    for (const part of ['evil', 'secret', 'quarantine', 'token'])
      expect(JSON.stringify(parsed)).not.toContain(part);
  });

  test('a longer text is refused by its length, before anything reads it', () => {
    const link = (length: number) => parseLink('parapet://email'.padEnd(length, '/a'));
    const tooLong = { ok: false, reason: `The link is longer than ${LINK_MAX} characters.` };
    for (const length of [LINK_MAX - 1, LINK_MAX]) expect(link(length)).not.toEqual(tooLong);
    for (const length of [LINK_MAX + 1, 5_000_000]) expect(link(length)).toEqual(tooLong);
  });
});
