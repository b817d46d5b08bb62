// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { setAppInfo } from '#renderer/state/app-info.ts';
import type { AppInfo } from '#shared/bridge/operations.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { Banners } from './banners.tsx';

test('a dismissed notice stays away, but not another one that replaces it', async () => {
  const tell = (...messages: string[]) =>
    setAppInfo({
      secrets: { mode: 'keychain', locked: false, reason: null },
      notices: messages.map((message, index) => ({ id: `n${index}`, level: 'warning', message })),
    } as unknown as AppInfo);
  tell('The first error.', 'Another notice.');
  const { container, unmount } = await mount(<Banners />);
  await doing(() => container.querySelector<HTMLElement>('[aria-label="Dismiss"]')?.click());
  expect(container.textContent).toBe('Another notice.');
  await doing(() => tell('The first error.', 'Another notice.'));
  expect(container.textContent).toBe('Another notice.');
  await doing(() => tell('A second error.', 'Another notice.'));
  expect(container.textContent).toContain('A second error.');
  await unmount();
});
