import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { pastedIndicator, splitRecipients, trimPasted } from './pasted.ts';

const ADDRESS = 'a@b.example';

describe('[promise] an address is recognised, whatever program it was copied from', () => {
  it.each([
    ['Excel: a no-break space', `\u00a0${ADDRESS}\u00a0`],
    ['a web page: a zero-width space', `${ADDRESS}\u200b`],
    ['a web page: a soft hyphen', 'a@b\u00ad.example'],
    ['a file with a byte order mark', `\ufeff${ADDRESS}`],
    ['a right-to-left text: marks around it', `\u202a${ADDRESS}\u202c`],
    ['a chat: isolates around it', `\u2068${ADDRESS}\u2069`],
    ['Word: quotes', `\u201c${ADDRESS}\u201d`],
    ['Word in German: quotes', `\u201e${ADDRESS}\u201c`],
    ['Outlook: single quotes', `'${ADDRESS}'`],
    ['a link', `mailto:${ADDRESS}?subject=x`],
    ['a recipient', `Ann Example <${ADDRESS}>`],
    ['a recipient, quoted', `"Example, Ann" <${ADDRESS}>`],
    ['Outlook: a link in plain text', `${ADDRESS}<mailto:${ADDRESS}>`],
    ['brackets alone', `<${ADDRESS}>`],
    ['a directory', `Ann Example (${ADDRESS})`],
    ['a ticket', 'a[@]b[.]example'],
    ['a ticket, with a name', 'Ann <a[@]b[.]example>'],
  ])('%s', (_, text) => expect(pastedIndicator(text, 'email')).toBe(ADDRESS));

  it.each(['"john doe"@b.example', 'o\u2019brien@b.example', 'a@b.example, c@d.example', 'a', ''])(
    '%j is unchanged',
    (text) => expect(pastedIndicator(text, 'email')).toBe(text),
  );
});

it('an address of many at signs is read in linear time', () =>
  expectLinear(20_000, (count) => pastedIndicator(`<${'a@'.repeat(count)}`, 'email')));

describe('other indicators', () => {
  it.each([
    ['hash', 'MD5: D41D8CD98F00B204E9800998ECF8427E', 'D41D8CD98F00B204E9800998ECF8427E'],
    ['hash', '\u200ed41d8cd98f00b204e9800998ecf8427e', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['hash', 'sha-256 = 00', '00'],
    ['domain', 'b\u200b.example', 'b.example'],
    ['domain', '«b[.]example»', 'b.example'],
    ['ip', '\u202d192.0.2.1\u202c', '192.0.2.1'],
    ['url', '<https://b.example/x>', 'https://b.example/x'],
    ['url', 'b.example<hxxps://b[.]example/x>', 'https://b.example/x'],
    ['url', 'https://b\u200b.example/a\u200db', 'https://b.example/a\u200db'],
    ['url', 'https://b.example/?q=<x>', 'https://b.example/?q=<x>'],
  ])('%s %j', (kind, text, value) => expect(pastedIndicator(text, kind)).toBe(value));
});

it('only the ends of a text are trimmed, in linear time', () => {
  expect(trimPasted('\u200b \ufeffin\u200bvoice\u00a0\u200e')).toBe('in\u200bvoice');
  expect(trimPasted(' \u200b ')).toBe('');
  return expectLinear(200_000, (count) => trimPasted(`${' \u200b'.repeat(count)}x${' '.repeat(count)}`));
});

describe('a list of recipients', () => {
  it.each([
    [
      'Outlook',
      'Example, Ann <a@b.example>; Doe, Jo <jo@b.example>',
      ['Ann <a@b.example>', 'Jo <jo@b.example>'],
    ],
    [
      'Gmail',
      '"Example, Ann" <a@b.example>, Jo <jo@b.example>,',
      ['Ann" <a@b.example>', 'Jo <jo@b.example>'],
    ],
    ['an address before a name', 'x@c.example, Ann <a@b.example>', ['x@c.example', 'Ann <a@b.example>']],
    ['a domain before a name', 'c.example, Ann <a@b.example>', ['c.example', 'Ann <a@b.example>']],
    ['lines', 'a@b.example\r\njo@b.example\r\n', ['a@b.example', 'jo@b.example']],
    ['a name that no address follows', 'Example; jo@b.example', ['Example', 'jo@b.example']],
  ])('%s', (_, text, parts) => expect(splitRecipients(text).map((part) => part.trim())).toEqual(parts));

  it('is split in linear time', () => expectLinear(40_000, (count) => splitRecipients('a, '.repeat(count))));
});
