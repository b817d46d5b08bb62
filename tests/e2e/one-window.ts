/**
 * Lets tests share a window, as opening one costs as much as a test and its code runs slowly at first: those of a file,
 * and those of all files, one window over the demo tenant and one over a host to which each file adds its connection.
 * Each test starts on Home with no other tab, dialog or toast, at the usual size, and sets up everything else itself, in
 * any order. It may change data, but what it asserts must hold after any other test, and it leaves the connection, the
 * settings and the listeners of the window as they were. After a failed test host and window are new. A test that needs a
 * new window takes it from the fixture `context`; a file whose assertions depend on its own changes sets `ownHost`.
 */
import type { Page, ViewportSize } from '@playwright/test';
import { test as base, expect, type WorkerFixtures } from './fixtures.ts';
import type { Host } from './host.ts';

async function tidy(page: Page): Promise<void> {
  const dialogs = page.getByRole('dialog');
  if ((await dialogs.count()) > 0) await page.keyboard.press('Escape');
  await expect(dialogs).toHaveCount(0);
  await page.keyboard.press('Alt+1');
  await page.keyboard.press('Alt+Shift+W');
  await expect(page.getByRole('navigation', { name: 'Tabs' }).getByRole('tab')).toHaveCount(1);
  await expect(page.locator('.pp-screen:not([hidden])')).toHaveAttribute('data-screen', 'home');
  // The toast about unsaved changes stays until it is closed, and covers controls.
  await page
    .locator('[data-toasts]')
    .getByRole('button', { name: 'Close' })
    .evaluateAll((all) => {
      for (const element of all) if (element instanceof HTMLElement) element.click();
    });
}

type Shared = Pick<WorkerFixtures, 'hostOf' | 'windowOf'>;

/** The window over the host with this key, as a test finds it; `connect` is the connection that the host starts with. */
async function sharedWindow(
  { hostOf, windowOf }: Shared,
  [key, connect]: readonly [string, string],
  viewport: ViewportSize | null,
): Promise<{ host: Host; page: Page }> {
  const host = await hostOf(key, connect);
  const page = await windowOf(key);
  if (viewport !== null) await page.setViewportSize(viewport);
  if (page.url() === 'about:blank') {
    await page.goto(host.url);
    await page.locator('[data-screen]').first().waitFor();
  } else await tidy(page);
  await page.keyboard.press('Alt+1');
  return { host, page };
}

/** For a file that adds a connection before its tests, which share the state of the window. */
export const windowForConnections = (
  shared: Shared,
  viewport: ViewportSize = { width: 1280, height: 720 },
): Promise<{ host: Host; page: Page }> => sharedWindow(shared, ['none', 'none'], viewport);

export const test = base.extend<{
  /** Gives the file a host and a window of its own, which its tests share. */
  ownHost: boolean;
  /** The key of the host, and the connection that it starts with. */
  hostKey: readonly [string, string];
  page: Page;
}>({
  ownHost: [false, { option: true }],
  hostKey: ({ ownHost, connect }, use, { file }) => use([ownHost ? file : connect, connect]),
  host: ({ hostOf, hostKey }, use) => hostOf(...hostKey).then(use),
  page: async ({ hostOf, windowOf, hostKey, viewport }, use) =>
    use((await sharedWindow({ hostOf, windowOf }, hostKey, viewport)).page),
});
