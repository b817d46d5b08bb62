// @vitest-environment happy-dom
/** "Send results now" names the query by id alone, so the dialog must show the version that the service would send. */
import { expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { startConnections } from '#renderer/state/connection.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { Query } from '#shared/model/entities.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { SEND_WORDS } from './labels.ts';
import { SendDialog } from './send-dialog.tsx';

const scheduled = (email: string) =>
  ({
    id: 'q',
    name: 'Weekly',
    domain: 'email',
    columns: [],
    scheduledExport: { emails: [email], format: 'csv', frequency: 'daily', time: '06:00' },
  }) as unknown as Query;
const CONFIG = { entityField: 'entity_id', fields: [], operators: [], columns: [], actions: [] };

it('recipients changed by somebody else are shown before anything is sent to them', async () => {
  let saved = scheduled('first@a.example');
  const sent: object[] = [];
  const bridge = fakeBridge({
    call: async (operation: string, input: object) => {
      if (operation === 'service.send') sent.push(input);
      return operation === 'connections.list'
        ? {
            connections: [{ id: 'c' }],
            state: { connectionId: 'c', phase: 'online', since: 1, latencyMs: 1, error: null },
          }
        : { data: { success: true }, journalId: 1 };
    },
    stream: async (
      _: string,
      { endpoint }: { endpoint?: string },
      onSnapshot: (snapshot: object) => void,
    ) => {
      const answers: Record<string, object> = { 'query.get': saved, 'query.config': CONFIG };
      onSnapshot({
        data: answers[endpoint ?? ''] ?? { rows: [], total_rows: 3 },
        freshness: { source: 'network', fetchedAt: 1, offline: false },
        error: null,
        revalidating: false,
      });
    },
  });
  setWindowBridge(bridge);
  await startConnections();
  let isOpen = true;
  const { unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <SendDialog
        id="q"
        query={scheduled('old@a.example')}
        onClose={() => {
          isOpen = false;
        }}
      />
    </BridgeProvider>,
  );
  const dialog = () => document.querySelector('.pp-dialog')?.textContent ?? '';
  const confirm = () =>
    doing(() => [...document.querySelectorAll<HTMLElement>('.pp-dialog-footer button')].at(-1)?.click());
  expect(dialog()).toContain('To first@a.example');

  saved = scheduled('second@a.example');
  await confirm();
  expect(sent).toEqual([]);
  expect(dialog()).toContain(SEND_WORDS.changed);
  expect(dialog()).toContain('To second@a.example');

  // The second click of a slow double click.
  await confirm();
  expect(sent).toEqual([]);
  await doing(() => document.querySelector<HTMLElement>('.pp-dialog input[type="checkbox"]')?.click());
  await confirm();
  expect(sent).toMatchObject([
    { endpoint: 'policies.send-result', params: { id: 'q' }, about: 'Weekly, to second@a.example' },
  ]);
  expect(isOpen).toBe(false);
  await unmount();
});
