import { expect, it } from 'vitest';
import { generatedPassword, passwordStrength, zipPassword } from './password-strength.ts';

it.each([
  ['', 'weak'],
  ['password', 'weak'],
  ['aaaaaaaaaaaaaaaaaaaa', 'weak'],
  ['12345678901234567890', 'weak'],
  ['abababababababababab', 'weak'],
  ['Tr0ub4dor&3', 'fair'],
  ['correct horse battery staple', 'strong'],
] as const)('%j is %s', (password, strength) => {
  expect(passwordStrength(password)).toBe(strength);
});

it('generates strong ones', () => {
  const random = Uint8Array.from({ length: 20 }, (_, index) => (index * 97) % 256);
  expect(generatedPassword(random)).toMatch(/^(\w{5}-){3}\w{5}$/);
  expect(passwordStrength(generatedPassword(random))).toBe('strong');
});

it.each([
  ['x'.repeat(98), true],
  ['x'.repeat(99), true],
  ['x'.repeat(100), false],
  ['é'.repeat(49), true],
  ['é'.repeat(50), false],
  ['🔒'.repeat(24), true],
  ['🔒'.repeat(25), false],
  ['', false],
])('%j can be the password of a zip: %s', (password, fits) => {
  expect(zipPassword.safeParse(password).success).toBe(fits);
});
