/** The analyst's main job in the Queries area: find, build, run, read, sort, filter, copy and export. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, nextFile } from './fixtures.ts';
import { screen } from './on-screen.ts';
import { test } from './one-window.ts';
import { cell, count, header, newQuery, number, openQuery, rows, runToEnd } from './results-page.ts';

const REPORT = 'Quarantine releases by end users';

async function openLibrary(page: Page): Promise<void> {
  await page.keyboard.press('Alt+2');
  await rows(page).first().waitFor();
}

async function search(page: Page, text: string): Promise<void> {
  await page.getByLabel('Search queries').fill(text);
  await expect(page.locator('[data-preview] h2')).toContainText(text, { ignoreCase: true });
}

/** Runs a new query for some hundred emails and returns their number. */
async function runInvoices(page: Page): Promise<number> {
  await newQuery(page, 'invoice');
  return runToEnd(page);
}

test('[spec 3] the library filters, searches and shows a query in words', async ({ page }) => {
  await openLibrary(page);
  const all = Number(await page.locator('[data-kind="all"] .pp-facet-count').innerText());
  await page.locator('[data-kind="template"]').click();
  const templates = Number(await page.locator('[data-kind="template"] .pp-facet-count').innerText());
  expect(templates).toBeGreaterThan(0);
  expect(templates).toBeLessThan(all);
  await expect(page.getByRole('button', { name: 'New from template' })).toBeVisible();
  await page.locator('[data-kind="all"]').click();
  await page.keyboard.press('/');
  await page.keyboard.type('who clicked');
  await expect(rows(page)).toHaveCount(1);
  await expect(page.locator('.pp-preview .pp-words-text')).toContainText('Clicks');
});

test('[spec 3] a template becomes a query whose conditions can be edited, undone and run', async ({
  page,
}) => {
  await openLibrary(page);
  await page.locator('[data-kind="template"]').click();
  await page.getByLabel('Search queries').fill('business email');
  await expect(page.locator('[data-preview] h2')).toContainText('business email');
  await page.getByRole('button', { name: 'New from template' }).click();
  const builder = screen(page).locator('.pp-qb');
  await expect(builder).toBeVisible();
  const before = await builder.locator('.pp-qb-row').count();
  await builder.getByRole('button', { name: 'Add condition' }).first().click();
  await expect(builder.locator('.pp-qb-row')).toHaveCount(before + 1);
  // A new condition opens its field list; the default field is fine here.
  await expect(page.getByPlaceholder('Search fields')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByPlaceholder('Search fields')).toBeHidden();
  await page.keyboard.press('Control+z');
  await expect(builder.locator('.pp-qb-row')).toHaveCount(before);
  await page.keyboard.press('Control+Shift+z');
  await expect(builder.locator('.pp-qb-row')).toHaveCount(before + 1);
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+Enter');
  await expect(count(page)).toBeVisible();
  await expect(screen(page).locator('.pp-query-line')).toBeVisible();
});

test('[spec 3] results sort, filter by facet and search, and peek by keyboard', async ({ page }) => {
  expect(await runInvoices(page)).toBeGreaterThan(100);
  await header(page, 'subject').click();
  await expect(cell(page, 0, 'subject')).not.toBeEmpty();
  await expect(header(page, 'subject')).toHaveAttribute('aria-sort', 'ascending');

  const matches = screen(page)
    .locator('.pp-facet-value')
    .filter({ hasText: /^Suspicious/ });
  await matches.click();
  await expect(count(page)).toContainText(' of ');
  await expect(cell(page, 0, 'verdict')).toContainText('Suspicious');
  await screen(page).getByRole('button', { name: 'Clear all' }).click();
  await expect(count(page)).not.toContainText(' of ');

  await page.keyboard.press('/');
  await page.keyboard.insertText('overdue');
  await expect(count(page)).toContainText(' of ');
  await screen(page).getByRole('button', { name: 'Clear all' }).click();
  await expect(count(page)).not.toContainText(' of ');

  // A time can be searched for as it is shown.
  const shown = await cell(page, 3, 'received').innerText();
  await page.keyboard.press('/');
  await page.keyboard.insertText(shown);
  await expect(count(page)).toContainText(' of ');
  await expect(cell(page, 0, 'received')).toHaveText(shown);
  await screen(page).getByRole('button', { name: 'Clear all' }).click();
  await expect(count(page)).not.toContainText(' of ');

  await cell(page, 0, 'subject').click();
  await page.keyboard.press('Space');
  const peek = screen(page).locator('[data-peek]');
  await expect(peek).toBeVisible();
  const first = await peek.getAttribute('data-peek');
  await page.keyboard.press('j');
  await expect(peek).not.toHaveAttribute('data-peek', first ?? '');
  await expect(peek.getByText('Security stack')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(peek).toBeHidden();
});

test('filter for and filter out edit the conditions', async ({ page }) => {
  const everything = await runInvoices(page);
  await cell(page, 0, 'from_email').click();
  const sender = await cell(page, 0, 'from_email').innerText();
  expect(sender).not.toBe('');
  await page.keyboard.press('f');
  await expect.poll(() => number(page, 'total')).toBeLessThan(everything);
  await page.keyboard.press('Control+z');
  await cell(page, 0, 'from_email').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Filter out' }).click();
  await expect.poll(() => number(page, 'total')).toBeGreaterThan(everything / 4);
});

test('chosen columns survive a reload', async ({ page }) => {
  await openQuery(page, 'Executive impersonation');
  await screen(page).getByRole('button', { name: 'Columns' }).click();
  await page.getByLabel('Search columns').fill('Message-ID');
  await page.locator('.pp-chooser-row').filter({ hasText: 'Message-ID' }).getByText('Message-ID').click();
  await expect(header(page, 'message_id')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  await page.reload();
  await rows(page).first().waitFor();
  await expect(header(page, 'message_id')).toBeVisible();
});

test('an export has the visible columns and every row', async ({ page }) => {
  await openQuery(page, 'Executive impersonation');
  const all = await number(page, 'total');
  await page
    .getByRole('button', { name: /Export( results)?$/ })
    .last()
    .click();
  const dialog = page.locator('.pp-dialog');
  await expect(dialog.locator('.pp-chip').first()).toBeVisible();
  const columns = await dialog.locator('.pp-chip').allInnerTexts();
  const download = nextFile(page);
  await dialog.getByRole('button', { name: /^Export [\d,]+ row/ }).click();
  const file = await (await download).path();
  const lines = readFileSync(file, 'utf8').trimEnd().split(/\r?\n/);
  expect(lines[0]?.replaceAll('"', '')).toBe(columns.join(','));
  // Quoted cells may hold line breaks, so there are at least as many lines as rows.
  expect(lines.length).toBeGreaterThanOrEqual(all + 1);
});

test('[spec 3] an analytics query opens as a chart; its groups and its timeline filter by keyboard', async ({
  page,
}) => {
  await openLibrary(page);
  await search(page, 'Found, and still in an inbox');
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  const groups = page.getByRole('region', { name: 'Groups', exact: true }).first();
  await groups.locator('.pp-plot .main-svg').first().waitFor();
  const all = await number(page, 'total');
  const picture = nextFile(page);
  await groups.getByRole('button', { name: 'Export groups' }).click();
  await page.getByRole('menuitem', { name: 'Chart as SVG' }).click();
  const svg = readFileSync(await (await picture).path(), 'utf8');
  expect(svg).toMatch(/^<svg /);
  expect(svg).toContain('Found, and still in an inbox by Received and Department');
  const image = nextFile(page);
  await groups.getByRole('button', { name: 'Export groups' }).click();
  await page.getByRole('menuitem', { name: 'Chart as PNG' }).click();
  expect(
    readFileSync(await (await image).path())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');

  // Grouped by one column, the counts add up to all rows.
  await groups.getByLabel('Group by').selectOption({ label: 'Department' });
  await groups.getByLabel('and', { exact: true }).selectOption({ label: 'None' });
  await groups.getByText('Table', { exact: true }).click();
  const names = groups.locator('.ag-row .ag-cell[col-id="group0"]');
  await expect(names.first()).not.toContainText(' to ');
  const counts = groups.locator('.ag-row .ag-cell[col-id="count"]');
  await expect
    .poll(async () => (await counts.allInnerTexts()).reduce((sum, text) => sum + Number(text), 0))
    .toBe(all);
  const first = Number(await counts.first().innerText());
  await groups.getByText('Bars', { exact: true }).click();
  await names.first().focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('.pp-results-count').locator('visible=true')).toHaveAttribute(
    'data-matching',
    `${first}`,
  );
  await expect(rows(page).first()).toBeVisible();
  // The group is named above its rows, also beside the panel of conditions, which it is not one of.
  const filters = screen(page).getByRole('region', { name: 'Active filters' });
  const chip = filters.getByRole('button', { name: /^Remove filter: department is / });
  await expect(chip).toBeVisible();
  await screen(page)
    .getByRole('button', { name: /^Filter/ })
    .click();
  const panel = screen(page).getByRole('region', { name: 'Filter loaded rows' });
  await expect(panel).toContainText('No conditions.');
  await expect(panel).not.toContainText('everything matches');
  await panel.getByRole('button', { name: /^Hide filter/ }).click();
  await expect(chip).toBeVisible();

  const timeline = page.getByRole('region', { name: 'Received over time' }).locator('visible=true');
  // Until the bars of these rows are there, the last one may go away again.
  await expect(timeline).toHaveAttribute('aria-busy', 'false');
  await timeline.locator('.pp-bars-keys button').last().focus();
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('Enter');
  const span = filters.getByRole('button', { name: /^Remove filter: received is between / });
  await expect(span).toBeVisible();
  await expect
    .poll(async () =>
      Number(await page.locator('.pp-results-count').locator('visible=true').getAttribute('data-matching')),
    )
    .toBeLessThan(first);
  // Back to the chart of the remaining rows, which names the filters, too.
  await page.keyboard.press('v');
  await expect(groups.locator('.pp-plot .main-svg').first()).toBeVisible();
  await expect(groups.locator('.ag-cell:focus')).toHaveCount(1);
  await span.focus();
  await page.keyboard.press('Enter');
  await expect(span).toHaveCount(0);
  await expect(chip).toBeVisible();
  await chip.focus();
  await page.keyboard.press('Enter');
  await expect(filters).toHaveCount(0);
  await expect(count(page)).not.toContainText(' of ');
});

test('a report condition is in the summary of the library and beside the conditions, which open it', async ({
  page,
}) => {
  await page.keyboard.press('Alt+2');
  await page.getByLabel('Search queries').fill(REPORT);
  await expect(page.locator('[data-preview] h2')).toContainText(REPORT);
  await expect(page.locator('[data-preview] .pp-words-text')).toContainText(
    'Its report: only where direction is Incoming.',
  );
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  const builder = screen(page).locator('.pp-query-builder');
  if (!(await builder.isVisible())) await screen(page).getByTitle('Show conditions (E)').click();
  await expect(builder).toContainText('Report condition: direction is Incoming');
  await builder.getByRole('button', { name: 'Edit report condition' }).click();
  await expect(page.getByRole('dialog').locator('.pp-qb-row')).toHaveCount(1);
  await page.keyboard.press('Escape');
});

for (const [name, profile] of [
  ['Accounts under attack', 'person'],
  ['Public groups with members from outside', 'person'],
  ['Chat links to watched hosts', 'email'],
  ['Clicks on malicious links that got through', 'email'],
] as const)
  test(`the preview shows cells of the grid with their menus, and opens the profile: ${name}`, async ({
    page,
  }) => {
    await openQuery(page, name);
    const cells = screen(page).locator('.ag-row[row-index="0"] .ag-cell:not(.pp-cell-check)');
    await cells.first().click();
    await page.keyboard.press('Space');
    const peek = screen(page).locator('[data-peek]');
    await expect(peek.locator('h2')).not.toHaveText(/^$|no title/);
    const facts = peek.locator('.pp-facts');
    await expect(facts).not.toContainText(/https?:\/\/|\dT\d|\btrue\b|\bfalse\b/);
    const value = facts.locator('.pp-entity').first();
    expect(await cells.allInnerTexts()).toContain(await value.innerText());
    await value.click();
    await expect(page.getByRole('menuitem', { name: /^Filter for/ })).toBeVisible();
    await page.keyboard.press('Escape');
    await peek.locator('.pp-peek-foot').getByRole('button', { name: 'Open profile' }).click();
    await expect(screen(page)).toHaveAttribute('data-screen', profile);
    if (profile !== 'person') return;
    // The actions of the service, on this one alone.
    await expect(screen(page).getByRole('button', { name: 'Act', exact: true })).toBeEnabled();
    await page.keyboard.press('a');
    await page.getByRole('menu', { name: 'Actions' }).getByRole('menuitem', { name: 'Notify…' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.locator('[data-targets]')).toHaveAttribute('data-targets', '1');
    await expect(dialog).toContainText(/Notify 1 (?:user|group)/);
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  });

test('[spec 3, spec 7] a query is saved, renamed and deleted, and a delete can be undone', async ({
  page,
}) => {
  await openLibrary(page);
  const all = Number(await page.locator('[data-kind="all"] .pp-facet-count').innerText());
  await page.locator('.pp-library').getByRole('button', { name: 'New query' }).click();
  await page.getByRole('button', { name: 'Create' }).click();
  await screen(page).getByLabel('Query name').fill('Made by a test');
  await screen(page).getByLabel('Query name').press('Enter');
  await screen(page).getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Saved “Made by a test”')).toBeVisible();
  await page.keyboard.press('Alt+2');
  await page.getByLabel('Search queries').fill('Made by a test');
  await expect(rows(page)).toHaveCount(1);
  await page.locator('[data-preview]').getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete 1 query' }).click();
  // Removed from the list at once; the request is sent after the Undo period.
  await expect(rows(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(rows(page)).toHaveCount(1);
  await rows(page).first().click();
  await page.keyboard.press('F2');
  const details = page.locator('.pp-dialog');
  await details.getByLabel('Name').fill('Made by a test, renamed');
  await details.getByLabel('Severity').selectOption('veryhigh');
  await details.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('[data-preview] h2')).toHaveText('Made by a test, renamed');
  await expect(page.locator('[data-preview]')).toContainText('Critical');
  await page.locator('[data-preview]').getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete 1 query' }).click();
  await expect(page.getByText('Deleted “Made by a test, renamed”')).toBeVisible();
  await page.getByLabel('Search queries').fill('');
  await expect(page.locator('[data-kind="all"] .pp-facet-count')).toHaveText(String(all));
});

test('[spec 3] facets filter the library, and recently run queries are listed', async ({ page }) => {
  await openLibrary(page);
  const panel = page.locator('.pp-library .pp-filters');
  for (const label of ['Entity type', 'App', 'Status', 'Severity', 'Created by'])
    await expect(panel.getByRole('group', { name: label })).toBeVisible();
  const severity = panel.getByRole('group', { name: 'Severity' });
  const critical = severity.locator('.pp-facet-choice').filter({ hasText: 'Critical' });
  const expected = Number((await critical.locator('.pp-facet-count').innerText()).replaceAll(',', ''));
  await critical.getByText('Critical').click();
  await expect(page.locator('[data-kind="all"] .pp-facet-count')).toHaveText(String(expected));
  await critical.getByText('Critical').click();
  await openQuery(page, 'Executive impersonation');
  await page.keyboard.press('Alt+2');
  await page.getByLabel('Search queries').fill('');
  await page.locator('[data-kind="recent"]').click();
  await expect(rows(page).filter({ hasText: 'Executive impersonation' })).toHaveCount(1);
});

test('[spec 7] queries are exported to a file and imported again, and a broken file is refused with its reason', async ({
  page,
}) => {
  await openLibrary(page);
  await search(page, 'Replies to quarantined');
  const download = nextFile(page);
  await screen(page).getByRole('button', { name: 'Export' }).click();
  const file = await (await download).path();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ kind: 'parapet-queries', version: 1 });

  const pick = async (content: string) => {
    const chooser = page.waitForEvent('filechooser');
    await screen(page).getByRole('button', { name: 'Import' }).click();
    await (await chooser).setFiles({
      name: 'queries.json',
      mimeType: 'application/json',
      buffer: Buffer.from(content),
    });
  };
  const dialog = page.locator('.pp-dialog');
  const plan = (label: string) => dialog.locator('.pp-plan').filter({ hasText: label });
  const [exported] = (JSON.parse(readFileSync(file, 'utf8')) as { queries: { name: string }[] }).queries;
  const changed = { ...exported, severity: 1, description: 'Told in the plan' };
  await pick(
    JSON.stringify({
      kind: 'parapet-queries',
      version: 1,
      queries: [changed, { ...exported, id: null, name: 'Brand new' }, { name: 'Broken' }],
    }),
  );
  // The import plan; nothing is sent before it is confirmed.
  await expect(plan('Brand new')).toHaveAttribute('data-state', 'new');
  await expect(plan('Broken')).toHaveAttribute('data-state', 'invalid');
  await expect(plan('Broken')).toContainText('missing or has the wrong type');
  await expect(plan('Told in the plan')).toHaveAttribute('data-state', 'changed');
  await expect(plan('Told in the plan')).toContainText('Severity');
  await expect(dialog.getByRole('button', { name: 'Import 1 query' })).toBeVisible();
  await plan('Told in the plan').getByRole('combobox').selectOption('replace');
  await dialog.getByRole('button', { name: 'Import 2 queries' }).click();
  await expect(dialog).toContainText('Imported 2 queries');
  await expect(dialog).toContainText('Brand new');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(dialog).toBeHidden();
  await expect(page.locator('[data-preview]')).toContainText('Told in the plan');
  await expect(page.locator('[data-preview]')).toContainText('Very low');
  await pick('{ "kind": "something else" }');
  await expect(page.locator('.pp-toast').filter({ hasText: 'not a query file' })).toBeVisible();
});

test('[spec 7] the service exports results and active users', async ({ page }) => {
  await openLibrary(page);
  await search(page, 'Executive impersonation');
  await page.locator('[data-preview]').getByRole('button', { name: 'More' }).click();
  for (const name of ['CSV…', 'JSON…', 'XLSX…'])
    expect(
      await page.getByRole('menuitem', { name }).evaluate((item) => {
        const { x, y, width, height } = item.getBoundingClientRect();
        return item.contains(document.elementFromPoint(x + width / 2, y + height / 2));
      }),
    ).toBe(true);
  const results = nextFile(page);
  await page.getByRole('menuitem', { name: 'CSV…' }).click();
  expect(readFileSync(await (await results).path(), 'utf8').split('\n').length).toBeGreaterThan(2);

  await screen(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Export active users…' }).click();
  const users = nextFile(page);
  await page.locator('.pp-dialog').getByRole('button', { name: 'Save file…' }).click();
  expect(readFileSync(await (await users).path(), 'utf8')).toContain('@');
});
