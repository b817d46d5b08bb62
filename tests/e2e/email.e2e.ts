/** An email's profile: its fields, its actions, and moving through a list of emails; by keyboard where it matters. */
import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { fact, panel, screen } from './on-screen.ts';
import { test } from './one-window.ts';

const SLOW = { timeout: 30_000 };
const part = (page: Page, name: string) => screen(page).getByRole('tab', { name }).click();
const condition = (field: string, operator: string, ...values: unknown[]) => ({ field, operator, values });

/** Runs a new query with these conditions and opens one of its rows. */
async function open(page: Page, conditions: object[], row = 0): Promise<void> {
  await page.keyboard.press('Alt+n');
  await screen(page).getByRole('button', { name: 'Edit as JSON' }).click();
  await screen(page)
    .getByLabel('Conditions as JSON')
    .fill(JSON.stringify({ operator: 'and', conditions }));
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  const subject = screen(page).locator(
    `.ag-row[row-index="${row}"]:not(.pp-row-wait) .ag-cell[col-id="subject"]`,
  );
  await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', /^\d+$/, SLOW);
  await subject.dblclick();
  await expect(screen(page)).toHaveAttribute('data-screen', 'email');
  await expect(panel(page, 'Timeline').locator('.en-event').first()).toBeVisible(SLOW);
}

const heading = (page: Page): Locator => screen(page).getByRole('heading', { level: 1 });
const dialog = (page: Page): Locator => page.getByRole('dialog');

test('[spec 3, spec 7] quarantine, a release request and its refusal each show in facts, timeline and journal', async ({
  page,
}) => {
  await open(page, [condition('verdict', 'is', 'found'), condition('quarantined', 'is_false')]);
  await expect(fact(page, 'Quarantine')).toContainText('No');

  await page.keyboard.press('a');
  await expect(dialog(page)).toContainText('Delivered copies');
  // Nothing is sent without a reason.
  await page.keyboard.press('Control+Enter');
  await expect(dialog(page).getByRole('alert')).toHaveText('Enter a reason (logged).');
  await page.keyboard.type('A look-alike of a vendor');
  await page.keyboard.press('Control+Enter');
  await expect(dialog(page)).toBeHidden(SLOW);
  await expect(fact(page, 'Quarantine')).toContainText('“A look-alike of a vendor”; can be restored', SLOW);
  await expect(panel(page, 'Timeline')).toContainText('Quarantined');

  await screen(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: /^Request release/ }).click();
  await dialog(page).getByLabel('Reason').fill('We know this sender');
  await page.keyboard.press('Control+Enter');
  await expect(screen(page).locator('[data-restore="requested"]')).toBeVisible(SLOW);

  await screen(page).getByRole('button', { name: 'Decline', exact: true }).click();
  await dialog(page).getByLabel('Reason').fill('It is phishing');
  await dialog(page).getByRole('button', { name: 'Decline 1 email' }).click();
  await expect(screen(page).locator('[data-restore="declined"]')).toBeVisible(SLOW);
  await expect(fact(page, 'Restore')).toContainText('It is phishing');

  await part(page, 'Events');
  await panel(page, 'Events')
    .getByRole('button', { name: /^Event types/ })
    .click();
  await page.getByRole('option', { name: /^Restore 2/ }).click();
  await page.keyboard.press('Escape');
  await expect(panel(page, 'Events').locator('.ag-row')).toHaveCount(2);
  await expect(panel(page, 'Events')).toContainText('Restore request declined');
});

test('[spec 7] a rescan by keyboard shows its progress, then the new scan result', async ({ page }) => {
  await open(page, [condition('verdict', 'is', 'suspicious')]);
  await screen(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: /^Rescan/ }).click();
  await dialog(page)
    .getByText(/^All \d/)
    .click();
  await dialog(page).locator('label').filter({ hasText: 'Anti-phishing' }).click();
  await page.keyboard.press('Control+Enter');
  await expect(dialog(page)).toBeHidden(SLOW);
  const again = panel(page, 'Security stack').getByText('rescanning');
  await expect(again).toHaveCount(1, SLOW);
  await expect(again).toHaveCount(0, SLOW);
  await expect(panel(page, 'Timeline')).toContainText('Rescan asked of 1 tool', SLOW);
  // White label: no tool id is shown.
  await expect(panel(page, 'Timeline')).not.toContainText(/checkpoint|ap_/);
});

test('[spec 3, spec 7] a scheduled delete, a report and an identifier are each sent once', async ({
  page,
}) => {
  await open(page, [condition('verdict', 'is', 'spam'), condition('state', 'is', 'Junk')]);
  await screen(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: /^Delete/ }).click();
  await dialog(page).getByLabel('Reason').fill('At the end of the year');
  await dialog(page).getByText('Schedule', { exact: true }).click();
  await dialog(page).getByLabel('Date and time').fill('2001-01-01T00:00');
  await dialog(page).getByRole('button', { name: 'Schedule: delete 1 email' }).click();
  await expect(dialog(page).getByText('This time is in the past.')).toBeVisible();
  await dialog(page).getByLabel('Date and time').fill('2099-12-31T23:59');
  await dialog(page).getByRole('button', { name: 'Schedule: delete 1 email' }).click();
  await expect(fact(page, 'Scheduled')).toContainText('delete at 2099-12-31', SLOW);

  await page.keyboard.press('r');
  await dialog(page).getByText('Malware', { exact: true }).click();
  await page.keyboard.press('Control+Enter');
  await expect(fact(page, 'Reported')).toContainText('By 1 user', SLOW);

  await fact(page, 'Identifier').getByRole('button', { name: 'Set' }).click();
  await dialog(page).getByLabel('Identifier').fill('INC-4471');
  await page.keyboard.press('Control+Enter');
  await expect(fact(page, 'Identifier')).toContainText('INC-4471', SLOW);
});

test('[promise] J and K move through the results in one tab and keep the part; Alt with arrows goes back and forward', async ({
  page,
}) => {
  await open(page, [condition('verdict_code', 'is', 'hphsh')]);
  const first = await heading(page).innerText();
  const tabs = await page.locator('.pp-tab').count();
  await part(page, 'Headers');
  await page.keyboard.press('j');
  await expect(page.locator('.pp-status-bar')).toContainText('Email 2 of', SLOW);
  await expect(screen(page).getByRole('tab', { name: 'Headers' })).toHaveAttribute('aria-selected', 'true');
  await expect(
    panel(page, 'Raw headers')
      .getByText(/^Received:/)
      .first(),
  ).toBeVisible(SLOW);
  await page.keyboard.press('j');
  await expect(page.locator('.pp-status-bar')).toContainText('Email 3 of', SLOW);
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  await expect(page.locator('.pp-status-bar')).toContainText('Email 1 of', SLOW);
  await expect(heading(page)).toHaveText(first);
  await page.keyboard.press('Alt+ArrowLeft');
  await expect(page.locator('.pp-status-bar')).toContainText('Email 2 of', SLOW);
  await page.keyboard.press('Alt+ArrowRight');
  await expect(page.locator('.pp-status-bar')).toContainText('Email 1 of', SLOW);
  await expect(page.locator('.pp-tab')).toHaveCount(tabs);
});

test('[spec 7] similar emails have a count per mode, and one key opens them as a query', async ({ page }) => {
  await open(page, [condition('verdict_code', 'is', 'hphsh')]);
  await screen(page)
    .getByRole('button', { name: /^Similar|^Find similar/ })
    .click();
  const sender = page.getByRole('menuitem', { name: /^Same sender(?! domain)/ });
  const counted = sender.locator('.pp-num');
  await expect(counted).toHaveText(/^[1-9]/);
  const emails = Number((await counted.innerText()).replaceAll(',', ''));
  await page.keyboard.press('Escape');
  await page.keyboard.press('2');
  await expect(screen(page)).toHaveAttribute('data-screen', 'query');
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', String(emails), SLOW);
});

test('emails saved for offline open one after another without a service, and nothing can be sent', async ({
  page,
}) => {
  await open(page, [condition('restore_state', 'is', 'requested'), condition('verdict', 'is', 'found')]);
  await screen(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: /^Make \d+ available offline/ }).click();
  // The job runs in the host: a reloaded window shows its progress.
  const jobs = page.getByRole('button', { name: /^(?:\d+ jobs?|Jobs)$/ });
  await expect(jobs).toBeVisible(SLOW);
  await page.reload();
  await expect(screen(page)).toHaveAttribute('data-screen', 'email', { timeout: 90_000 });
  await jobs.click();
  const job = page.locator('.pp-job').filter({ hasText: /Save \d+ emails of/ });
  // The restore service never answers for some emails; the job then ends as partial.
  await expect(job.getByRole('img', { name: /^(?:Done|Partial)$/ })).toBeVisible({ timeout: 180_000 });
  await page.keyboard.press('Escape');
  await expect(screen(page).locator('.en-kept')).toBeVisible(SLOW);
  await screen(page).getByRole('button', { name: 'More actions' }).click();
  await expect(page.getByRole('menuitem', { name: /^Release \d+ offline profiles?/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await page
    .locator('.pp-tab')
    .filter({ hasText: /New query/ })
    .first()
    .click();
  await page.getByRole('button', { name: /^Connection / }).click();
  await page.getByRole('menuitem', { name: 'Go offline' }).click();
  await expect(page.getByRole('button', { name: /, offline$/ })).toBeVisible(SLOW);
  // The rows may be drawn again during the double click, as the connection has just changed.
  await expect(async () => {
    await screen(page)
      .locator('.ag-row[row-index="0"] .ag-cell[col-id="subject"]')
      .dblclick({ timeout: 5_000 });
    await expect(screen(page)).toHaveAttribute('data-screen', 'email', { timeout: 2_000 });
  }).toPass(SLOW);
  for (const place of [2, 3, 4]) {
    await page.keyboard.press('j');
    await expect(page.locator('.pp-status-bar')).toContainText(`Email ${place} of`, SLOW);
    await expect(panel(page, 'Security stack').locator('.en-stack-row').first()).toBeVisible(SLOW);
    await expect(panel(page, 'Header analysis')).toContainText('SPF', SLOW);
    await expect(screen(page).getByText('could not be loaded')).toHaveCount(0);
    await expect(screen(page).locator('.en-kept')).toBeVisible(SLOW);
  }
  const restore = screen(page).getByRole('button', { name: 'Restore', exact: true });
  await expect(restore).toBeDisabled();
  await expect(restore).toHaveAttribute('title', /You are offline/);
  await page.getByRole('button', { name: /^Connection / }).click();
  await page.getByRole('menuitem', { name: 'Go online' }).click();
  await expect(page.getByRole('button', { name: /, connected$/ })).toBeVisible();
});

test('[spec 3, spec 7] emails with 400 recipients, no body, encryption, right-to-left text or 3 MB of HTML are shown', async ({
  page,
}) => {
  const subject = (words: string) => [condition('subject', 'contains_words', words)];
  await open(page, subject('badge readers from Monday'));
  await expect(screen(page).getByRole('tab', { name: 'Recipients' })).toContainText('400');
  await expect(screen(page).getByRole('tab', { name: 'Split emails' })).toContainText('50');
  await open(page, subject('forwarded without text'));
  await expect(panel(page, 'Body')).toContainText('no text or HTML part', SLOW);
  await open(page, subject('Contract draft encrypted'));
  await expect(panel(page, 'Body')).toContainText('Body unavailable without the key', SLOW);
  await expect(fact(page, 'Encrypted')).toHaveText('Yes');
  await open(page, subject('فاتورة جديدة'));
  await expect(heading(page)).toContainText('‹U+202E›');
  await panel(page, 'Body').getByText('Text', { exact: true }).click();
  await expect(panel(page, 'Body').locator('.em-text-body')).toHaveCSS('unicode-bidi', 'plaintext', SLOW);
  const began = Date.now();
  await open(page, subject('Stock list of all warehouses'));
  await part(page, 'Body');
  await expect(panel(page, 'Body')).toContainText('Too large', SLOW);
  expect(Date.now() - began).toBeLessThan(25_000);
});
