/** The login map: layers, time range, filters, impossible travel, table, exports, and failing layers. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, nextFile } from './fixtures.ts';
import { screen } from './on-screen.ts';
import { test } from './one-window.ts';
import { newQuery } from './results-page.ts';

const list = (page: Page) => screen(page).locator('.pp-login');
const counted = (page: Page) => screen(page).locator('.pp-map-side .pp-panel-count');
const count = async (page: Page) =>
  Number((await counted(page).innerText()).replace('at least ', '').replaceAll(',', ''));
const tab = (page: Page, name: RegExp) =>
  screen(page).locator('.pp-map-views label').filter({ hasText: name });

async function openMap(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Login map' }).click();
  await list(page).first().waitFor();
  await expect(screen(page).locator('.pp-login-map')).toHaveAttribute('aria-busy', 'false');
}

/** Opens the map in a window that has just loaded, so that all data comes from the host. */
async function openFromHost(page: Page): Promise<void> {
  await page.locator('[data-screen]').first().waitFor();
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Login map' }).click();
}

async function choose(page: Page, name: RegExp): Promise<void> {
  await screen(page)
    .getByRole('button', { name: /^Logins to show/ })
    .click();
  await page.locator('.pp-map-choices').getByText(name).click();
  // The button gets the focus back only once the menu has gone.
  await expect(page.locator('.pp-map-choices')).toHaveCount(0);
}

test('[spec 2, spec 8] layers show counts and failures, and the map says why zoom is limited', async ({
  page,
}) => {
  await openMap(page);
  await screen(page)
    .getByRole('button', { name: /^Logins to show/ })
    .click();
  const choices = page.locator('.pp-map-choices');
  await expect(choices.getByText('All successful').locator('xpath=ancestor::a')).toContainText(/[\d,]{3,}/);
  await expect(choices.getByText('All failed').locator('xpath=ancestor::a')).toContainText('1 failed');
  await choices.getByText('All failed').click();
  await expect(screen(page).getByRole('alert')).toContainText('no data');
  await expect(screen(page).getByRole('alert').getByRole('button', { name: 'Retry' })).toBeVisible();
  await choose(page, /^All successful$/);
  const zoom = screen(page).locator('.pp-map-note');
  await expect(zoom).toContainText(/zoom works up to 3,000/);
  await expect(screen(page).getByRole('button', { name: /^Zoom in disabled/ })).toBeDisabled();
});

test('[spec 1] the hour grid, the search and the rankings filter together', async ({ page }) => {
  await openMap(page);
  const all = await count(page);
  await screen(page).getByLabel('Search logins').fill('lagos.nowhere');
  await expect(screen(page).locator('.pp-map-side .pp-panel-count')).toHaveText('0');
  await screen(page).getByLabel('Search logins').fill('');
  await expect.poll(() => count(page)).toBe(all);
  await screen(page).locator('.pp-week-cell[data-hour="9"]').click();
  await expect.poll(() => count(page)).toBeLessThan(all);
  const monday = await count(page);
  await tab(page, /Countries/).click();
  const first = screen(page).locator('.pp-ranked tbody tr').first();
  await first.getByRole('checkbox').check();
  await tab(page, /Logins/).click();
  await expect.poll(() => count(page)).toBeLessThanOrEqual(monday);
  await screen(page).getByRole('button', { name: 'Remove Mon 09:00' }).click();
  await screen(page)
    .getByRole('button', { name: /^Remove / })
    .first()
    .click();
  await expect.poll(() => count(page)).toBe(all);
});

test('[promise] the time range changes by keyboard', async ({ page }) => {
  await openMap(page);
  const all = await count(page);
  await screen(page).getByRole('slider', { name: 'Range end' }).focus();
  await page.keyboard.press('PageDown');
  await page.keyboard.press('PageDown');
  await expect(screen(page).getByRole('button', { name: 'Clear range' })).toBeVisible();
  await expect.poll(() => count(page)).toBeLessThan(all);
  await screen(page).getByRole('button', { name: 'Clear range' }).click();
  await expect.poll(() => count(page)).toBe(all);
});

test('[promise] impossible travel shows its calculation, and a row filters by user or opens a query', async ({
  page,
}) => {
  await openMap(page);
  await tab(page, /^Travel/).click();
  const pair = screen(page).locator('.pp-travel li').first();
  await expect(pair).toContainText(/[\d,]+ km (÷ .+ = [\d,]+ km\/h|at the same moment)/);
  await tab(page, /^Logins/).click();
  const all = await count(page);
  await list(page).first().focus();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Show only this user' }).click();
  await expect.poll(() => count(page)).toBeLessThan(all);
  await list(page).first().click();
  await page.getByRole('menuitem', { name: 'Query this user’s email' }).click();
  // In a low window a query that runs automatically shows its conditions in one line.
  await expect(screen(page)).toHaveAttribute('data-screen', 'query');
  await expect(screen(page).getByText(/^Emails in all apps, where from is .+@/)).toBeVisible();
});

test('[promise] the table and the exports have every row shown', async ({ page }) => {
  await openMap(page);
  const successful = await count(page);
  await choose(page, /^All failed$/);
  // The rows of the previous layer stay until the new ones are loaded.
  await expect.poll(() => count(page)).toBeLessThan(successful);
  await expect(screen(page).locator('.pp-login-map')).toHaveAttribute('aria-busy', 'false');
  // One layer fails, so the count is a lower bound.
  await expect(counted(page)).toHaveText(/^at least [\d,]+$/);
  const rows = await count(page);
  await screen(page).getByText('Table', { exact: true }).click();
  await expect(screen(page).getByRole('gridcell').first()).toBeVisible();
  const download = nextFile(page);
  await screen(page)
    .getByRole('button', { name: /^Export/ })
    .click();
  await page.getByRole('menuitem', { name: /rows as CSV/ }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  const [header, ...lines] = text.trimEnd().split('\r\n');
  expect(header).toBe('time,user,ip,country,city,lat,lon,logins,outcome,app,seen_from_place');
  expect(lines).toHaveLength(rows);
  await screen(page).getByText('Points', { exact: true }).click();
  await expect(screen(page).locator('.pp-map-canvas')).toBeVisible();
  for (const [name, magic] of [
    ['Map as PNG', /^\x89PNG/],
    ['Map as SVG', /^<svg xmlns/],
  ] as const) {
    const picture = nextFile(page);
    await screen(page)
      .getByRole('button', { name: /^Export/ })
      .click();
    await page.getByRole('menuitem', { name }).click();
    expect(readFileSync(await (await picture).path(), 'latin1')).toMatch(magic);
  }
});

test('[promise] a user of another screen opens on the map, filtered to that user', async ({ page }) => {
  await openMap(page);
  const all = await count(page);
  const user = await list(page).first().locator('.pp-login-who').innerText();
  await newQuery(page, 'badge readers from Monday');
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  const cell = screen(page).locator('.ag-row[row-index="0"] .ag-cell[col-id="from_email"]');
  await expect(cell).toContainText('@');
  const sender = ((await cell.textContent()) ?? '').trim();
  expect(sender).not.toBe(user);
  await cell.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Open on the login map' }).click();
  await expect(screen(page)).toHaveAttribute('data-screen', 'login-map');
  await expect(screen(page).getByRole('button', { name: `Remove ${sender}` })).toBeVisible();
  await expect.poll(() => count(page)).toBeLessThan(all);
  await screen(page)
    .getByRole('button', { name: `Remove ${sender}` })
    .click();
  await expect.poll(() => count(page)).toBe(all);
});

test('[promise] the time range moves by step and by Play, which can be paused', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await openMap(page);
  const words = screen(page).locator('.pp-map-time .pp-panel-count');
  await screen(page).getByRole('button', { name: 'Next step' }).click();
  await expect(words).toContainText('selected');
  const first = await words.innerText();
  await screen(page).getByRole('button', { name: 'Next step' }).click();
  await expect(words).not.toHaveText(first);
  await screen(page).getByRole('button', { name: 'Previous step' }).click();
  await expect(words).toHaveText(first);
  await screen(page).getByRole('button', { name: /^Play/ }).click();
  await expect(words).not.toHaveText(first);
  const second = await words.innerText();
  await expect(words).not.toHaveText(second);
  await screen(page).getByRole('button', { name: 'Pause' }).click();
  await expect(screen(page).getByRole('button', { name: /^Play/ })).toBeVisible();
  await screen(page).getByRole('button', { name: 'Clear range' }).click();

  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.reload();
  await openFromHost(page);
  await screen(page).getByRole('button', { name: 'Next step' }).waitFor();
  await expect(screen(page).getByRole('button', { name: /^Play/ })).toHaveCount(0);
});

test('clusters expand by keyboard, and the density view replaces them on request', async ({ page }) => {
  await openMap(page);
  await choose(page, /^Dropbox Business$/);
  await expect(screen(page).locator('.pp-map-note')).toHaveAttribute('data-zoom', 'on');
  await expect(screen(page).locator('.pp-login-map')).toHaveAttribute('aria-busy', 'false');
  // Away from the map: a mark under the pointer would show its tooltip.
  await page.mouse.move(0, 0);
  await screen(page).locator('.pp-map-view').focus();
  const out = screen(page).getByRole('button', { name: 'Zoom out' });
  await expect(out).toBeDisabled();
  const tip = screen(page).locator('.pp-map-tip');
  await expect(async () => {
    await page.keyboard.press('p');
    await expect(tip).toContainText(/\d places/, { timeout: 500 });
  }).toPass({ intervals: [0], timeout: 30_000 });
  await page.keyboard.press('Enter');
  await expect(out).toBeEnabled();
  await screen(page).getByText('Density', { exact: true }).click();
  await expect(screen(page).locator('.pp-map-legend')).toContainText('logins per area');
});

test('[promise] the map shows saved rows with their age offline', async ({ page }) => {
  await openMap(page);
  const all = await count(page);
  await page.getByRole('button', { name: /^Connection / }).click();
  await page.getByRole('menuitem', { name: 'Go offline' }).click();
  await page.getByRole('button', { name: /, offline$/ }).waitFor();
  try {
    await page.reload();
    await openFromHost(page);
    await list(page).first().waitFor();
    await expect.poll(() => count(page)).toBe(all);
    await expect(screen(page).locator('.pp-page-header .pp-fresh')).toContainText(/saved/i);
  } finally {
    await page.getByRole('button', { name: /^Connection / }).click();
    await page.getByRole('menuitem', { name: 'Go online' }).click();
    await page.getByRole('button', { name: /, connected$/ }).waitFor();
  }
});

test('[promise] a partly loaded layer is marked as partial and cannot be exported', async ({
  context,
  host,
}) => {
  const page = await context.newPage();
  const held: (() => void)[] = [];
  let holds = true;
  let passed = 0;
  await page.routeWebSocket(/\/wire/, (window) => {
    const service = window.connectToServer();
    service.onMessage((message) => {
      const isRows = message.length > 20_000 && String(message.slice(0, 2_000)).includes('"data":"eJ');
      // All messages after the first rows wait, so that the end of a response does not overtake its rows.
      if (holds && ((isRows && passed > 0) || held.length > 0)) held.push(() => window.send(message));
      else {
        if (isRows) passed += 1;
        window.send(message);
      }
    });
  });
  await page.goto(host.url);
  await openFromHost(page);
  const waiting = screen(page).locator('.pp-map-waiting');
  await expect(waiting).toContainText(/Loading All successful: \d of \d+ answers/);
  await expect(screen(page).locator('.pp-login-map')).toHaveAttribute('aria-busy', 'true');
  await expect(screen(page).getByRole('button', { name: /^Export/ })).toBeDisabled();
  await expect.poll(() => held.length).toBeGreaterThan(0);
  await list(page).first().waitFor();
  await expect(waiting).toContainText(
    /Partial: [\d,]+ (of [\d,]+ points|points so far)\. Rarity counts only these/,
  );
  await expect(screen(page).locator('.pp-map-side .pp-panel-count')).toHaveText(/^[\d,]+ so far$/);
  await expect(list(page).first()).toContainText('so far');
  await expect(screen(page).getByRole('button', { name: /^Export/ })).toBeDisabled();
  holds = false;
  for (const send of held) send();
  await expect(waiting).toHaveCount(0);
  await expect(screen(page).locator('.pp-map-side .pp-panel-count')).toHaveText(/^[\d,]+$/);
  await expect(screen(page).locator('.pp-login-map')).toHaveAttribute('aria-busy', 'false');
  await expect(screen(page).getByRole('button', { name: /^Export/ })).toBeEnabled();
});
