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
      fc.property(text, (item) => {
        expect(unpackText(packText(item), foldText(item))).toBe(item);
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
      fc.property(raw, (item) => {
        expect(unpackRaw(packRaw(item))).toEqual(item);
      }),
    );
  });
});
