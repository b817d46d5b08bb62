import { expect, it } from 'vitest';
import { isArmored } from './locked.ts';

it.each([
  [1_972, true],
  [1_973, true],
  [1_974, false],
])('a PGP message that begins after %d characters of a text: %s', (before, told) => {
  const armor = '-----BEGIN PGP MESSAGE-----\r\n\r\njA0E\r\n';
  expect(isArmored(`${'x'.repeat(before - 1)}\n${armor}`)).toBe(told);
});

it('one that is quoted in a line is none', () => {
  expect(isArmored('> -----BEGIN PGP MESSAGE-----\n')).toBe(false);
});
