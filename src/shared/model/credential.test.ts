import { expect, it } from 'vitest';
import { credentialProblem } from './credential.ts';

it.each(['', 'abc.DEF-123_~+/=', '  padded\n', '!~'])('%j can be sent', (text) =>
  expect(credentialProblem(text)).toBeNull(),
);

it.each(['two\nlines', 'two\r\nlines', 'two words', 'a\tb', 'a\u0000b', 'a\u007fb', 'a\u00a0b'])(
  '%j is not one line of visible characters',
  (text) => expect(credentialProblem(text)).toMatch(/line break/),
);

it.each(['na\u00efve', 'a\u202eb', 'a\u200bb', 'a\u{1f511}'])('%j cannot be sent', (text) =>
  expect(credentialProblem(text)).toMatch(/cannot be sent/),
);
