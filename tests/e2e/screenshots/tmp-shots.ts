import { chromium } from 'playwright';
import { chromiumLaunch, prepareChromium } from '../chromium.ts';
import { startHost } from '../host.ts';
import { front } from './screen.ts';
import { SCREENS } from './screens.ts';
const wanted = (process.argv[2] ?? '').split(',');
const tag = process.argv[3] ?? 'after';
await prepareChromium();
const host = await startHost();
const browser = await chromium.launch(chromiumLaunch());
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce', colorScheme: 'dark' });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(host.url);
  await page.getByRole('note').getByRole('button', { name: 'Choose', exact: true }).click();
  await page.getByText('For this run only', { exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Use this' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await front(page).locator('[data-tile="found"]').waitFor();
  for (const screen of SCREENS) {
    if (!wanted.includes(screen.name)) continue;
    await screen.open(page);
    await page.mouse.move(0, 0);
    for (const size of [{ width: 1440, height: 900 }, { width: 1024, height: 768 }]) {
      await page.setViewportSize(size);
      await page.evaluate(() => document.fonts.ready);
      await page.waitForTimeout(400);
      await page.screenshot({ path: `/tmp/screens-shots/${screen.name}-${size.width}-${tag}.png` });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await screen.close?.(page);
    process.stdout.write(`${screen.name}\n`);
  }
} finally {
  await browser.close();
  await host.stop();
}
