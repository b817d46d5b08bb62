// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Read } from '#renderer/bridge/use-read.ts';
import { mount } from '#tests/support/mount.tsx';
import { ThreadPanel } from './thread-panel.tsx';

async function textOf(total: number) {
  const read = { data: { rows: [], total_rows: total }, error: null, freshness: null, loading: false };
  const { container, unmount } = await mount(
    <ThreadPanel
      title="Conversation"
      read={read as unknown as Read<'email.conversation'>}
      email={{ saas: 's', entityId: 'e' }}
      empty={{ title: 'No other emails', reason: 'None.' }}
    />,
  );
  const { textContent } = container;
  await unmount();
  return textContent;
}

it('[bad input] a list that the service counts but does not return is not shown as empty', async () => {
  expect(await textOf(0)).toContain('No other emails');
  const text = await textOf(5);
  expect(text).toContain('The service returned 0 of 5.');
  expect(text).not.toContain('No other emails');
});
