/**
 * `npm run screenshots [-- NAME… | --list]`: draws the screens of the demo tenant. A picture that a document shows goes
 * into docs/screenshots, any other into test-results/screenshots.
 */
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright';
import { chromiumLaunch, prepareChromium } from '../chromium.ts';
import { startHost } from '../host.ts';
import { front } from './screen.ts';
import { SCREENS } from './screens.ts';

const SIZES = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
] as const;
const THEMES = ['dark', 'light'] as const;
const root = path.resolve(import.meta.dirname, '../../..');
const documents = globSync(['README.md', 'docs/**/*.md'], { cwd: root })
  .map((file) => readFileSync(path.join(root, file), 'utf8'))
  .join('\n');
const fileOf = (name: string): string =>
  path.join(root, documents.includes(`screenshots/${name}`) ? 'docs' : 'test-results', 'screenshots', name);
const choices = process.argv.slice(2);
const names = SCREENS.map(({ name }) => name);
if (choices.includes('--list')) {
  process.stdout.write(`${names.join('\n')}\n`);
  process.exit();
}
const unknown = choices.filter((name) => !names.includes(name));
if (unknown.length > 0)
  throw new Error(`No screen is named ${unknown.join(', ')}. There are: ${names.join(', ')}.`);

await prepareChromium();
for (const folder of ['docs', 'test-results'])
  mkdirSync(path.join(root, folder, 'screenshots'), { recursive: true });
const host = await startHost();
const browser = await chromium.launch(chromiumLaunch());
try {
  const context = await browser.newContext({
    viewport: SIZES[0],
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  await page.goto(host.url);
  // Dismisses the banner about storing secrets.
  await page.getByRole('note').getByRole('button', { name: 'Choose', exact: true }).click();
  await page.getByText('This session only', { exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Use this' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await front(page).locator('[data-tile="found"]').waitFor();
  for (const screen of SCREENS) {
    if (choices.length > 0 && !choices.includes(screen.name)) continue;
    await screen.open(page);
    // No tooltip.
    await page.mouse.move(0, 0);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      for (const size of SIZES) {
        if (!screen.main && (theme === 'dark') !== (size.width === 1280)) continue;
        await page.setViewportSize(size);
        await page.evaluate(() => document.fonts.ready);
        await page.waitForFunction(
          () =>
            document.querySelector(
              '.pp-screen:not([hidden]) :is(.pp-skeleton, .pp-skeleton-rows, .pp-row-wait:not(.pp-unseen-grid *), [aria-busy="true"])',
            ) === null,
        );
        // After a resize the map shows a scaled image until it has redrawn.
        await page.waitForFunction(() => {
          const map = document.querySelector<HTMLCanvasElement>('.pp-screen:not([hidden]) .pp-map-canvas');
          const width = (map?.closest('.pp-map-frame')?.clientWidth ?? 0) * devicePixelRatio;
          return map === null || map.width === Math.round(width);
        });
        await page.screenshot({ path: fileOf(`${screen.name}-${theme}-${size.width}.png`) });
      }
    }
    await page.setViewportSize(SIZES[0]);
    await screen.close?.(page);
    // Wait for a closing dialog, as the next screen may open one.
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    process.stdout.write(`${screen.name}\n`);
  }
} finally {
  await browser.close();
  await host.stop();
}
