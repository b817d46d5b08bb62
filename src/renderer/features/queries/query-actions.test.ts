import { beforeEach, expect, it } from 'vitest';
import { startConnections } from '#renderer/state/connection.ts';
import { blankQuery, createDraft, currentDraft, isDraftDirty } from '#renderer/state/drafts.ts';
import { useTabs } from '#renderer/state/tabs.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { closeToast, readToasts } from '#renderer/ui/toaster.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { editQuery } from './draft-edit.ts';
import { guardUnsaved, saveDraft } from './query-actions.ts';

let sent: NewQuery[];
/** Runs while the service saves a query. */
let meanwhile: () => void;
setWindowBridge(
  fakeBridge({
    call: async (name: string, input: { body?: NewQuery; endpoint?: string }) => {
      if (name === 'connections.list')
        return {
          connections: [{ id: 'c' }],
          state: { connectionId: 'c', phase: 'online', since: 1, latencyMs: 1, error: null },
        };
      if (name !== 'service.send' || input.endpoint !== 'query.save' || !input.body) return {};
      sent.push(input.body);
      meanwhile();
      return { data: { ...input.body, id: 'saved', status: 'saved' } };
    },
    stream: async () => ({}),
  }),
);

let id: string;
const rename = (name: string) => editQuery(id, (query) => ({ ...query, name }));
beforeEach(async () => {
  // The files of a run share the tabs.
  useTabs.setState({ tabs: [], dirty: new Set() });
  sent = [];
  meanwhile = () => {};
  await startConnections();
  ({ id } = createDraft());
});

it('a query without a name is not sent', async () => {
  rename('   ');
  expect(await saveDraft(id)).toBe(false);
  expect(sent).toEqual([]);
});

it('a new query is saved under its trimmed name, without an id, and has no unsaved changes afterwards', async () => {
  rename('  Overdue ');
  expect(await saveDraft(id)).toBe(true);
  expect(sent).toMatchObject([{ name: 'Overdue' }]);
  expect(sent[0]?.id).toBeUndefined();
  const draft = currentDraft(id);
  expect(draft).toMatchObject({ savedId: 'saved', query: { id: 'saved', name: 'Overdue' } });
  expect(draft && isDraftDirty(draft)).toBe(false);
});

it('edits made while saving stay unsaved changes', async () => {
  rename('First');
  meanwhile = () => rename('Second');
  expect(await saveDraft(id)).toBe(true);
  const draft = currentDraft(id);
  expect(draft).toMatchObject({ savedId: 'saved', saved: { name: 'First' }, query: { name: 'Second' } });
  expect(draft && isDraftDirty(draft)).toBe(true);
});

it('a refused save leaves the draft unchanged', async () => {
  rename('Refused');
  meanwhile = () => {
    throw new ParapetError('bad-request', 'No', { data: { field: 'name', serviceMessage: 'Taken' } });
  };
  expect(await saveDraft(id)).toBe(false);
  expect(currentDraft(id)).toMatchObject({ savedId: null, saved: null, query: { name: 'Refused' } });
});

it('an unedited query opened from a value closes without a toast', () => {
  guardUnsaved();
  // The files of a run share the toasts.
  for (const { id: toast } of readToasts()) closeToast(toast);
  const filter = {
    operator: 'and' as const,
    conditions: [{ field: 'user', operator: 'is', values: ['m@a.example'] }],
  };
  const close = (draftId: string) => {
    const tab = {
      id: draftId,
      route: { screen: 'query' as const, draftId },
      title: 'Who clicked',
      connectionId: 'c',
    };
    useTabs.setState({ tabs: [tab], dirty: new Set([draftId]) });
    useTabs.setState({ tabs: [] });
    return readToasts().flatMap(({ title }) => (title.startsWith('Closed') ? [title] : []));
  };
  const draft = createDraft(
    { ...blankQuery('click'), filter },
    { origin: { route: { screen: 'home' }, title: 'Home' } },
  );
  expect(close(draft.id)).toEqual([]);
  editQuery(draft.id, (query) => ({ ...query, severity: 5 }));
  expect(close(draft.id)).toEqual(['Closed “New query” with unsaved changes']);
  expect(close(createDraft({ ...blankQuery('click'), filter }).id)).toEqual([
    'Closed 2 queries with unsaved changes',
  ]);
});

it('queries closed together or one after the other are reported in one toast and reopen together', () => {
  guardUnsaved();
  for (const { id: toast } of readToasts()) closeToast(toast);
  const drafts = [createDraft(), createDraft(), createDraft()];
  for (const draft of drafts) editQuery(draft.id, (query) => ({ ...query, severity: 4 }));
  const tabs = drafts.map((draft) => ({
    id: draft.id,
    route: { screen: 'query' as const, draftId: draft.id },
    title: 'New query',
    connectionId: 'c',
  }));
  useTabs.setState({ tabs, dirty: new Set(drafts.map((draft) => draft.id)) });
  useTabs.setState({ tabs: tabs.slice(0, 2) });
  expect(readToasts().map(({ title }) => title)).toEqual(['Closed “New query” with unsaved changes']);
  useTabs.setState({ tabs: [] });
  const [toast, ...others] = readToasts();
  expect([toast?.title, others]).toEqual(['Closed 3 queries with unsaved changes', []]);
  toast?.action?.run();
  expect(new Set(useTabs.getState().tabs.map(({ route }) => 'draftId' in route && route.draftId))).toEqual(
    new Set(drafts.map((draft) => draft.id)),
  );
});

it('a save pressed again before the service has answered is sent once; the next one is sent again', async () => {
  rename('Pressed twice');
  const both = [saveDraft(id), saveDraft(id)];
  expect(await Promise.all(both)).toEqual([true, true]);
  expect(sent).toHaveLength(1);
  sent = [];
  ({ id } = createDraft());
  rename('Refused once');
  meanwhile = () => {
    throw new ParapetError('server-error', 'No');
  };
  await saveDraft(id);
  await saveDraft(id);
  expect(sent).toHaveLength(2);
});

it.each(['timeout', 'unreachable', 'truncated'] as const)(
  'a save that fails with %s is unknown',
  async (code) => {
    rename('Lost');
    meanwhile = () => {
      throw new ParapetError(code, 'No answer.');
    };
    expect(await saveDraft(id)).toBe(false);
    expect(readToasts().at(-1)).toMatchObject({ title: 'Save “Lost”: unknown, may have arrived' });
  },
);
