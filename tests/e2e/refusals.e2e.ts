/** Refusals of a service are shown where they belong: at a condition, a recipient or a query of a file. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { screen } from './on-screen.ts';
import { test } from './one-window.ts';
import { openTenant, type Service, startService, stopService } from './tenant.ts';

interface Refusing extends Service {
  /** Refuses the next save with this error; null passes it on. */
  refuse: { field: string; error: string } | null;
}

/** The service behind a proxy that refuses saves on request. */
async function startRefusing(): Promise<{ service: Refusing; server: Server }> {
  const real = await startService(300);
  const behind = new URL(real.url);
  const { origin } = behind;
  const service: Refusing = { ...real, refuse: null };
  // Without a time limit, as a kept connection must not be closed just as Parapet uses it again.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '/';
    const isSave =
      /\/query(?:\/(?!execute$)[^/]+)?$/.test(path) && /^(?:POST|PUT)$/.test(request.method ?? '');
    if (service.refuse !== null && isSave) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify(service.refuse));
      service.refuse = null;
      return;
    }
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    // A kept connection may be closed by the service just as it is used again.
    const answer = await fetch(new URL(path, origin), {
      method: request.method ?? 'GET',
      headers: { ...(headers as Record<string, string>), connection: 'close' },
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  behind.port = String((server.address() as AddressInfo).port);
  service.url = behind.href.replace(/\/$/, '');
  return { service, server };
}

test.use({ connect: 'none' });
let refusing: Refusing;
let server: Server;
test.beforeAll(async () => {
  ({ service: refusing, server } = await startRefusing());
});
test.afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await stopService(refusing);
});
test.beforeEach(({ page, host }) => openTenant(page, host, refusing, 'Refusing tenant'));

const SLOW = { timeout: 30_000 };
const conditions = (page: Page) => screen(page).locator('.pp-qb .pp-qb-row');
const dialog = (page: Page) => page.getByRole('dialog');

async function twoConditions(page: Page, name: string): Promise<void> {
  await expect(dialog(page)).toHaveCount(0);
  await page.keyboard.press('Alt+n');
  await screen(page).locator('.pp-qb').waitFor(SLOW);
  await screen(page).getByLabel('Query name').fill(name);
  await screen(page).getByLabel('Query name').press('Enter');
  await screen(page).getByRole('button', { name: 'Edit as JSON' }).click();
  await screen(page)
    .getByLabel('Conditions as JSON')
    .fill(
      JSON.stringify({
        operator: 'and',
        conditions: [
          { field: 'subject', operator: 'contains_words', values: ['invoice'] },
          { field: 'from_domain', operator: 'is', values: ['nordlicht.example'] },
        ],
      }),
    );
  await screen(page).getByRole('button', { name: 'Edit as rows' }).click();
  await expect(conditions(page)).toHaveCount(2);
}

test('[spec 7] a refusal of a condition is shown at that condition until it is edited', async ({ page }) => {
  await twoConditions(page, 'Refused once');
  refusing.refuse = { field: 'filter.conditions[1].values', error: 'No such domain in this tenant' };
  await page.keyboard.press('Control+s');
  await expect(conditions(page).nth(1)).toContainText('No such domain in this tenant', SLOW);
  await expect(conditions(page).nth(0)).not.toContainText('No such domain');
  await conditions(page).nth(1).getByLabel('Value of Sender domain').fill('post.example');
  await expect(conditions(page).nth(1)).not.toContainText('No such domain');
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Saved “Refused once”')).toBeVisible(SLOW);
  // A new query isn't run by saving it, so its conditions stay open.
  await expect(screen(page).getByText('Run the query to see matching emails.')).toBeVisible();
  await expect(conditions(page)).toHaveCount(2);
});

test('[spec 3] a refusal of a schedule is shown at its field: a recipient or the week', async ({ page }) => {
  await twoConditions(page, 'Scheduled after all');
  await screen(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Schedule…' }).click();
  const box = dialog(page).getByLabel(/^Recipients/);
  // Invalid addresses are rejected without a request.
  await box.fill('not an address, @half.example; two@@at.example');
  await box.press('Enter');
  await expect(
    dialog(page)
      .getByText(/^Not an email address: /)
      .first(),
  ).toBeVisible();
  for (let presses = 0; presses < 6; presses += 1) await box.press('Backspace');
  await box.fill('soc@aldermoor.example, gone@aldermoor.example');
  await box.press('Enter');
  await expect(dialog(page).getByText('Recipients: 2')).toBeVisible();
  refusing.refuse = { field: 'scheduledExport.emails[1]', error: 'Nobody has this address' };
  await dialog(page).getByRole('button', { name: 'Save query and schedule' }).click();
  await expect(dialog(page).getByText('Nobody has this address')).toBeVisible(SLOW);
  // The first press selects the last recipient, the second removes it.
  await box.press('Backspace');
  await box.press('Backspace');
  await expect(dialog(page).getByText('Nobody has this address')).toBeHidden();
  await dialog(page).getByText('Monthly', { exact: true }).click();
  refusing.refuse = { field: 'scheduledExport.week', error: 'Not in this week' };
  await dialog(page).getByRole('button', { name: 'Save query and schedule' }).click();
  await expect(dialog(page).getByText('Not in this week')).toBeVisible(SLOW);
  await dialog(page).getByLabel('Week of the month').selectOption('Third');
  await expect(dialog(page).getByText('Not in this week')).toBeHidden();
  await dialog(page).getByRole('button', { name: 'Save query and schedule' }).click();
  await expect(dialog(page)).toBeHidden(SLOW);
});

test('[spec 3] a query file with a schedule on the fifth week imports the other queries and names the refused one', async ({
  page,
}) => {
  await expect(dialog(page)).toHaveCount(0);
  await page.keyboard.press('Alt+2');
  await screen(page).locator('.ag-row').first().waitFor(SLOW);
  const chooser = page.waitForEvent('filechooser');
  await screen(page).getByRole('button', { name: 'Import' }).click();
  const query = (name: string, week: number) => ({
    type: 'query',
    subType: 'report',
    domain: 'email',
    entityType: 'email',
    name,
    columns: [],
    scheduledExport: {
      emails: ['soc@aldermoor.example'],
      format: 'csv',
      frequency: 'monthly',
      week,
      day: 2,
      time: '06:00',
    },
  });
  await (await chooser).setFiles({
    name: 'queries.json',
    mimeType: 'application/json',
    buffer: Buffer.from(
      JSON.stringify({
        kind: 'parapet-queries',
        version: 1,
        queries: [query('On the fifth week', 5), query('On the fourth week', 4)],
      }),
    ),
  });
  await expect(dialog(page).locator('.pp-plan').first()).toBeVisible();
  const fifth = dialog(page).locator('.pp-plan').filter({ hasText: 'On the fifth week' });
  const isTold = (await fifth.getAttribute('data-state')) === 'invalid';
  await dialog(page)
    .getByRole('button', { name: /^Import \d/ })
    .click();
  // If the plan has not marked it as invalid, the outcome must name it.
  if (!isTold) await expect(dialog(page)).toContainText(/On the fifth week/);
  await dialog(page).getByRole('button', { name: 'Close' }).last().click();
  await page.getByLabel('Search queries').fill('fourth week');
  await expect(screen(page).locator('.ag-row').filter({ hasText: 'On the fourth week' })).toHaveCount(1);
  await page.getByLabel('Search queries').fill('fifth week');
  await expect(screen(page).locator('.ag-row').filter({ hasText: 'On the fifth week' })).toHaveCount(0);
});

test('[spec 3] an invalid pattern is shown at its field, and a hostile one blocks nothing', async ({
  page,
}) => {
  await twoConditions(page, 'Patterns');
  await conditions(page)
    .nth(1)
    .getByLabel(/^Operator of/)
    .selectOption('matches');
  const pattern = conditions(page).nth(1).getByLabel('Value of Sender domain');
  await pattern.fill('(unclosed');
  await expect(conditions(page).nth(1).locator('.pp-qb-problem')).toBeVisible();
  await expect(pattern).toHaveAttribute('aria-invalid', 'true');
  await pattern.fill('^(([a-z])+.)+[A-Z]([a-z])+$');
  await expect(conditions(page).nth(1).locator('.pp-qb-problem')).toBeHidden();
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', /\d/, SLOW);
});
