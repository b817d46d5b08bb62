/** All screens of docs/screenshots. Add new ones at the end. */
import type { Page } from 'playwright';
import { PROFILE_SCREENS } from './profile-screens.ts';
import { front, type Screen } from './screen.ts';

const rows = (page: Page) => front(page).locator('.ag-row:not(.pp-row-wait)');
const pressEscape = (page: Page) => page.keyboard.press('Escape');

async function section(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name }).click();
  await front(page).getByRole('heading', { level: 1, name }).waitFor();
}

async function library(page: Page, search: string): Promise<void> {
  await page.keyboard.press('Alt+2');
  await page.getByLabel('Search queries').fill(search);
  // The rows of before are there until the search has been applied.
  await front(page).locator('[data-preview] h2').filter({ hasText: search }).waitFor();
}

async function results(page: Page): Promise<void> {
  await library(page, 'Executive impersonation');
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await rows(page).first().waitFor();
}

/** Opens an analytics query with its groups as chart and table. */
async function groups(page: Page, query: string): Promise<void> {
  await library(page, query);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await front(page).locator('.pp-plot .main-svg').first().waitFor();
}

async function email(page: Page, part: string): Promise<void> {
  if ((await front(page).getAttribute('data-screen')) !== 'email') {
    await results(page);
    await rows(page).first().locator('.ag-cell[col-id="subject"]').dblclick();
  }
  await front(page)
    .getByRole('tab', { name: new RegExp(`^${part}`) })
    .click();
  await front(page).locator('.pp-skeleton').first().waitFor({ state: 'detached' });
}

async function file(page: Page, query: string, part: string): Promise<void> {
  await library(page, query);
  // The query runs automatically; a second run could replace the rows during the double click.
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await front(page).locator('.ag-cell[col-id="title"]').first().dblclick();
  await front(page).locator('.en-event').first().waitFor();
  await front(page)
    .getByRole('tab', { name: new RegExp(`^${part}`) })
    .click();
  await front(page).locator('.pp-skeleton').first().waitFor({ state: 'detached' });
}

/** Runs a query for users or groups and opens the profile of the first. */
async function person(page: Page, query: string): Promise<void> {
  await library(page, query);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await rows(page).first().waitFor();
  await rows(page).first().locator('.ag-cell').nth(1).dblclick();
  await front(page).locator('.en-facts dd').first().waitFor();
  await front(page).locator('.pp-skeleton').first().waitFor({ state: 'detached' });
}

/** Opens Exceptions over results in which the blast radius of the sender is not empty. */
async function exceptions(page: Page): Promise<void> {
  await library(page, 'Invoice overdue: same attachment');
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await rows(page).first().waitFor();
  await page
    .getByRole('navigation', { name: 'Sections' })
    .getByRole('button', { name: 'Exceptions' })
    .click();
  await front(page).locator('.pp-exc-screen .pp-pane-list .ag-row:not(.pp-row-wait)').first().waitFor();
}

export const SCREENS: readonly Screen[] = [
  {
    name: 'home',
    main: true,
    async open(page) {
      await page.keyboard.press('Alt+1');
      await front(page).locator('[data-tile="found"]').waitFor();
    },
  },
  {
    name: 'library',
    main: true,
    open: (page) => library(page, ''),
  },
  {
    name: 'builder',
    async open(page) {
      await library(page, 'business email');
      await page.getByRole('button', { name: /^(New from template|Open)$/ }).click();
      await front(page).locator('.pp-qb-row').first().waitFor();
    },
  },
  {
    name: 'results',
    main: true,
    async open(page) {
      await results(page);
      await rows(page).nth(2).locator('.ag-cell[col-id="subject"]').click();
      await page.keyboard.press('Space');
      await page.locator('[data-peek]').getByText('Security stack').waitFor();
    },
  },
  { name: 'groups', main: true, open: (page) => groups(page, 'Senders failing DMARC') },
  {
    name: 'groups-over-time',
    async open(page) {
      await groups(page, 'Found, and still in an inbox');
      await front(page).getByText('Line', { exact: true }).click();
    },
  },
  {
    name: 'export',
    async open(page) {
      await results(page);
      await front(page)
        .getByRole('button', { name: /^Export( results)?$/ })
        .last()
        .click();
      await page.getByRole('dialog').waitFor();
    },
    close: pressEscape,
  },
  { name: 'email', main: true, open: (page) => email(page, 'Overview') },
  { name: 'email-headers', open: (page) => email(page, 'Headers') },
  { name: 'email-body', open: (page) => email(page, 'Body') },
  { name: 'email-recipients', open: (page) => email(page, 'Recipients') },
  {
    name: 'palette',
    async open(page) {
      await page.keyboard.press('Control+K');
      await page.keyboard.insertText('invoice');
      await page.locator('.pp-palette').getByRole('option').first().waitFor();
    },
    close: pressEscape,
  },
  {
    name: 'keys',
    async open(page) {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
    close: pressEscape,
  },
  {
    name: 'activity',
    async open(page) {
      // Creates a journal entry.
      await email(page, 'Overview');
      await page.keyboard.press('r');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Control+Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await section(page, 'Activity');
      await rows(page).first().waitFor();
    },
  },
  { name: 'settings', open: (page) => page.getByRole('button', { name: 'Settings' }).click() },
  {
    name: 'home-offline',
    async open(page) {
      await page.keyboard.press('Alt+1');
      await page.getByRole('button', { name: /^Connection / }).click();
      await page.getByRole('menuitem', { name: 'Go offline' }).click();
      await page.getByRole('button', { name: /, offline$/ }).waitFor();
    },
    async close(page) {
      await page.getByRole('button', { name: /^Connection / }).click();
      await page.getByRole('menuitem', { name: 'Go online' }).click();
      await page.getByRole('button', { name: /, connected$/ }).waitFor();
    },
  },
  {
    name: 'stack',
    main: true,
    async open(page) {
      await section(page, 'Security stack');
      await front(page).locator('[data-item]').first().waitFor();
    },
  },
  {
    name: 'app-store',
    main: true,
    async open(page) {
      await section(page, 'Security stack');
      await front(page).getByText('App store', { exact: true }).click();
      await front(page).locator('[data-item]').first().waitFor();
    },
    close: (page) => front(page).getByText('Security stack', { exact: true }).last().click(),
  },
  {
    name: 'login-map',
    main: true,
    async open(page) {
      await section(page, 'Login map');
      await front(page).locator('.pp-login').first().waitFor();
    },
  },
  { name: 'file-public', open: (page) => file(page, 'Files made public this week', 'Overview') },
  { name: 'file-deleted', open: (page) => file(page, 'Deleted files, shared outside before', 'Overview') },
  { name: 'file-permissions', open: (page) => file(page, 'Αναφορά ύποπτων συνημμένων', 'Permissions') },
  { name: 'person', main: true, open: (page) => person(page, 'Administrators without a second factor') },
  { name: 'group', open: (page) => person(page, 'Groups open to external members') },
  {
    name: 'message',
    async open(page) {
      await library(page, 'Team messages with credential links');
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await rows(page).first().waitFor();
      await rows(page).first().locator('.ag-cell').nth(1).dblclick();
      await front(page).locator('.em-text-body').first().waitFor();
    },
  },
  {
    name: 'exceptions',
    main: true,
    async open(page) {
      await exceptions(page);
      // Hides the tooltip, which covers the first tools.
      await page.mouse.move(0, 0);
      await front(page)
        .getByRole('button', { name: /^Anti-phishing/ })
        .click();
      await page.keyboard.press('N');
      await front(page).getByLabel('Value', { exact: true }).fill('@nordlicht-logistlk.example');
      await front(page).getByLabel('Comment', { exact: true }).fill('INC-4471 Invoice overdue');
      await front(page).locator('.pp-exc-matches li').first().waitFor();
    },
    async close(page) {
      await front(page).getByRole('button', { name: 'Cancel' }).click();
    },
  },
  {
    name: 'exceptions-paste',
    async open(page) {
      await exceptions(page);
      await page.keyboard.press('P');
      await page
        .getByLabel('Values, one per line')
        .fill(
          'parcel-notice.test\nbilling@partner.example\nlogin[.]aldermoor-portal[.]example\tINC-4471\nno dots\nparcel-notice.test',
        );
      await page.locator('[data-valid="2"]').waitFor();
    },
    close: pressEscape,
  },
  {
    name: 'columns',
    async open(page) {
      await results(page);
      await front(page).getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('button', { name: 'Pin Subject left' }).click();
      await page.mouse.move(0, 0);
    },
    async close(page) {
      await page.getByRole('button', { name: 'Reset' }).click();
      await pressEscape(page);
    },
  },
  {
    name: 'compare',
    async open(page) {
      await groups(page, 'Found, and still in an inbox');
      await page.keyboard.press('v');
      await rows(page).first().waitFor();
      // Quarantines two emails, so that the second run differs.
      for (const row of [0, 1]) await rows(page).nth(row).locator('.pp-cell-check input').click();
      await front(page).getByRole('button', { name: 'Act on 2' }).click();
      await page.getByRole('menuitem', { name: 'Quarantine…' }).click();
      await page.getByRole('dialog').locator('[data-targets]').waitFor();
      await page.getByLabel('Reason (logged)').fill('INC-4471');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('dialog').locator('[data-outcome="done"]').waitFor();
      await pressEscape(page);
      // The query reruns automatically; wait, as a later run would change the menu.
      await front(page)
        .getByText(/no longer match/)
        .waitFor();
      await front(page)
        .getByRole('button', { name: /^Compare runs/ })
        .click();
      await page
        .getByRole('menu')
        .getByRole('menuitem', { name: /\d rows?, / })
        .last()
        .click();
      await front(page).getByRole('button', { name: 'Back to results' }).first().waitFor();
    },
    async close(page) {
      await front(page).getByRole('button', { name: 'Back to results' }).first().click();
    },
  },
  {
    name: 'split',
    least: 1280,
    async open(page) {
      await results(page);
      await rows(page).first().locator('.ag-cell[col-id="subject"]').dblclick();
      await front(page).locator('.en-event').first().waitFor();
      await page.keyboard.press('Alt+s');
      await page.locator('.pp-screen[data-side="left"] .ag-row:not(.pp-row-wait)').first().waitFor();
    },
    close: (page) => page.keyboard.press('Alt+s'),
  },
  {
    name: 'schedule',
    async open(page) {
      await library(page, 'Senders failing DMARC');
      await page.locator('[data-preview]').getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Schedule…' }).click();
      await page.getByRole('dialog').getByLabel('Next runs').waitFor();
    },
    close: pressEscape,
  },
  {
    name: 'action',
    async open(page) {
      await results(page);
      await front(page).locator('.ag-header .pp-check').click();
      await rows(page).nth(1).locator('.pp-cell-check input').click();
      await page.keyboard.press('Escape');
      await front(page)
        .getByRole('button', { name: /^Act on/ })
        .click();
      await page.getByRole('menuitem', { name: 'Quarantine…' }).click();
      await page.getByRole('dialog').locator('[data-targets]').waitFor();
    },
    close: pressEscape,
  },
  {
    name: 'guide',
    async open(page) {
      await page.keyboard.press('F1');
      await page.getByRole('tab', { name: 'Triage by keyboard' }).click();
      await front(page).getByRole('heading', { name: 'Triage by keyboard' }).waitFor();
    },
  },
  ...PROFILE_SCREENS,
];
