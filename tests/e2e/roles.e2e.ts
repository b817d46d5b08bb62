/** A profile explains what a role, a deployment or a failed call hides; chat messages have a profile too. */
import type { Locator, Page } from '@playwright/test';
import type { QueryResult } from '#shared/model/entities.ts';
import { expect, test } from './fixtures.ts';
import type { Host } from './host.ts';
import { fact, panel, screen } from './on-screen.ts';
import { windowForConnections } from './one-window.ts';
import { openTenant, type Service, startService, stopService } from './tenant.ts';

const SLOW = { timeout: 30_000 };

let host: Host;
let page: Page;
let service: Service;
const cleanups: (() => Promise<unknown>)[] = [];
test.beforeAll(async ({ hostOf, windowOf }) => {
  ({ host, page } = await windowForConnections({ hostOf, windowOf }));
  page.setDefaultTimeout(SLOW.timeout);
});
test.afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
test.beforeEach(async () => {
  test.setTimeout(240_000);
  await page.keyboard.press('Alt+Shift+W');
});

/** The tests of a group use a connection with these feature flags to a service with these options. */
function onService(name: string, args: readonly string[], flags: readonly string[] = []): void {
  test.beforeAll(async () => {
    service = await startService(3_000, args);
    const current = service;
    cleanups.push(() => stopService(current));
    await openTenant(page, host, service, name, flags);
  });
}

/** Runs a new email query with these conditions and opens the first row. */
async function openEmail(page: Page, conditions: object[]): Promise<void> {
  await expect(async () => {
    await page.keyboard.press('Alt+n');
    await expect(screen(page)).toHaveAttribute('data-screen', 'query', { timeout: 2_000 });
  }).toPass(SLOW);
  await screen(page).getByRole('button', { name: 'Edit as JSON' }).click();
  await screen(page)
    .getByLabel('Conditions as JSON')
    .fill(JSON.stringify({ operator: 'and', conditions }));
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', /^\d+$/, SLOW);
  await openRow(page, 'email');
}

async function openRow(page: Page, name: string): Promise<void> {
  const cell = screen(page).locator('.ag-row[row-index="0"] .ag-cell').filter({ hasText: /\S/ }).nth(1);
  await expect(async () => {
    await cell.dblclick({ timeout: 5_000 });
    await expect(screen(page)).toHaveAttribute('data-screen', name, { timeout: 2_000 });
  }).toPass(SLOW);
}

/** Opens a library query by name; it runs automatically. */
async function runLibrary(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Alt+2');
  await screen(page).locator('.ag-row').first().waitFor(SLOW);
  await page.getByLabel('Search queries').fill(name);
  await expect(page.locator('[data-preview] h2')).toContainText(name);
  await screen(page).locator('.ag-row').filter({ hasText: name }).first().dblclick();
  await expect(screen(page)).toHaveAttribute('data-screen', 'query');
  await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', /^\d+$/, SLOW);
}

test.describe('a read-only role', () => {
  onService('Read only', ['--role', 'read_only']);

  test('[spec 6] a read-only role sees its name, its limits and why a panel is empty', async () => {
    await openEmail(page, [
      { field: 'verdict', operator: 'is', values: ['found'] },
      { field: 'quarantined', operator: 'is_false', values: [] },
    ]);
    await expect(fact(page, 'Your role')).toContainText('Read only (Admin)', SLOW);
    await expect(fact(page, 'Your role')).toContainText('may not quarantine or delete');
    await expect(fact(page, 'Your role')).toContainText('read headers and bodies');
    for (const title of ['Header analysis', 'Body']) {
      await expect(panel(page, title)).toContainText('Not allowed for your role', SLOW);
      await expect(panel(page, title)).toContainText('The role Read only may not read headers and bodies');
    }
    const quarantine = screen(page).getByRole('button', { name: 'Quarantine', exact: true });
    await expect(quarantine).toBeDisabled();
    await expect(quarantine).toHaveAttribute('title', 'Your role, Read only, may not quarantine or delete.');
    await screen(page).getByRole('button', { name: 'More actions' }).click();
    await expect(page.getByRole('menuitem', { name: /^Rescan/ })).toContainText('may not ask for scans');
    await expect(page.getByRole('menuitem', { name: /^Set identifier/ })).toContainText(
      'may not set identifiers',
    );
    await page.keyboard.press('Escape');
    // Actions open to every role stay enabled, and scan results are shown.
    await expect(screen(page).getByRole('button', { name: 'Report' })).toBeEnabled();
    await expect(panel(page, 'Security stack').locator('.en-stack-row').first()).toBeVisible();

    await runLibrary(page, 'Αναφορά ύποπτων συνημμένων');
    await openRow(page, 'file');
    await expect(fact(page, 'Your role')).toContainText('download matched files', SLOW);
    const download = screen(page).getByRole('button', { name: 'Download' });
    await expect(download).toBeDisabled();
    await expect(download).toHaveAttribute('title', 'Your role, Read only, may not download matched files.');
  });

  test('[spec 6] for a read-only role the library disables what is not allowed and says why, by pointer and by keyboard', async () => {
    await page.keyboard.press('Alt+2');
    await screen(page).locator('.ag-row').first().waitFor(SLOW);
    const says = 'Your role, Read only, may not';
    const disabled = async (control: Locator, what: string) => {
      await expect(control).toBeDisabled();
      await expect(control).toHaveAttribute('title', `${says} ${what}.`);
    };
    const item = async (name: RegExp, what: string) => {
      const item = page.getByRole('menuitem', { name });
      await expect(item).toHaveAttribute('aria-disabled', 'true');
      await expect(item).toHaveAttribute('title', `${says} ${what}.`);
    };
    const others = 'change or remove queries of others';
    await disabled(screen(page).getByRole('button', { name: 'Import' }), 'save queries');
    await screen(page).getByRole('button', { name: 'More', exact: true }).click();
    await item(/^Name and details/, others);
    await item(/^Schedule/, 'send results by email');
    await item(/^Send results now/, 'send results by email');
    await item(/^Delete/, others);
    await expect(page.getByRole('menuitem', { name: /^Export query/ })).toBeEnabled();
    await page.keyboard.press('Escape');
    await screen(page).getByRole('button', { name: 'More actions' }).click();
    await item(/^Export active users/, 'export active users');
    await page.keyboard.press('Escape');

    // Keyboard shortcuts check permissions too: no dialog opens, and a toast says why.
    await screen(page).locator('.ag-row').first().locator('.ag-cell').nth(1).click();
    await page.keyboard.press('Delete');
    await expect(page.locator('.pp-toast').filter({ hasText: `${says} ${others}.` })).toBeVisible();
    await page.keyboard.press('F2');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.keyboard.press('x');
    await disabled(screen(page).getByRole('button', { name: 'Delete 1 selected' }), others);

    // A query can be built and run, but not saved.
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Create' }).click();
    await disabled(screen(page).getByRole('button', { name: 'Save', exact: true }), 'save queries');
    await page.keyboard.press('Control+s');
    await expect(page.locator('.pp-toast').filter({ hasText: `${says} save queries.` })).toBeVisible();
    await screen(page).getByRole('button', { name: /^Run/ }).first().click();
    await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', /^\d+$/, SLOW);
    // This role may take no action, so none is offered.
    await disabled(screen(page).getByRole('button', { name: 'Act', exact: true }), 'quarantine or delete');
    await expect(screen(page).getByRole('button', { name: 'Quarantine', exact: true })).toHaveCount(0);
  });
});

test.describe('an MSP deployment and proof of concept', () => {
  onService('For others', [], ['MSP deployment', 'Proof of concept']);

  test('[spec 3, spec 6] an MSP deployment or a proof of concept hides a field and says why', async () => {
    await runLibrary(page, 'Risky accounts without a second factor');
    await openRow(page, 'person');
    await expect(fact(page, 'Security training')).toHaveText(
      'Not shown in an MSP deployment and a proof of concept',
      SLOW,
    );
    // The rest of the profile is shown: roles, sign-ins on a map, and lists of emails.
    await expect(fact(page, 'Roles')).toContainText(/Admin|End User/);
    await expect(fact(page, 'Second factor')).toHaveText('No');
    await screen(page).getByRole('tab', { name: 'Logins' }).click();
    const map = screen(page).getByLabel(/^Map of \d+ logins/);
    await expect(map.or(screen(page).getByText('No logins'))).toBeVisible(SLOW);
    await screen(page).getByRole('tab', { name: 'Emails received' }).click();
    await openRow(page, 'email');
  });
});

test.describe('every role', () => {
  onService('Plain', []);

  test('[spec 8, spec 9] without restore fields the plain profile is shown and says so', async () => {
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${service.url}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      });
    const held = [{ field: 'quarantined', operator: 'is_true', values: [] }];
    const answer = await ask('/query/execute', {
      method: 'POST',
      body: JSON.stringify({
        query_domain: 'email',
        saas_id: 'all',
        query_entity_type: 'email',
        condition: { operator: 'and', conditions: held },
        columns: ['message_id'],
        sort_by: [],
        size: 500,
        include_copies: false,
        count_only: false,
      }),
    });
    const { rows } = (await answer.json()) as QueryResult;
    let messageId: unknown;
    for (const row of rows) {
      const props = await ask(`/entity/props?entity_id=${encodeURIComponent(String(row['entity_id']))}`);
      if (props.status === 200) continue;
      messageId = row['message_id'];
      break;
    }
    expect(messageId).toEqual(expect.any(String));
    await openEmail(page, [...held, { field: 'message_id', operator: 'is', values: [messageId] }]);
    await expect(fact(page, 'Quarantine')).toContainText('Yes', SLOW);
    await expect(fact(page, 'Restore')).toContainText('the restore service did not answer', SLOW);
    // The actions follow the plain profile.
    await expect(screen(page).getByRole('button', { name: 'Restore', exact: true })).toBeEnabled();
  });

  test('[spec 7] a chat message shows its fields and its text, and J goes to the next message', async () => {
    await runLibrary(page, 'Team messages with credential links');
    await openRow(page, 'email');
    const text = screen(page).getByRole('region', { name: 'Text of the message' });
    await expect(text).toContainText(/\S/, SLOW);
    await expect(text).not.toContainText(/https?:\/\//);
    await expect(fact(page, 'Entity ID')).toContainText(/\S/);
    await expect(page.locator('.pp-status-bar')).toContainText('Message 1 of');
    const first = await text.innerText();
    await page.keyboard.press('j');
    await expect(page.locator('.pp-status-bar')).toContainText('Message 2 of', SLOW);
    await expect(text).not.toHaveText(first, SLOW);
  });
});
