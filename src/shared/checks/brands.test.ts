import { expect, it } from 'vitest';
import { imitatedBy } from './brands.ts';

it.each([
  ['yandex-team.ru', null, 'yandex-team.xyz', 'contains'],
  ['gov-paypal.xyz', 'contains', 'paypal.com', null],
  ['yandex-team.work', 'contains', 'yandex-team.com', null],
])('%s imitates an organisation: %s; whatever was looked at before, %s: %s', (first, how, second, then) => {
  expect(imitatedBy(first)?.how ?? null).toBe(how);
  expect(imitatedBy(second)?.how ?? null).toBe(then);
});
