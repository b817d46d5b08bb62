// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { loadJobs } from '#renderer/state/jobs.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { JobsTray } from './jobs-tray.tsx';

it('a job list that fails to load shows its error and a retry, not “No jobs”', async () => {
  let isBroken = true;
  setWindowBridge(
    fakeBridge({
      call: async () => {
        if (isBroken) throw new ParapetError('internal', 'The worker has ended.');
        return { jobs: [] };
      },
    }),
  );
  await loadJobs();
  const { container, unmount } = await mount(<JobsTray />);
  const text = () => container.querySelector('.pp-jobs-list')?.textContent;
  expect(text()).toContain('The worker has ended.');
  expect(text()).not.toContain('No jobs');
  isBroken = false;
  await doing(() => container.querySelector<HTMLElement>('.pp-empty-error button')?.click());
  await expect.poll(text).toContain('No jobs');
  await unmount();
});
