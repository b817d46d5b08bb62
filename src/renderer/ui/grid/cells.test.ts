import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it, vi } from 'vitest';
import { Cell, type CellContext, type CellType, cellText, cellTone, cellTooltip } from './cells.tsx';

const context: CellContext = { clock: 'utc', ownDomains: new Set() };

vi.setSystemTime('2026-11-19T12:00:00Z');

describe('cellText', () => {
  it.each<[unknown, CellType, string]>([
    [null, 'text', 'Unknown'],
    [undefined, 'count', 'Unknown'],
    ['', 'name', 'Empty'],
    [[], 'text', 'Empty'],
    [0, 'count', '0'],
    [184_200, 'count', '184.2K'],
    [9310, 'count', '9,310'],
    [2048, 'bytes', '2 KB'],
    [true, 'boolean', 'Yes'],
    ['2026-11-19T08:41:07Z', 'time', '11-19 08:41:07'],
    ['1969-12-31T23:59:59Z', 'time', '1969-12-31 23:59:59 UTC'],
    ['1989-12-31T23:59:59Z', 'time', '1989-12-31 23:59:59 UTC'],
    ['1990-01-01T00:00:00Z', 'time', '1990-01-01 00:00:00'],
    ['2099-12-31T23:59:59Z', 'time', '2099-12-31 23:59:59'],
    ['2100-01-01T00:00:00Z', 'time', '2100-01-01 00:00:00 UTC'],
    ['аррӏе.example', 'domain', 'xn--80ak6aa92e.example ≈ apple.example'],
    ['https://a.example/x', 'url', 'hxxps://a[.]example/x'],
    [['https://a.example/x', 'http://b.test'], 'url', 'hxxps://a[.]example/x, hxxp://b[.]test'],
    ['see https://a.example/x.', 'text', 'see hxxps://a[.]example/x.'],
    [['a', 'b', 'c', 'd', 'e'], 'text', 'a, b, c, +2'],
    ['many', 'count', 'many'],
    [{ verdict: 'grey_v2' }, 'verdict', 'grey_v2'],
    ['a\u202eb', 'text', 'a‹U+202E›b'],
    ['2026-02-30T00:00:00Z', 'time', '2026-02-30T00:00:00Z'],
    ['12345678901234567890', 'count', '12345678901234567890'],
    ['constructor', 'verdict', 'constructor'],
  ])('%j as %s is %j', (value, type, expected) => expect(cellText(value, type, context)).toBe(expected));
});

describe('[spec 4, spec 5, spec 8, spec 9] the tooltip of a cell has its exact value', () => {
  it.each<[unknown, CellType, string]>([
    [184_211, 'count', '184,211'],
    [2048, 'bytes', '2,048 bytes'],
    ['2026-11-19T08:41:07Z', 'time', '2026-11-19 08:41:07 UTC'],
    [{ verdict: 'not-scanned', error: true }, 'verdict', 'Not scanned · a tool answered with an error'],
    [
      'l.petrova@аррӏе.example',
      'address',
      'l.petrova@xn--80ak6aa92e.example\nLooks like apple.example, in letters of another script.',
    ],
    ['see https://a.example/x.', 'text', 'see hxxps://a[.]example/x.'],
    [['https://a.example/x', 'http://b.test'], 'url', 'hxxps://a[.]example/x\nhxxp://b[.]test'],
    [[{ tool: 'av', label: 'Antivirus', verdict: 'clean' }], 'stack', 'Antivirus: Clean'],
  ])('%j as %s says the whole value', (value, type, expected) =>
    expect(cellTooltip(value, type, context)).toBe(expected),
  );
});

describe('cellTone', () => {
  it('distinguishes unknown, zero and other values', () => {
    expect(cellTone(null, 'count')).toBe('pp-unknown');
    expect(cellTone(0, 'count')).toBe('pp-zero');
    expect(cellTone(0, 'text')).toBeNull();
    expect(cellTone(3, 'count')).toBeNull();
    expect(cellTone('аррӏе.example', 'domain')).toBe('pp-caution');
  });
  it('[promise] marks a text with hidden characters, which the tooltip shows', () => {
    for (const value of ['invoice\u202egpj.exe', ['a.pdf', 'b\u200b.exe']]) {
      expect(cellTone(value, 'text')).toBe('pp-caution');
      expect(cellTooltip(value, 'text', context)).toMatch(/‹U\+20[02][BE]›.*\n.*invisible/);
    }
    expect(cellTone('two\nlines', 'text')).toBeNull();
    expect(cellTooltip('two\nlines', 'text', context)).toBe('two lines');
  });
});

describe('Cell', () => {
  it.each(['т.петрова', 'аррӏе', 'xn--80ak6aa92e'])(
    'shows %j of one of our own domains as it is: it is no domain name',
    (local) => {
      const domains = { ...context, ownDomains: new Set(['aldermoor.example']) };
      const value = `${local}@aldermoor.example`;
      const markup = renderToStaticMarkup(
        createElement(Cell, { value, type: 'recipient', context: domains }),
      );
      expect(markup).toContain(`>${local}</span>`);
      expect(markup).not.toContain('pp-caution');
    },
  );
});
