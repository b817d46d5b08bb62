import { expect, test } from 'vitest';
import { isNewer } from './update.ts';

const ORDER = [
  ...['0.9.9', '0.10.0', '1.0.0-beta.2', '1.0.0-beta.10', '1.0.0-rc.0', '1.0.0-rc.1', '1.0.0-rc.10', '1.0.0'],
  ...['1.0.1-beta.1', '1.0.1-rc.1', '1.0.1', '10.0.0'],
];

test('versions are ordered, each release after its previews', () => {
  for (const [index, version] of ORDER.entries())
    for (const [other, than] of ORDER.entries()) expect(isNewer(version, than)).toBe(index > other);
});

test.each(['', '1', '1.0', 'v1.0.0', '1.0.0.0', '1.0.0-alpha', '99999999.0.0', '1.0.0 ', '../1.0.0'])(
  '%j is not a version, and never newer',
  (text) => {
    expect(isNewer(text, '0.0.1')).toBe(false);
    expect(isNewer('9.0.0', text)).toBe(false);
  },
);
