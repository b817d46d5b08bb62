import { expect, it } from 'vitest';
import { readToasts } from '#renderer/ui/toaster.ts';
import { cancelled, ParapetError } from '#shared/bridge/errors.ts';
import { showFailure } from './show-failure.ts';

it('what the user cancelled is not told, what ended for another reason is', () => {
  showFailure('Not saved', cancelled());
  expect(readToasts()).toEqual([]);
  showFailure('Not saved', new ParapetError('cancelled', 'Parapet is closing.', { retryable: true }));
  showFailure('Not saved', new ParapetError('offline', 'No connection.'));
  expect(readToasts().map(({ detail }) => detail)).toEqual(['Parapet is closing.', 'No connection.']);
});
