import confusables from 'unhomoglyph/data.json' with { type: 'json' };
import { describe, expect, it, test } from 'vitest';
import { homograph, lookalikeReader, readLookalikes } from './lookalike.ts';

const read = lookalikeReader(['nordlicht-logistik.example', 'modern.example', 'www.paypal.example']);

function marked(value: string, reader = read): string[] {
  const { shown, marks } = reader(value);
  return marks.map(({ start, end, reason }) => `${shown.slice(start, end)} ${reason}`);
}

describe('a look-alike character is marked amber', () => {
  test.each([
    ['billing@nordlicht-logistlk.example', ['l imitates-known'], 'nordlicht-logistik.example'],
    ['paypa1.example', ['1 imitates-known'], 'paypal.example'],
    ['mail.modem.example', ['m imitates-known'], 'modern.example'],
    ['rnodern.example', ['rn imitates-known'], 'modern.example'],
    ['paypаl.example', ['xn--paypl-7ve other-script'], 'paypal.example'],
    ['xn--paypl-7ve.example', ['xn--paypl-7ve other-script'], 'paypal.example'],
    ['pay\u{200b}pal.example', ['\u{200b} invisible'], 'paypal.example'],
    ['paypal.example', [], null],
    ['PayPal.example', [], null],
    ['login.paypal.example', [], null],
    ['other.example', [], null],
  ])('%s', (value, marks, imitates) => {
    expect(marked(value)).toEqual(marks);
    expect(read(value).imitates).toBe(imitates);
  });

  test.each<[string, string[]]>([
    ['g00gle.example', []],
    ['g0ogle.example', ['0 digit']],
    ['examp1e.test', ['1 digit']],
    ['mx1.mail-out7.a.example', []],
    ['office365.example', []],
    ['paypaI.example', ['I capital-i']],
    ['IBM.example', []],
    ['аррӏе.example', ['xn--80ak6aa92e other-script']],
    ['яндекс.example', []],
    ['例え.example', []],
    ['søren.ågård@aldermoor.example', []],
    ['ınvoice.example', ['xn--nvoice-o9a other-script']],
    ['ạ.example', ['xn--nkg other-script']],
    ['ｇ.example', ['ｇ look-alike-letter']],
    ['m\u{202e}x@a.example', ['\u{202e} invisible']],
    ['', []],
  ])('without known domains: %s', (value, marks) => expect(marked(value, readLookalikes)).toEqual(marks));

  test.each(['xn--', 'xn--paypal-', 'xn--paypal-.example', 'xn--\0\0', 'XN--99999999999999'])(
    '%j is not decoded',
    (value) => {
      expect(read(value).shown).toBe(value);
    },
  );
  it.each([
    ['service@xn--bcher-kva.example', 'service@bücher.example', null],
    ['service@xn--pypal-4ve.com', 'service@xn--pypal-4ve.com', 'service@pаypal.com'],
    ['xn--80ak6aa92e.com', 'xn--80ak6aa92e.com', 'аррӏе.com'],
    ['xn--d1acpjx3f.xn--p1ai', 'яндекс.рф', null],
    ['xn--gg-gg-h1f.example', 'xn--gg-gg-h1f.example', 'gg-ԛgg.example'],
    ['plain.example', 'plain.example', null],
    ['l.petrova@аррӏе.example', 'l.petrova@xn--80ak6aa92e.example', 'l.petrova@аррӏе.example'],
    ['bücher.example', 'bücher.example', null],
  ])('%s is decoded only if its letters cannot be mistaken for others', (value, shown, readsAs) => {
    const reading = readLookalikes(value);
    expect([reading.shown, reading.readsAs]).toEqual([shown, readsAs]);
    expect(reading.encoded).toBe(/xn--/.test(value) && shown !== value ? value : null);
    expect(reading.marks.length > 0).toBe(readsAs !== null);
  });
  it.each([
    ['l.petrova@аррӏе.example', 'l.petrova@xn--80ak6aa92e.example', 'apple.example'],
    ['xn--80ak6aa92e.com', 'xn--80ak6aa92e.com', 'apple.com'],
    // Variants of Latin letters, which programs read as the plain ones: there is no Punycode for them.
    ['team@𝗲𝗱𝗲𝗸𝗮-𝗴𝗲𝗿𝗺𝗮𝗻𝘆.example', 'team@𝗲𝗱𝗲𝗸𝗮-𝗴𝗲𝗿𝗺𝗮𝗻𝘆.example', 'edeka-germany.example'],
    ['ⓟaypal.example', 'ⓟaypal.example', 'paypal.example'],
  ])('%s is shown in Punycode if it has one, with the domain that it imitates', (value, shown, looksLike) => {
    expect(homograph(value)).toEqual({ shown, looksLike });
  });
  it.each(['a@apple.example', 'яндекс.рф', 'xn--bcher-kva.example', 'søren@ågård.example', ''])(
    '%s imitates no domain',
    (value) => expect(homograph(value)).toBeNull(),
  );
  it('a known domain is not marked', () => {
    expect(lookalikeReader(['сору.example'])('сору.example')).toMatchObject({
      shown: 'сору.example',
      marks: [],
    });
  });
  it('marks every letter that Unicode lists as confusable with an ASCII one', () => {
    const letters = Object.entries(confusables).filter(
      ([char, to]) => /^\p{Ll}$/u.test(char) && char > '\x7f' && /^[a-z]$/i.test(to),
    );
    expect(letters.length).toBeGreaterThan(100);
    const unmarked = letters.filter(([char]) => readLookalikes(`pay${char}pal.example`).marks.length === 0);
    expect(unmarked).toEqual([]);
  });
  it('accepts hostile text', () => {
    for (const piece of ['a', '.', '@', 'xn--', 'rn', '\u{200b}', '\u{d800}', '😀', 'İ', '0']) {
      for (const count of [1, 60, 200_000]) expect(read(piece.repeat(count)).shown.length).toBeGreaterThan(0);
    }
    expect(read('a.example.').marks).toEqual([]);
  });
});
