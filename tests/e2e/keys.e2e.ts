/** Keys of the window from its first moment. */
import { expect, test } from './fixtures.ts';

test('a key pressed the moment the window is drawn works', async ({ page, host }) => {
  // An observer runs right after the commit, before any timer, paint or key of an analyst could.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.querySelector('[data-screen]') === null) return;
      observer.disconnect();
      const init = { key: '2', code: 'Digit2', altKey: true, bubbles: true };
      document.body.dispatchEvent(new KeyboardEvent('keydown', init));
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(host.url);
  await expect(page.locator('.pp-screen:not([hidden])')).toHaveAttribute('data-screen', 'queries');
});
