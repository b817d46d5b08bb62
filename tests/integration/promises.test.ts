import { expect, test } from 'vitest';
import { promisesIn } from '../../scripts/promises.ts';

test('a promise is a tagged title of a test, after the groups around it', () => {
  // Written with < so that the titles are no promises of this file.
  const text = `
describe('a mailbox', () => {
  describe.skipIf(process.platform === 'win32')('of Dovecot', () => {
    it.each(KINDS)(
      '<spec 7, limit 4 tries] is read %i times, the user\\'s way',
      (times) => expect(times).toBe(4),
    );
  });
  it('is no promise', () => {});
  it('<bad input] is damaged', () => {});
});
test("<promise] stands alone", () => {});
`.replaceAll('<', '[');
  expect(promisesIn('a.test.ts', text)).toEqual([
    {
      file: 'a.test.ts',
      tags: ['spec 7', 'limit 4 tries'],
      words: "a mailbox: of Dovecot: is read … times, the user's way",
    },
    { file: 'a.test.ts', tags: ['bad input'], words: 'a mailbox: is damaged' },
    { file: 'a.test.ts', tags: ['promise'], words: 'stands alone' },
  ]);
});
