import { expect, it } from 'vitest';
import { directionOf } from './text-direction.ts';

it.each([
  ['חשבונית לתשלום', 'rtl'],
  ['Re: تم تعليق حسابك', 'rtl'],
  ['123 פריטים', 'rtl'],
  ['Invoice חשבונית overdue', undefined],
  ['Re: 発注書', undefined],
  ['12:30', undefined],
  ['', undefined],
  // Hebrew only beyond the characters that are checked.
  [`${'a'.repeat(200)}${'א'.repeat(900)}`, undefined],
])('the direction of %j', (text, direction) => expect(directionOf(text)).toBe(direction));
