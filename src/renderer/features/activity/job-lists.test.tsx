// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { mount } from '#tests/support/mount.tsx';
import { JobLists } from './activity-screen.tsx';

async function drawn(error: Parameters<typeof JobLists>[0]['error']): Promise<string> {
  const { container, unmount } = await mount(
    <JobLists active={[]} finished={[]} error={error} onVerify={() => undefined}>
      <p>The report</p>
    </JobLists>,
  );
  const text = container.innerHTML;
  await unmount();
  return text;
}

it('job lists that fail to load show an error instead of an empty list or 0', async () => {
  const failed = await drawn({ code: 'internal', message: 'The worker has ended.', retryable: true });
  expect(failed).toContain('Active jobs could not be loaded');
  expect(failed).toContain('Finished jobs could not be loaded');
  expect(failed).not.toContain('No active jobs');
  expect(failed).not.toContain('>0<');
  const none = await drawn(null);
  // The import report is above the list that grows.
  expect(none.replace(/<[^>]*>/g, '')).toMatch(/Active.*The report.*Finished/s);
  expect(none).toContain('No active jobs');
  expect(none).toContain('No finished jobs');
});
