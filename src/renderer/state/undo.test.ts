import { beforeEach, expect, it } from 'vitest';
import { readToasts } from '#renderer/ui/toaster.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Job } from '#shared/bridge/operations.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { soon } from '#tests/support/soon.ts';
import { startConnections } from './connection.ts';
import { showUndoable, type Undoable, undoOf, withdrawUndo } from './undo.ts';
import { setWindowBridge } from './window-bridge.ts';

const calls: { name: string; input: unknown }[] = [];
const state = { connectionId: 'c', phase: 'online', since: 1, latencyMs: 1, error: null };
let refusal: ParapetError | null = null;
const bridge = fakeBridge({
  call: async (name: string, input: unknown) => {
    calls.push({ name, input });
    if (name === 'connections.list') return { connections: [{ id: 'c', name: 'Tenant' }], state };
    if (refusal !== null) throw refusal;
    return {};
  },
});

beforeEach(async () => {
  setWindowBridge(bridge);
  await startConnections();
  calls.length = 0;
  refusal = null;
});

let lastId = 1;
const entry = (change: Partial<Undoable> = {}): Undoable => ({
  id: lastId++,
  connectionId: 'c',
  endpoint: 'query.action',
  inverse: 'restore',
  ...change,
});
const other = { label: 'Outcome', run: () => {} };
const labels = () => readToasts().map(({ action }) => action?.label);

it('[promise] however often it is pressed, Undo is sent once, and is then gone from the toast and every view', async () => {
  const undone = entry({ endpoint: 'manual-actions.create' });
  showUndoable({ intent: 'success', title: 'Quarantined' }, undone, other);
  expect(labels()).toEqual(['Undo']);
  const undo = undoOf(undone);
  undo?.();
  undo?.();
  expect(calls).toEqual([{ name: 'actions.undo', input: { journalId: undone.id } }]);
  expect(undoOf(undone)).toBeNull();
  expect(readToasts()).toEqual([]);
});

it('an undo of another window withdraws the one of this window', () => {
  const undone = entry();
  showUndoable({ intent: 'success', title: 'Quarantined' }, undone, other);
  withdrawUndo({ outcome: { journalId: 99, undoOf: undone.id } } as unknown as Job);
  expect(undoOf(undone)).toBeNull();
  expect(readToasts()).toEqual([]);
});

it.each([
  ['offline', true],
  ['not-allowed', false],
] as const)('an undo that ends with %s can be tried again: %s', async (code, again) => {
  refusal = new ParapetError(code, 'Nothing was sent.');
  const undone = entry();
  undoOf(undone)?.();
  await soon(() => expect(readToasts().map(({ title }) => title)).toEqual(['Not undone']));
  expect(undoOf(undone) !== null).toBe(again);
});

it.each([
  ['an entry of another connection', entry({ connectionId: 'other' })],
  ['an entry that nothing undoes', entry({ inverse: null })],
])('%s offers no Undo', (_, name) => {
  showUndoable({ intent: 'success', title: 'Done' }, name, other);
  expect(undoOf(name)).toBeNull();
  expect(labels()).toEqual(['Outcome']);
});
