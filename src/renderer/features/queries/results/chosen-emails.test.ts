import { expect, it } from 'vitest';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { MAX_EMAILS_AT_ONCE } from '#shared/bridge/operations.ts';
import { chosenEmails } from './chosen-emails.ts';
import { EVERYTHING, NOTHING, type Selection, withRows } from './selection.ts';
import type { Browse } from './use-browse.ts';

/** A bridge with these rows: null is a row without an id; `isListed`: whether the core still has it. */
function answering(rows: (string | null)[], isListed = (id: string) => id !== 'dropped') {
  const released: unknown[] = [];
  const call = async (name: string, input: Record<string, unknown>) => {
    if (name === 'results.matching') {
      const named = input['entityIds'] as string[] | undefined;
      const count = named ? rows.filter((id) => id !== null && named.includes(id)).length : rows.length;
      return { selectionId: 's', count };
    }
    if (name === 'results.selection')
      return { entityIds: rows.slice(input['start'] as number, input['end'] as number) };
    if (name === 'results.rows') {
      const ids = (input['entityIds'] as string[]).filter(isListed);
      // A result set may contain the same email twice.
      return {
        rows: [...ids, ...ids.slice(0, 1)].map((id) => ({ entity_id: id, saas: 'evidence', subject: id })),
      };
    }
    released.push(input['selectionId']);
    return {};
  };
  return { bridge: { call } as unknown as Pick<Bridge, 'call'>, released };
}
const browse = (selection: Selection) =>
  ({
    result: { id: 'r' },
    rows: { filter: {} },
    filtering: false,
    chosen: () => selection,
  }) as unknown as Browse;

it('rows without an id and rows that no longer exist are counted, not dropped', async () => {
  const { bridge, released } = answering(['a', null, 'b', 'dropped', null]);
  const { emails, left } = await chosenEmails(bridge, browse(EVERYTHING));
  expect(emails.map(({ entityId }) => entityId)).toEqual(['a', 'b']);
  expect(left).toEqual({ noId: 2, gone: 1, beyond: 0 });
  expect(released).toEqual(['s']);
});

it('[promise] selected rows that are no longer in any result are counted, too', async () => {
  const { bridge } = answering(['a']);
  const { emails, left } = await chosenEmails(bridge, browse(withRows(NOTHING, ['a', 'elsewhere'], true, 2)));
  expect(emails).toHaveLength(1);
  expect(left).toEqual({ noId: 0, gone: 1, beyond: 0 });
});

it.each([
  [MAX_EMAILS_AT_ONCE - 1, 0],
  [MAX_EMAILS_AT_ONCE, 0],
  [MAX_EMAILS_AT_ONCE + 1, 1],
])('[limit 500 emails] of %i emails, %i exceed the limit of one zip', async (count, beyond) => {
  const { bridge } = answering(Array.from({ length: count }, (_, index) => `e${index}`));
  const { emails, left } = await chosenEmails(bridge, browse(EVERYTHING));
  expect(emails).toHaveLength(count - beyond);
  expect(left).toEqual({ noId: 0, gone: 0, beyond });
});
