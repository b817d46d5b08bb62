// @vitest-environment happy-dom
/** Dialogs of a query take the saved version, say so while the one on screen differs, and offer to save it first. */
import { useState } from 'react';
import { expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { startConnections } from '#renderer/state/connection.ts';
import { createDraft, currentDraft, updateDraft, useDraft } from '#renderer/state/drafts.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { Query } from '#shared/model/entities.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { type QueryDialog, QueryDialogs } from './builder/query-dialogs.tsx';
import { exportDraft } from './query-files.ts';

const SAVED: Query = {
  ...{ id: 'q', type: 'query', domain: 'email', entityType: 'email', name: 'Invoices' },
  columns: [],
  scheduledExport: { emails: ['soc@a.example'], format: 'csv', frequency: 'daily', time: '06:00' },
};

/** A dialog over a query whose name was changed on screen, and what was sent. */
async function open(dialog: QueryDialog) {
  const sent: { endpoint: string; body: Query }[] = [];
  const operations: unknown[] = [];
  let current = SAVED;
  const bridge = fakeBridge({
    call: async (name: string, input: (typeof sent)[number]) => {
      if (name === 'service.send') {
        sent.push(input);
        current = input.body;
        return { data: current };
      }
      if (name === 'queries.operate') {
        operations.push(input);
        return { job: {}, journalId: 1 };
      }
      return {
        connections: [{ id: 'c' }],
        state: { connectionId: 'c', phase: 'online', since: 1, latencyMs: 1, error: null },
      };
    },
    stream: async (_: string, { endpoint }: { endpoint?: string }, hear: (event: unknown) => void) => {
      if (endpoint === 'query.get' || endpoint === 'query.list')
        hear({
          data: endpoint === 'query.get' ? current : { queries: [current] },
          freshness: { source: 'network', fetchedAt: 1 },
          revalidating: false,
          error: null,
        });
      return {};
    },
  });
  setWindowBridge(bridge);
  setActiveConnectionId('c');
  await startConnections();
  const { id } = createDraft(SAVED);
  updateDraft(id, { query: { ...SAVED, name: 'Payroll' } });
  function Shown() {
    const { draft } = useDraft(id);
    const [shown, setShown] = useState<QueryDialog | null>(dialog);
    return draft ? <QueryDialogs open={shown} draft={draft} config={undefined} onOpen={setShown} /> : null;
  }
  const { unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <Shown />
    </BridgeProvider>,
  );
  return {
    id,
    sent,
    operations,
    unmount,
    text: () => document.querySelector('.pp-dialog')?.textContent ?? '',
  };
}

it.each<[QueryDialog, string]>([
  ['schedule', 'Schedule: Invoices'],
  ['send', 'Invoices'],
  ['export', 'Export saved version…'],
])('%s takes the saved version, says so, and saves the changes first on request', async (dialog, words) => {
  const { id, sent, unmount, text } = await open(dialog);
  expect(text()).toContain(words);
  expect(text()).toContain('This takes the saved version, without your unsaved changes.');
  const save = [...document.querySelectorAll('button')].find(
    (element) => element.textContent === 'Save changes first',
  );
  await doing(() => save?.click());
  await expect.poll(text).not.toContain('unsaved changes');
  expect(text()).toContain('Payroll');
  expect(sent).toMatchObject([{ endpoint: 'query.update', body: { name: 'Payroll' } }]);
  expect(currentDraft(id)?.saved?.name).toBe('Payroll');
  await unmount();
});

const press = (name: string) =>
  doing(() =>
    [...document.querySelectorAll<HTMLElement>('.pp-dialog button')]
      .find((element) => element.textContent?.startsWith(name))
      ?.click(),
  );

it('a schedule is removed after its preview with a reason, as one action that can be undone', async () => {
  const { sent, operations, unmount, text } = await open('schedule');
  await press('Remove schedule…');
  await expect.poll(text).toContain('Remove schedule of 1 query');
  expect(text()).toContain('soc@a.example');
  await press('Remove schedule of 1 query');
  expect(text()).toContain('Enter a reason (logged).');
  expect([sent, operations]).toEqual([[], []]);
  const reason = document.querySelector<HTMLTextAreaElement>('.pp-dialog textarea');
  await doing(() => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(reason, 'Left');
    reason?.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await press('Remove schedule of 1 query');
  expect(operations).toEqual([
    {
      connectionId: 'c',
      operator: 'unschedule',
      call: 'query.update',
      queries: [{ id: 'q', name: 'Invoices', status: undefined, scheduledExport: SAVED.scheduledExport }],
      reason: 'Left',
    },
  ]);
  expect(sent).toEqual([]);
  await unmount();
});

it('exporting asks only where the query on screen is not the saved one', async () => {
  const { id, unmount } = await open('runs');
  let questions = 0;
  const exported = () => {
    const draft = currentDraft(id);
    if (draft)
      exportDraft(draft, () => {
        questions += 1;
      });
  };
  exported();
  expect(questions).toBe(1);
  updateDraft(id, { query: SAVED });
  exported();
  expect(questions).toBe(1);
  await unmount();
});
