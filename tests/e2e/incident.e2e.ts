/**
 * The ten-minute incident (product.md), by keyboard alone: from a reported Message-ID to the verified export. Every key
 * press is counted and logged with the element focused after it; the focus is never lost to the page.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { startHost } from './host.ts';

const SLOW = { timeout: 30_000 };
const MOST_KEYS = 60;
const screen = (page: Page) => page.locator('[data-front]');
const RESULTS = path.resolve(import.meta.dirname, '../../test-results');

/** A description of the focused element, for the log. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const node = document.activeElement;
    if (node === null || node === document.body) return 'body';
    const name = node.getAttribute('aria-label') ?? node.textContent?.trim().slice(0, 40) ?? '';
    const place = node.closest('[role="dialog"], [role="menu"], [data-screen]');
    const where = place?.getAttribute('data-screen') ?? place?.getAttribute('role') ?? 'shell';
    return `${where} / ${node.getAttribute('role') ?? node.tagName.toLowerCase()} ${node.getAttribute('col-id') ?? ''} "${name}"`;
  });

class Keyboard {
  private readonly lines: string[] = [];
  private readonly from = Date.now();
  private keys = 0;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Presses keys in order; none may leave the focus on the body, except until a grid has drawn its rows again. */
  async press(what: string, ...chords: string[]): Promise<void> {
    for (const chord of chords) {
      await this.page.keyboard.press(chord);
      this.keys += 1;
      await this.page.evaluate(
        () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
      );
      await expect.poll(() => focused(this.page), `after ${chord}: ${what}`).not.toBe('body');
      await this.log(chord, what);
    }
  }

  /** Presses a key until an element that matches the selector has the focus. */
  async to(what: string, chord: string, selector: string): Promise<void> {
    for (
      let times = 0;
      times < 12 && (await this.page.locator(`${selector}:focus`).count()) === 0;
      times += 1
    )
      await this.press(what, chord);
    await expect(this.page.locator(`${selector}:focus`)).toBeVisible();
  }

  /** Enters text such as a reason or a name; it is not counted as keys. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.insertText(text);
    await this.log(`“${text}”`, 'typed');
  }

  private async log(key: string, what: string): Promise<void> {
    const place = await focused(this.page);
    const ms = String(Date.now() - this.from).padStart(6);
    const count = String(this.keys).padStart(2);
    this.lines.push(`${ms} ms  ${count}  ${key.padEnd(16)} ${what.padEnd(28)} ${place}`);
  }

  end(name: string): number {
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(path.join(RESULTS, `${name}.txt`), `${this.lines.join('\n')}\n`);
    return this.keys;
  }
}

/** An item has the focus; in a menu that is still being positioned, none does. */
const menuIsOpen = (page: Page) =>
  expect(page.locator('[role="menu"] [role="menuitem"]:focus')).toBeVisible(SLOW);

const cleanups: (() => Promise<unknown>)[] = [];
test.afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** The Message-ID of an email of the campaign, as a user would report it, and its recipient. */
async function reported(page: Page): Promise<string> {
  await page.keyboard.press('Alt+n');
  await screen(page).getByRole('button', { name: 'Edit as JSON' }).click();
  const conditions = [
    { field: 'subject', operator: 'contains_words', values: ['Invoice overdue final notice'] },
    { field: 'clicks', operator: 'greater_than', values: [0] },
  ];
  await screen(page)
    .getByLabel('Conditions as JSON')
    .fill(JSON.stringify({ operator: 'and', conditions }));
  await page.keyboard.press('Control+Enter');
  await screen(page).locator('.ag-row:not(.pp-row-wait)').first().waitFor(SLOW);
  await page.keyboard.press('Enter');
  await expect(screen(page)).toHaveAttribute('data-screen', 'email');
  const fact = screen(page).locator('[data-panel="Facts"] dl > div', { hasText: 'Message-ID' }).locator('dd');
  await expect(fact).toContainText('@', SLOW);
  return `<${(await fact.innerText()).trim().replace(/[<>]/g, '')}>`;
}

test.use({ colorScheme: 'dark', viewport: { width: 1280, height: 800 } });

test('[promise] the ten-minute incident by keyboard alone', async ({ page }) => {
  test.setTimeout(180_000);
  const host = await startHost();
  cleanups.push(() => host.stop());
  await page.goto(host.url);
  await screen(page).waitFor(SLOW);
  const messageId = await reported(page);
  expect(messageId).not.toBe('');
  await page.keyboard.press('Alt+1');
  const keys = new Keyboard(page);
  cleanups.push(async () => keys.end('incident'));

  await keys.press('find the reported email', 'Control+k');
  await keys.type(messageId);
  const option = page.getByRole('option', { name: /Invoice overdue/ });
  await option.waitFor(SLOW);
  await keys.press('open it', 'Enter');
  await expect(screen(page).getByRole('heading', { level: 1, name: /Invoice overdue/ })).toBeVisible(SLOW);
  await keys.press('its headers', 'h');
  await expect(screen(page).locator('[data-panel="Header analysis"]')).toBeVisible(SLOW);
  await keys.press('its links', 'l');
  await expect(screen(page).locator('[data-panel="Clicks"] .ag-row').first()).toBeVisible(SLOW);
  await keys.to('who clicked', 'F6', '[data-panel="Clicks"] .ag-cell');
  await keys.press('the user', 'ArrowRight', 'm');
  await menuIsOpen(page);
  const onMap = page.getByRole('menuitem', { name: 'Open on the login map' });
  await keys.press('where that user signed in', 'o', 'o');
  await expect(onMap).toBeFocused();
  await keys.press('where that user signed in', 'Enter');
  await expect(screen(page)).toHaveAttribute('data-screen', 'login-map');
  // The user who clicked may have no sign-ins in this period; the map then says so.
  const logins = screen(page).locator('.pp-login').or(screen(page).getByText('No matching logins'));
  await expect(logins.first()).toBeVisible(SLOW);
  await keys.press('the sign-ins', 'j');
  await keys.press('back to the email', 'Alt+w');
  await expect(screen(page)).toHaveAttribute('data-screen', 'email');

  await keys.to('the host of the link', 'ArrowRight', '[data-panel="Clicks"] .ag-cell[col-id="host"]');
  await keys.press('block it', 'm');
  await menuIsOpen(page);
  await keys.press('block it', 'End', 'ArrowUp', 'ArrowUp');
  await expect(page.getByRole('menuitem', { name: 'Create exception' })).toBeFocused();
  await keys.press('block it', 'Enter');
  await expect(screen(page)).toHaveAttribute('data-screen', 'exceptions');
  await expect(screen(page).getByRole('heading', { name: 'New block rule' })).toBeVisible(SLOW);
  await keys.press('its blast radius', 'Control+Enter');
  // Saving is disabled until the blast radius is known.
  await expect(page.getByRole('button', { name: 'Save 1 block rule' })).toBeEnabled(SLOW);
  await keys.press('save', 'Control+Enter');
  await expect(page.locator('.pp-toast').filter({ hasText: 'Exception saved' })).toBeVisible(SLOW);
  await keys.press('back to the email', 'Alt+w');
  await expect(screen(page)).toHaveAttribute('data-screen', 'email');

  await keys.press('the same attachment', '4');
  await expect(screen(page)).toHaveAttribute('data-screen', 'query');
  const count = screen(page).locator('.pp-results-count');
  await expect(count).toHaveAttribute('data-total', /^[1-9]\d*$/, SLOW);
  await expect(screen(page).locator('.ag-cell:focus')).toBeVisible(SLOW);

  // The second half runs in the light theme.
  await page.emulateMedia({ colorScheme: 'light' });
  await expect(page.locator('body')).toHaveClass(/pp-light/);
  await keys.press('triage', 'j', 'Space', 'j', 'j', 'k', 'Escape');
  await keys.press('all of them', 'Control+a');
  await keys.press('act', 'a');
  await menuIsOpen(page);
  await keys.press('act', 'Enter');
  const dialog = page.getByRole('dialog');
  await dialog.locator('[data-targets]').waitFor(SLOW);
  await keys.press('send without a reason', 'Control+Enter');
  await expect(dialog.getByLabel('Reason (logged)')).toBeFocused();
  await keys.type('User reported phishing: Invoice overdue');
  await keys.press('send', 'Control+Enter');
  // Of the outcome: the dialog before says how many are quarantined already.
  await expect(page.getByRole('dialog').getByText(/\d done/)).toBeVisible(SLOW);
  await keys.press('close the outcome', 'Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0, SLOW);

  await keys.press('the indicators', 'c');
  await expect(page.getByRole('dialog').getByRole('button', { name: /^Copy \d/ })).toBeFocused(SLOW);
  await keys.press('copy them', 'Enter');
  await expect(page.locator('.pp-toast').filter({ hasText: /Copied \d+ indicators/ })).toBeVisible(SLOW);

  await keys.press('export', 'Shift+E');
  await expect(page.getByRole('dialog')).toBeVisible(SLOW);
  // The manifest is a second download.
  const download = page.waitForEvent('download', {
    predicate: (download) => download.suggestedFilename().endsWith('.csv'),
    ...SLOW,
  });
  await keys.press('export', 'Control+Enter');
  const file = test.info().outputPath((await download).suggestedFilename());
  await (await download).saveAs(file);
  await keys.press('verify it', 'Alt+7');
  await expect(screen(page)).toHaveAttribute('data-screen', 'activity');
  // The screen's module loads on first use; it handles no keys before that.
  await expect(screen(page).locator('.ag-cell:focus')).toBeVisible(SLOW);
  await keys.press('verify it', 'v');
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Choose file…' })).toBeFocused(SLOW);
  const choosing = page.waitForEvent('filechooser', SLOW);
  await keys.press('the file', 'Enter');
  await (await choosing).setFiles(file);
  await expect(page.getByRole('dialog').getByText(path.basename(file))).toBeVisible(SLOW);
  await keys.press('verify it', 'Control+Enter');
  await expect(page.getByText('matches its manifest.')).toBeVisible(SLOW);
  expect(keys.end('incident')).toBeLessThanOrEqual(MOST_KEYS);
});
