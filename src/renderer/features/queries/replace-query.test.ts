import { beforeEach, expect, it } from 'vitest';
import { startConnections } from '#renderer/state/connection.ts';
import { createDraft, currentDraft, updateDraft } from '#renderer/state/drafts.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { closeToast, readToasts } from '#renderer/ui/toaster.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Query } from '#shared/model/entities.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { saveDraft, updateSaved } from './query-actions.ts';
import { type ConflictChoice, overTheirs, replaceQuery, useEditConflict } from './replace-query.ts';
import { saveDraftSchedule, saveSchedule } from './schedule-actions.ts';

const read: Query = {
  id: 'q1',
  type: 'query',
  domain: 'email',
  entityType: 'email',
  name: 'User-reported',
  description: 'As it was',
  status: 'saved',
  columns: [],
  scheduledExport: null,
  updateTime: '2026-11-01T00:00:00.000Z',
};
const schedule = { emails: ['soc@a.example'], format: 'csv', frequency: 'daily', time: '07:00' };

let there: Query;
let sent: Query[];
/** Runs when an update arrives, before it is applied. */
let before: () => void;
setWindowBridge(
  fakeBridge({
    call: async (name: string, input: { body?: Query; endpoint?: string }) => {
      if (name === 'connections.list')
        return {
          connections: [{ id: 'c' }],
          state: { connectionId: 'c', phase: 'online', since: 1, latencyMs: 1, error: null },
        };
      if (name !== 'service.send' || input.endpoint !== 'query.update' || !input.body) return {};
      before();
      if (input.body.updateTime !== there.updateTime)
        throw new ParapetError('conflict', 'The query was changed since it was read');
      there = { ...input.body, updateTime: `${there.updateTime}+` };
      sent.push(there);
      return { data: there };
    },
    stream: async (name: string, _input: object, onEvent: (event: object) => void) => {
      if (name !== 'service.read') return {};
      const freshness = { fetchedAt: 1, source: 'network', offline: false };
      onEvent({ data: there, freshness, revalidating: false, error: null });
      return {};
    },
  }),
);
beforeEach(async () => {
  there = structuredClone(read);
  sent = [];
  before = () => {};
  await startConnections();
});

/** Answers the next conflict dialog. */
const answer = (choice: ConflictChoice): Promise<void> =>
  new Promise((resolve) => {
    const stop = useEditConflict.subscribe(({ open }) => {
      if (!open) return;
      stop();
      open.choose(choice);
      resolve();
    });
  });

it('a query that nobody else changed is saved without a dialog', async () => {
  const saved = await replaceQuery('q1', read, { ...read, name: 'Reported' });
  expect(saved).toMatchObject({ isSent: true, query: { name: 'Reported', description: 'As it was' } });
  expect(useEditConflict.getState().open).toBeNull();
});

it('another analyst’s changes are not overwritten: both versions are shown to choose from', async () => {
  there = { ...there, description: 'Theirs', status: 'running', updateTime: 'later' };
  const shown = new Promise((resolve) => {
    const stop = useEditConflict.subscribe(({ open }) => {
      if (!open) return;
      stop();
      resolve(open.conflict);
      open.choose('neither');
    });
  });
  expect(await replaceQuery('q1', read, { ...read, name: 'Mine' })).toBeNull();
  expect(await shown).toEqual({
    name: 'User-reported',
    theirs: [{ field: 'description', before: 'As it was', after: 'Theirs' }],
    mine: [{ field: 'name', before: 'User-reported', after: 'Mine' }],
  });
  expect(sent).toEqual([]);

  const mine = answer('mine');
  await replaceQuery('q1', read, { ...read, name: 'Mine' });
  await mine;
  expect(there).toMatchObject({ name: 'Mine', description: 'Theirs', status: 'running' });

  const theirs = answer('theirs');
  expect(await replaceQuery('q1', read, { ...read, name: 'Other' })).toMatchObject({
    isSent: false,
    query: { name: 'Mine' },
  });
  await theirs;
  expect(sent).toHaveLength(1);
});

it('a change at the time of the version that was read is noticed, and fields that a list omits are none', async () => {
  there = { ...there, description: 'Theirs' };
  const dialog = answer('neither');
  expect(await replaceQuery('q1', read, { ...read, name: 'Mine' })).toBeNull();
  await dialog;
  const { description: _, updateTime: __, ...listed } = read;
  for (const isTimed of [false, true]) {
    const changed: Query = {
      ...listed,
      name: there.name,
      ...(isTimed ? { updateTime: there.updateTime ?? null } : {}),
    };
    expect(await replaceQuery('q1', changed, { ...changed, name: `${there.name}+` })).toMatchObject({
      isSent: true,
    });
  }
  expect(there).toMatchObject({ name: 'User-reported++', description: 'Theirs' });
});

it('a status set by the service is kept without a dialog', async () => {
  there = { ...there, status: 'running', updateTime: 'later' };
  await replaceQuery('q1', read, { ...read, name: 'Mine' });
  expect(there).toMatchObject({ name: 'Mine', status: 'running' });
});

it('an edit between the check and the update is detected', async () => {
  let once = true;
  before = () => {
    if (once) there = { ...there, description: 'Theirs, just now', updateTime: 'later still' };
    once = false;
  };
  const chosen = answer('mine');
  await replaceQuery('q1', read, { ...read, name: 'Mine' });
  await chosen;
  expect(there).toMatchObject({ name: 'Mine', description: 'Theirs, just now' });
});

it('saving a schedule or the details detects conflicts, too', async () => {
  there = { ...there, name: 'Renamed by them', updateTime: 'later' };
  const first = answer('mine');
  expect(await saveSchedule(read, schedule, false)).toBeNull();
  await first;
  expect(there).toMatchObject({ name: 'Renamed by them', scheduledExport: { time: '07:00' } });
  const second = answer('neither');
  expect(await updateSaved(read, { description: 'Mine' })).toMatchObject({ code: 'cancelled' });
  await second;
  expect(there['description']).toBe('As it was');
});

it.each([
  ['a schedule', (id: string) => saveDraftSchedule(id, schedule, '', false), () => undefined],
  [
    'a query that is edited meanwhile',
    saveDraft,
    (id: string) => updateDraft(id, (now) => ({ ...now, query: { ...now.query, severity: 'low' } })),
  ],
])('saving %s leaves nothing that would undo their change with the next save', async (_, save, meanwhile) => {
  const { id } = createDraft(read);
  updateDraft(id, { query: { ...read, name: 'Mine' } });
  there = { ...there, description: 'Theirs', updateTime: 'later' };
  before = () => meanwhile(id);
  const dialog = answer('mine');
  await save(id);
  await dialog;
  expect(currentDraft(id)?.query).toMatchObject({ name: 'Mine', description: 'Theirs' });
  await saveDraft(id);
  expect(useEditConflict.getState().open).toBeNull();
  expect(there).toMatchObject({ name: 'Mine', description: 'Theirs' });
});

it('only fields that were changed here replace theirs', () => {
  const theirs = { ...read, name: 'Theirs', extra: 1 };
  expect(overTheirs(read, theirs, { ...read, severity: 4 })).toMatchObject({
    name: 'Theirs',
    extra: 1,
    severity: 4,
  });
});

const weekly = { emails: ['soc@a.example'], format: 'csv', frequency: 'weekly', day: 1, time: '07:00' };
const scheduled = { ...read, scheduledExport: { ...weekly, has_password: true, next_run: 'Monday' } };
/** As the form returns it: with empty fields, and without a password that is kept. */
const form = { ...scheduled.scheduledExport, week: null };

it('a schedule that somebody else removed stays removed unless it was changed here', async () => {
  there = { ...scheduled, scheduledExport: null, updateTime: 'later' };
  const first = answer('mine');
  expect(await saveSchedule(scheduled, form, true)).toMatchObject({
    message: expect.stringContaining('Somebody else removed this schedule'),
  });
  await first;
  expect(there.scheduledExport).toBeNull();
  const second = answer('mine');
  expect(await saveSchedule(scheduled, { ...form, time: '08:00', password: 'new' }, false)).toBeNull();
  await second;
  expect(there.scheduledExport).toMatchObject({ time: '08:00', password: 'new' });
});

it('a schedule is not saved without the password that the analyst kept', async () => {
  for (const theirs of [null, { ...weekly, has_password: false }]) {
    there = { ...scheduled, description: 'Theirs', scheduledExport: theirs, updateTime: 'later' };
    const dialog = answer('mine');
    expect(await saveSchedule(scheduled, { ...form, time: '08:00' }, false)).toMatchObject({
      field: 'scheduledExport.password',
      message: expect.stringContaining('Enter it again'),
    });
    await dialog;
  }
  expect(sent).toEqual([]);
});

it.each([
  ['a new one', scheduled, { ...form, password: 'new' }],
  ['none', scheduled, { ...form, password: '' }],
])('a password set to %s is shown as a change and saved', async (after, before, mine) => {
  there = {
    ...scheduled,
    scheduledExport: { ...scheduled.scheduledExport, time: '09:00' },
    updateTime: 'later',
  };
  const shown = new Promise<unknown>((resolve) => {
    const stop = useEditConflict.subscribe(({ open }) => {
      if (!open) return;
      stop();
      resolve(open.conflict.mine);
      open.choose('mine');
    });
  });
  expect(await saveSchedule(before, mine, false)).toBeNull();
  expect(await shown).toEqual([{ field: 'scheduledExport.password', before: 'set', after }]);
  expect(there.scheduledExport).toMatchObject({ time: '07:00', password: mine.password });
});

it('choosing their version is not reported as saved', async () => {
  for (const { id } of readToasts()) closeToast(id);
  there = { ...there, description: 'Theirs', updateTime: 'later' };
  const dialog = answer('theirs');
  expect(await saveSchedule(read, schedule, true)).toBeNull();
  await dialog;
  expect(sent).toEqual([]);
  expect(readToasts().map(({ title, detail }) => [title, detail])).toEqual([
    ['Kept the other version of “User-reported”', 'Nothing was sent.'],
  ]);
});

it('fields that a list without times omits are not taken for changes', async () => {
  const { description: _, updateTime: __, ...listed } = read;
  const { updateTime: ___, ...now } = read;
  there = now as Query;
  await replaceQuery('q1', listed as Query, { ...listed, name: 'Mine' });
  expect(there).toMatchObject({ name: 'Mine', description: 'As it was' });
  // Unless the field was changed here.
  const dialog = answer('neither');
  expect(
    await replaceQuery('q1', listed as Query, { ...listed, name: 'Mine', description: 'Mine' }),
  ).toBeNull();
  await dialog;
});

it('a second save is based on the first, so the analyst’s own change causes no conflict', async () => {
  let saved = read;
  const keep = (now: Query) => {
    saved = now;
  };
  expect(await updateSaved(read, { description: 'First' }, keep)).toBeNull();
  expect(await updateSaved(saved, { description: 'First, and more' }, keep)).toBeNull();
  expect(useEditConflict.getState().open).toBeNull();
  expect(there['description']).toBe('First, and more');
});
