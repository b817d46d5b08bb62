import { expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { readIndicators } from './indicator-list.ts';

it('a pattern of STIX that is one long word is read in linear time', () =>
  expectLinear(80_000, (count) => {
    const pattern = `[domain-name:value = 'evil.test'] ${'a'.repeat(count)}`;
    const object = { type: 'indicator', pattern, pattern_type: 'stix' };
    expect(readIndicators(JSON.stringify({ type: 'bundle', objects: [object] }))).toMatchObject({
      count: 0,
      skipped: 1,
    });
  }));
