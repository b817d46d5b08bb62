/**
 * A complete result: queried, fetched, then compared with an earlier run, sorted, searched, filtered and exported in
 * every format after the service has stopped. PARAPET_ROWS sets the number of rows and prints the time of each step.
 * The default, 11 000, is above the size from which the host indexes rows and loads columns; 1 000 000 is the target.
 * `results.e2e.ts` tests how a fetch pauses and continues.
 */
import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob, openSync, readFileSync, readSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Download, Page } from '@playwright/test';
import { BlobReader, TextWriter, ZipReader } from '@zip.js/zip.js';
import { parse } from 'csv-parse';
import { expect, test } from './fixtures.ts';
import { startHost } from './host.ts';
import { screen } from './on-screen.ts';
import { cell, count, header, number, rows } from './results-page.ts';
import { openTenant, quarantineElsewhere, startService, stopService } from './tenant.ts';

const ROWS = Number(process.env['PARAPET_ROWS'] ?? 11_000);
/** The automatic fetch limit: `AUTO_FETCH` of `src/main/results/sets.ts`. */
const AUTO_FETCH_LIMIT = 20_000;
const LONG = { timeout: 120_000 };

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await test.step(what, work);
  if (process.env['PARAPET_ROWS']) console.log(`${what}: ${Math.round(performance.now() - begun)} ms`);
  return result;
}

async function runAndFetch(page: Page): Promise<void> {
  // The previous run stays on screen until the new one has its first rows.
  const begun = page.waitForFunction(
    ([selector, all]) => {
      const loaded = document.querySelector(selector)?.getAttribute('data-loaded');
      return loaded != null && loaded !== all;
    },
    ['.pp-screen:not([hidden]) .pp-results-count', String(ROWS)] as const,
    LONG,
  );
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  await begun;
  if (ROWS > AUTO_FETCH_LIMIT) {
    await expect(screen(page).getByRole('region', { name: 'Fetch' })).toHaveAttribute(
      'data-fetch',
      'paused',
      LONG,
    );
    await screen(page)
      .getByRole('button', { name: /^Fetch remaining/ })
      .click();
  }
  await expect.poll(() => number(page, 'loaded'), { timeout: 900_000, intervals: [250] }).toBe(ROWS);
  await expect(screen(page).getByText('Complete')).toBeVisible(LONG);
}

interface Saved {
  path: string;
  name: string;
  manifest: { rows: number; sha256: string; completeness: string; total_announced: number };
}

/** Exports the result on screen; returns the file and its manifest. */
async function save(page: Page, format: string, password?: string): Promise<Saved> {
  await screen(page)
    .getByRole('button', { name: /^Export( results)?$/ })
    .last()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('radio', { name: format, exact: true })
    .or(dialog.getByText(format, { exact: true }))
    .first()
    .click();
  if (password !== undefined) {
    await dialog.getByText(/^Zip, password-protected/).click();
    await dialog.locator('input[type="password"]').first().fill(password);
  }
  const files: Download[] = [];
  const take = (download: Download) => files.push(download);
  page.on('download', take);
  await dialog.getByRole('button', { name: /^Export [\d,]+ row/ }).click();
  await expect.poll(() => files.length, { ...LONG, intervals: [250] }).toBe(2);
  page.off('download', take);
  const isManifest = (file: Download) => file.suggestedFilename().endsWith('.manifest.json');
  const data = files.find((file) => !isManifest(file));
  const beside = files.find(isManifest);
  if (!data || !beside) throw new Error('No manifest came beside the file');
  const manifest = JSON.parse(readFileSync(await beside.path(), 'utf8'));
  return { path: await data.path(), name: data.suggestedFilename(), manifest };
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(file)) hash.update(part as Buffer);
  return hash.digest('hex');
}

async function linesOf(file: string): Promise<number> {
  let lines = 0;
  for await (const part of createReadStream(file))
    for (const byte of part as Buffer) if (byte === 10) lines += 1;
  return lines;
}

async function csvRecords(file: string): Promise<number> {
  const parser = createReadStream(file).pipe(parse({ bom: true }));
  parser.on('data', () => undefined);
  await finished(parser);
  return parser.info.records;
}

/** The first and last byte of the file, as a string. */
function ends(file: string, size: number): string {
  const handle = openSync(file, 'r');
  const bytes = Buffer.alloc(1);
  readSync(handle, bytes, 0, 1, 0);
  const first = bytes.toString();
  const tail = Buffer.alloc(8);
  const read = readSync(handle, tail, 0, 8, Math.max(0, size - 8));
  return first + tail.subarray(0, read).toString().trimEnd().slice(-1);
}

test.use({ viewport: { width: 1920, height: 1080 } });

test('a complete result is compared, sorted, searched, filtered and exported after the service has stopped', async ({
  page,
}) => {
  test.setTimeout(300_000 + ROWS);
  const service = await step('service made', () => startService(ROWS));
  const host = await startHost({ connect: 'none' });
  try {
    await openTenant(page, host, service);
    await page.keyboard.press('Alt+2');
    await rows(page).first().waitFor(LONG);
    await page.locator('.pp-library').getByRole('button', { name: 'New query' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await step('first run fetched whole', () => runAndFetch(page));
    const ids = await page.evaluate(() =>
      [...document.querySelectorAll('.pp-screen:not([hidden]) .ag-row[row-id]')]
        .slice(0, 12)
        .map((row) => row.getAttribute('row-id') ?? ''),
    );
    await quarantineElsewhere(service, ids);
    await step('second run fetched whole', () => runAndFetch(page));
    await stopService(service);

    await step('compared', async () => {
      await screen(page)
        .getByRole('button', { name: /^Compare runs/ })
        .click();
      await page
        .getByRole('menuitem', { name: /rows, complete/ })
        .first()
        .click();
      const changed = screen(page).getByRole('button', { name: /changed$/ });
      // Some of the twelve may have been in quarantine already.
      await expect(changed).toContainText(/\b(?:[1-9]|1[0-2]) changed/, LONG);
    });
    await screen(page).getByRole('button', { name: 'Back to results' }).click();
    await expect(count(page)).toHaveAttribute('data-total', String(ROWS), LONG);
    // The grid appears after the bar above it.
    await rows(page).locator('visible=true').first().waitFor(LONG);

    const sortable = await screen(page)
      .locator('.ag-header-cell-sortable[col-id]')
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('col-id') ?? ''));
    expect(sortable.length).toBeGreaterThanOrEqual(5);
    for (const column of sortable.slice(0, 5)) {
      await step(`sorted by ${column}`, async () => {
        // If the column is already sorted descending, the next click on its header clears the order.
        if ((await header(page, column).getAttribute('aria-sort')) === 'descending')
          await header(page, column).click();
        await header(page, column).click();
        await expect(header(page, column)).toHaveAttribute('aria-sort', 'ascending');
        await expect(cell(page, 0, 'received')).not.toBeEmpty(LONG);
        await expect(rows(page).locator('visible=true').and(page.locator('.pp-row-wait'))).toHaveCount(
          0,
          LONG,
        );
      });
    }
    await step('searched', async () => {
      await page.keyboard.press('/');
      // Inserted in one piece: each typed letter would start a search, and every row has an “i”.
      await page.keyboard.insertText('invoice');
      await expect.poll(() => number(page, 'matching'), LONG).toBeLessThan(ROWS);
    });
    const matching = await number(page, 'matching');
    expect(matching).toBeGreaterThan(0);
    expect(matching).toBeLessThan(ROWS);
    await step('filtered', async () => {
      await screen(page)
        .getByRole('button', { name: /^Filter/ })
        .click();
      const bar = screen(page).getByRole('region', { name: 'Filter loaded rows' });
      await bar.getByRole('button', { name: 'Add condition' }).click();
      await page.keyboard.press('Escape');
      await expect.poll(() => number(page, 'matching'), LONG).toBeLessThan(matching);
    });
    await screen(page).getByRole('button', { name: 'Clear all' }).click();
    await expect(count(page)).not.toContainText(' of ', LONG);

    for (const format of ['CSV', 'NDJSON', 'JSON', 'XLSX']) {
      const saved = await step(`exported as ${format}`, () => save(page, format));
      expect(saved.manifest).toMatchObject({ rows: ROWS, total_announced: ROWS, completeness: 'complete' });
      expect(saved.manifest.sha256).toBe(await sha256(saved.path));
      if (format === 'CSV') expect(await csvRecords(saved.path)).toBe(ROWS + 1);
      if (format === 'NDJSON') expect(await linesOf(saved.path)).toBe(ROWS);
      const blob = await openAsBlob(saved.path);
      if (format === 'JSON') expect(ends(saved.path, blob.size)).toBe('[]');
      if (format === 'XLSX') {
        const reader = new ZipReader(new BlobReader(blob));
        const entries = await reader.getEntries();
        expect(entries.map(({ filename }) => filename)).toContain('xl/worksheets/sheet1.xml');
        await reader.close();
      }
    }
    const sealed = await step('exported as CSV in a sealed zip', () =>
      save(page, 'CSV', 'Correct-Horse-9-Battery'),
    );
    const reader = new ZipReader(new BlobReader(await openAsBlob(sealed.path)), {
      password: 'Correct-Horse-9-Battery',
    });
    const names = (await reader.getEntries()).filter((entry) => !entry.directory);
    expect(names.every(({ encrypted }) => encrypted)).toBe(true);
    const inside = names.find(({ filename }) => filename.endsWith('.manifest.json'));
    if (inside && !inside.directory)
      expect(JSON.parse(await inside.getData(new TextWriter()))).toMatchObject({ rows: ROWS });
    await reader.close();
  } finally {
    await stopService(service);
    await host.stop();
  }
});
