// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { startConnections } from '#renderer/state/connection.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { readToasts } from '#renderer/ui/toaster.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import type { SaveProblem } from './save-problems.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';

const QUERY = {
  name: 'Weekly',
  domain: 'email',
  columns: [],
  scheduledExport: { emails: ['soc@a.example'], format: 'csv', frequency: 'daily', time: '06:00' },
} as unknown as NewQuery;

setWindowBridge(
  fakeBridge({
    call: async () => ({
      connections: [{ id: 'c' }],
      state: { connectionId: 'c', phase: 'online', since: 1, latencyMs: 1, error: null },
    }),
    stream: async () => ({}),
  }),
);

it('closed before the service answers, it still reports that the schedule was not saved', async () => {
  await startConnections();
  const saved = Promise.withResolvers<SaveProblem | null>();
  const { unmount } = await mount(
    <ScheduleDialog
      query={QUERY}
      isNew={false}
      onSave={() => saved.promise}
      onRemove={() => undefined}
      onClose={() => undefined}
    />,
  );
  const save = [...document.querySelectorAll('button')].find((element) =>
    element.textContent?.startsWith('Save schedule'),
  );
  if (!save) throw new Error('not drawn');
  await doing(() => save.click());
  await unmount();
  saved.resolve({ field: '', message: 'No answer.', isInDoubt: true });
  await saved.promise;
  await Promise.resolve();
  expect(readToasts()).toMatchObject([
    { title: 'Schedule of “Weekly”: unknown, may have arrived', detail: 'No answer.' },
  ]);
});

it.each([
  [{ ...QUERY, status: 'stopped' }, 'Save schedule'],
  [{ ...QUERY, status: 'running' }, 'Save schedule'],
  [{ ...QUERY, status: 'saved', scheduledExport: null }, 'Save schedule and enable'],
] as const)(
  'its button says whether it also enables the query, which a stopped one stays',
  async (query, text) => {
    await startConnections();
    const { unmount } = await mount(
      <ScheduleDialog
        query={query}
        isNew={false}
        onSave={async () => null}
        onRemove={() => undefined}
        onClose={() => undefined}
      />,
    );
    const save = [...document.querySelectorAll('button')].find((element) =>
      element.textContent?.startsWith('Save'),
    );
    expect(save?.textContent?.replace(/Ctrl.*/, '').trim()).toBe(text);
    await unmount();
  },
);
