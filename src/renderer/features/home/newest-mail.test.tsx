// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import { mount } from '#tests/support/mount.tsx';
import { plainlyHolds } from '#tests/support/plain-evaluator.ts';
import { answering } from '#tests/support/reads.ts';
import { soon } from '#tests/support/soon.ts';
import { NewestMail } from './newest-mail.tsx';

let leave = async () => {};
afterEach(async () => {
  await leave();
  vi.useRealTimers();
  setActiveConnectionId(null);
});

/** The panel over these times of receipt, in ms from now; null: unknown. */
async function panel(connectionId: string, times: Readonly<Record<string, number | null>>) {
  const now = Date.now();
  const rows = Object.entries(times).map(([subject, time]) => ({
    entity_id: subject,
    saas: 'evidence',
    subject,
    received: time === null ? null : new Date(now + time).toISOString(),
  }));
  const newestFirst = rows.sort((a, b) => (b.received ?? '').localeCompare(a.received ?? ''));
  const bridge = answering(({ body }: { body: ExecutePayload }) => {
    const expected = newestFirst.filter((row) => plainlyHolds(body.condition, row, now));
    return { rows: expected.slice(0, body.size), total_rows: expected.length, search_after: null };
  });
  setActiveConnectionId(connectionId);
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <NewestMail importing={false} incomplete={null} />
    </BridgeProvider>,
  );
  leave = unmount;
  return {
    subjects: () => [...container.querySelectorAll('tbody button')].map(({ textContent }) => textContent),
    note: () => container.querySelector('[role="note"]')?.textContent,
  };
}

const DAY = 86_400_000;
const MINUTE = 60_000;

it('emails dated in the future are not the newest, but counted', async () => {
  const { subjects, note } = await panel('future', {
    'in a year': 365 * DAY,
    'in an hour': 60 * MINUTE,
    'two minutes ahead': 2 * MINUTE,
    yesterday: -DAY,
    undated: null,
  });
  await soon(() => expect(subjects()).toEqual(['two minutes ahead', 'yesterday', 'undated']));
  expect(note()).toMatch(
    /^2 emails with a time ahead of this machine’s clock \(\d{4}-.* UTC\) are left out\. Show$/,
  );
});

it('are ahead from the end of the next ten minutes on', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-27T10:00:01Z') });
  const bound = 20 * MINUTE - 1_000;
  const { subjects, note } = await panel('bound', { at: bound, before: bound - 1, past: -DAY });
  await soon(() => expect(subjects()).toEqual(['before', 'past']));
  await soon(() => expect(note()).toMatch(/^1 email with a time ahead .* is left out\. Show$/));
});

it('if all are in the future, they are shown: the clock of this machine may be wrong', async () => {
  const { subjects, note } = await panel('all', { b: 2 * DAY, a: DAY });
  await soon(() => expect(subjects()).toEqual(['b', 'a']));
  expect(note()).toContain('All emails have a time ahead of this machine’s clock');
});

it('without any, nothing is said', async () => {
  const { subjects, note } = await panel('past', { b: -DAY, a: -2 * DAY });
  await soon(() => expect(subjects()).toEqual(['b', 'a']));
  expect(note()).toBeUndefined();
});
