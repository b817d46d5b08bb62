import { expect, test } from 'vitest';
import { cancelled, ParapetError } from '#shared/bridge/errors.ts';
import { listQueries } from './query-listing.ts';

const listing = (failure: ParapetError) =>
  listQueries(({ subtype }) =>
    subtype === 'template' ? Promise.reject(failure) : Promise.resolve({ queries: [] }),
  );

test('a list whose reader left between its calls is cancelled, not a list without some kinds of query', async () => {
  await expect(listing(cancelled())).rejects.toMatchObject({ code: 'cancelled' });
  await expect(listing(new ParapetError('server-error', 'failed'))).resolves.toMatchObject({
    unlisted: ['template'],
  });
});
