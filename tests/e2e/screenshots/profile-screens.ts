/** Screenshots of typical profiles and of extreme ones. */
import type { Page } from 'playwright';
import { front, type Screen } from './screen.ts';

const settle = async (page: Page, part: string): Promise<void> => {
  await front(page)
    .getByRole('tab', { name: new RegExp(`^${part}`) })
    .click();
  await front(page).locator('.pp-skeleton').first().waitFor({ state: 'detached' });
};

/** Opens the first email of a new query with these conditions. */
async function email(page: Page, conditions: readonly object[], part = 'Overview'): Promise<void> {
  await page.keyboard.press('Alt+n');
  await front(page).getByRole('button', { name: 'Edit as JSON' }).click();
  await front(page)
    .getByLabel('Conditions as JSON')
    .fill(JSON.stringify({ operator: 'and', conditions }));
  await front(page).getByRole('button', { name: /^Run/ }).first().click();
  const subject = front(page).locator('.ag-row[row-index="0"] .ag-cell[col-id="subject"]');
  await front(page).locator('.pp-results-count[data-total]').waitFor();
  await subject.filter({ hasText: /\S/ }).dblclick();
  await front(page).locator('.en-event').first().waitFor();
  await settle(page, part);
}

async function closeTab(page: Page): Promise<void> {
  await page.locator('.pp-tab-active .pp-tab-close').click();
}

async function closeBoth(page: Page): Promise<void> {
  await closeTab(page);
  await closeTab(page);
  const toast = page.locator('.pp-toast').getByRole('button', { name: 'Close' });
  while ((await toast.count()) > 0) await toast.first().click();
}

const is = (field: string, ...values: string[]) => ({ field, operator: 'is', values });
const subject = (words: string) => ({ field: 'subject', operator: 'contains_words', values: [words] });

const screen = (name: string, conditions: readonly object[], part?: string): Screen => ({
  name,
  open: (page) => email(page, conditions, part),
  close: closeBoth,
});

async function offline(page: Page, on: boolean): Promise<void> {
  await page.getByRole('button', { name: /^Connection / }).click();
  await page.getByRole('menuitem', { name: on ? 'Go offline' : 'Go online' }).click();
  await page.getByRole('button', { name: on ? /, offline$/ : /, connected$/ }).waitFor();
}

/** Saves a list of emails for offline and searches it. */
async function kept(page: Page): Promise<void> {
  // Few emails, as all of them are fetched.
  const either = { operator: 'or', conditions: [subject('Rechnung'), subject('Fwd invoice')] };
  await email(page, [is('verdict_code', 'hphsh'), either]);
  await front(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: /^Make .*available offline/ }).click();
  await front(page).locator('.en-kept').waitFor();
  await page.getByRole('button', { name: /^Connection / }).click();
  await page.getByRole('menuitem', { name: 'Saved for offline' }).click();
  await front(page).getByLabel('Search saved profiles').fill('invoice');
  await front(page).locator('[aria-label="Matches"] mark').first().waitFor();
}

export const PROFILE_SCREENS: readonly Screen[] = [
  screen('email-phishing', [is('verdict_code', 'hphsh')]),
  screen('email-malware', [
    is('verdict_code', 'malw'),
    { field: 'attachments_count', operator: 'greater_than', values: [0] },
  ]),
  screen('email-clean', [is('verdict', 'clean'), is('direction', 'incoming')]),
  screen('email-encrypted', [subject('Contract draft encrypted')]),
  screen('email-restore-request', [is('restore_state', 'requested')]),
  screen('email-400-recipients', [subject('badge readers from Monday')]),
  screen('email-large-body', [subject('Stock list of all warehouses')], 'Body'),
  screen('email-right-to-left', [subject('فاتورة جديدة')]),
  screen('email-no-body', [subject('forwarded without text')]),
  {
    name: 'email-offline',
    async open(page) {
      await email(page, [is('verdict_code', 'phsh')]);
      await offline(page, true);
    },
    async close(page) {
      await offline(page, false);
      await closeBoth(page);
    },
  },
  {
    name: 'kept',
    open: kept,
    async close(page) {
      await front(page).getByRole('button', { name: 'Release all' }).click();
      await closeTab(page);
      await closeBoth(page);
    },
  },
];
