import { beforeEach, expect, it } from 'vitest';
import type { JournalEntry } from '#shared/bridge/operations.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { startConnections } from './connection.ts';
import { undoOf } from './undo.ts';
import { setWindowBridge } from './window-bridge.ts';

const calls: { name: string; input: unknown }[] = [];
const state = { connectionId: 'c', phase: 'online', since: 1, latencyMs: 1, error: null };
const bridge = fakeBridge({
  call: (name: string, input: unknown) => {
    calls.push({ name, input });
    return Promise.resolve(
      name === 'connections.list'
        ? { connections: [{ id: 'c', name: 'Tenant' }], state }
        : { data: { success: true } },
    );
  },
});

beforeEach(async () => {
  setWindowBridge(bridge);
  await startConnections();
  calls.length = 0;
});

const entry = (change: Partial<JournalEntry>): JournalEntry => ({
  id: 7,
  at: 1,
  connectionId: 'c',
  who: null,
  endpoint: 'manual-actions.create',
  about: 'Invoice overdue',
  request: JSON.stringify({
    body: {
      entity_ids: ['e1'],
      entity_type: 'email',
      data: { action: 'quarantine', reason: 'Phishing' },
      date_trigger: null,
    },
  }),
  outcome: 'done',
  message: null,
  action: null,
  ...change,
});

it('a response to one email is undone by its inverse, with its name and reason', () => {
  undoOf(entry({}))?.();
  expect(calls).toMatchObject([
    {
      name: 'service.send',
      input: {
        endpoint: 'manual-actions.create',
        about: 'Invoice overdue',
        body: {
          entity_ids: ['e1'],
          data: { action: 'restore', reason: 'Undo: Phishing' },
          date_trigger: null,
        },
      },
    },
  ]);
});

const counts = { pending: 0, sending: 0, done: 2, failed: 0, 'not-sent': 0, unknown: 0 };
const acted = (actionId: string, change: object = {}) =>
  entry({
    endpoint: 'query.action',
    action: { actionId, counts, undone: false, ...change } as NonNullable<JournalEntry['action']>,
  });

it('an action is undone by the core, which knows its targets', () => {
  undoOf(acted('quarantine'))?.();
  expect(calls).toEqual([{ name: 'actions.undo', input: { journalId: 7 } }]);
});

it.each([
  ['a failed entry', entry({ outcome: 'failed' })],
  ['a running entry', entry({ outcome: 'running' })],
  ['an entry of another connection', entry({ connectionId: 'other' })],
  ['an action without an inverse', acted('delete')],
  ['an action that was undone', acted('quarantine', { undone: true })],
  ['an action without a completed target', acted('quarantine', { counts: { ...counts, done: 0 } })],
  ['a scheduled response', entry({ request: entry({}).request.replace('null', '"2026-12-01T00:00:00Z"') })],
  ['a rescan', entry({ endpoint: 'entity.rescan' })],
])('%s offers no Undo', (_, one) => expect(undoOf(one)).toBeNull());
