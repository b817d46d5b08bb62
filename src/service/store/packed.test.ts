import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldText } from '#shared/query/text.ts';
import { packRaw, packText, unpackRaw, unpackText } from './packed.ts';

const text = fc.oneof(
  fc.string({ maxLength: 3_000, unit: 'grapheme-ascii' }),
  fc.string({ maxLength: 300, unit: 'grapheme' }),
  fc.nat(2_000).map((gap) => `${'a'.repeat(gap)}B${'c'.repeat(255)}DE${'f'.repeat(510)}G${'h'.repeat(gap)}`),
  fc.constantFrom('', 'A', 'ALL OF IT', 'İstanbul ẞ ǅ', 'no capitals'),
);

describe('a text packed beside its folded form', () => {
  it('is restored exactly', () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(unpackText(packText(one), foldText(one))).toBe(one);
      }),
    );
  });

  it('can be read in the form of earlier versions', () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(unpackText(deflateRawSync(one, { level: 1 }), foldText(one))).toBe(one);
      }),
    );
  });
});

describe('the stored parts of a mail', () => {
  const nothing = fc.constant(null);
  const some = fc.string({ minLength: 1, maxLength: 2_000, unit: 'grapheme' });
  const raw = fc.record({
    headers: fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
    html: fc.oneof(nothing, some),
    text: fc.oneof(nothing, some),
    inline: fc.oneof(nothing, some),
  });

  it('is restored exactly', () => {
    fc.assert(
      fc.property(raw, (one) => {
        expect(unpackRaw(packRaw(one))).toEqual(one);
      }),
    );
  });

  it('can be read in the form of earlier versions, one stream per column', () => {
    const packed = (one: string | null) => (one === null ? null : gzipSync(one, { level: 1 }));
    fc.assert(
      fc.property(raw, (one) => {
        const { headers, html, text: plain, inline } = one;
        const columns = { html: packed(html), text: packed(plain), inline: packed(inline) };
        expect(unpackRaw({ headers: gzipSync(headers, { level: 1 }), ...columns })).toEqual(one);
      }),
    );
  });
});
