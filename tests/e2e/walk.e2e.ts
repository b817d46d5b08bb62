/**
 * The analyst's main job from end to end, online and offline, with the packaged product where it can be built.
 * `electron/window.e2e.ts` does the job in the built window, `accessibility.e2e.ts` checks every screen in both themes.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type DirectoryRecord, type FileRecord, getRawHeader } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import type { Page } from '@playwright/test';
import { parse } from 'csv-parse/sync';
import { expect, nextFile, test } from './fixtures.ts';
import { startHost } from './host.ts';
import { screen } from './on-screen.ts';
import { cannotPackage, installers, packaged } from './packaged.ts';

const SLOW = { timeout: 30_000 };
/** The service generates 20 000 emails first, which is slow on a busy machine. */
const START = { timeout: 90_000 };
/** The front tab; other tabs stay mounted. */
const rows = (page: Page) => screen(page).locator('.ag-row');
const cell = (page: Page, row: number, column: string) =>
  screen(page).locator(`.ag-row[row-index="${row}"] .ag-cell[col-id="${column}"]`);
const panel = (page: Page, title: string) =>
  screen(page)
    .locator('.pp-panel')
    .filter({ has: page.getByRole('heading', { name: title }) });

/** The exact number of a tile on Home, from its tooltip. */
async function figure(page: Page, tile: string): Promise<number> {
  const shown = screen(page).locator(`[data-tile="${tile}"] .pp-figure`);
  await expect(shown).toHaveAttribute('title', /^[\d,]+$/, START);
  return Number((await shown.getAttribute('title'))?.replaceAll(',', ''));
}

/** Presses Run and waits for the result of this run, as the previous rows stay on screen. */
async function run(page: Page): Promise<number> {
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  const count = screen(page).locator('.pp-results-count');
  await expect(count).toHaveAttribute('data-total', /^\d+$/, SLOW);
  await expect(rows(page).first()).toBeVisible(SLOW);
  return Number(await count.getAttribute('data-total'));
}

/** The body as text, whether the mail has HTML or not. */
async function bodyText(page: Page): Promise<string> {
  await screen(page).getByRole('tab', { name: 'Body' }).click();
  await panel(page, 'Body').getByText('Text', { exact: true }).click(SLOW);
  const text = screen(page).getByRole('region', { name: 'Body text' });
  await expect(text).toBeVisible(SLOW);
  return (await text.innerText()).trim();
}

async function switchOffline(page: Page, offline: boolean): Promise<void> {
  await page.getByRole('button', { name: /^Connection / }).click();
  await page.getByRole('menuitem', { name: offline ? 'Go offline' : 'Go online' }).click();
  const name = offline ? /, offline$/ : /, connected$/;
  await expect(page.getByRole('button', { name })).toBeVisible(SLOW);
}

const cleanups: (() => Promise<unknown>)[] = [];
const onTestEnd = (cleanup: () => Promise<unknown>) => cleanups.push(cleanup);
test.afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

test.use({ colorScheme: 'light' });

test('[spec 2] the main job works online and offline', async ({ page }) => {
  test.setTimeout(300_000);
  page.setDefaultTimeout(SLOW.timeout);
  const host = await startHost(cannotPackage === null ? { product: packaged().extracted } : {});
  onTestEnd(() => host.stop());
  const broken: string[] = [];
  page.on('pageerror', (error) => broken.push(String(error)));
  page.on('console', (message) => {
    if (['warning', 'error'].includes(message.type())) broken.push(message.text());
  });

  await page.goto(host.url);
  await expect(page.locator('body')).toHaveClass(/pp-light/);
  const matches = await figure(page, 'found');
  expect(matches).toBeGreaterThan(0);
  await expect(screen(page).getByRole('row').filter({ hasText: 'Microsoft 365 Mail' })).toBeVisible();

  await page.keyboard.press('Alt+2');
  await expect(rows(page).first()).toBeVisible(SLOW);
  await screen(page).locator('[data-kind="template"]').click();
  await page.getByLabel('Search queries').fill('business email');
  await expect(page.locator('[data-preview] h2')).toContainText('business email');
  await screen(page).getByRole('button', { name: 'New from template' }).click();
  const builder = screen(page).locator('.pp-qb');
  await expect(builder.locator('.pp-qb-row').first()).toBeVisible(SLOW);
  const template = await run(page);
  expect(template).toBeGreaterThan(0);

  // Run collapses the conditions in low windows; E expands them.
  await page.keyboard.press('e');
  await expect(builder.locator('.pp-qb-row').first()).toBeVisible();
  // With one condition fewer the service finds more.
  const conditions = await builder.locator('.pp-qb-row').count();
  await builder
    .getByRole('button', { name: /^Remove / })
    .first()
    .click();
  await expect(builder.locator('.pp-qb-row')).toHaveCount(conditions - 1);
  await run(page);
  const count = screen(page).locator('.pp-results-count');
  await expect(count).not.toHaveAttribute('data-total', String(template), SLOW);
  const total = Number(await count.getAttribute('data-total'));
  expect(total).toBeGreaterThan(template);
  await expect(count).toHaveAttribute('data-loaded', String(total), SLOW);

  const bySubject = screen(page).locator('.ag-header-cell[col-id="subject"]');
  await bySubject.click();
  await expect(bySubject).toHaveAttribute('aria-sort', 'ascending');
  const queryTab = page.getByRole('tab', { selected: true }).first();
  const queryName = await queryTab.innerText();

  await screen(page)
    .getByRole('button', { name: /^Export( results)?$/ })
    .last()
    .click();
  const dialog = page.getByRole('dialog');
  const download = nextFile(page);
  await dialog.getByRole('button', { name: /^Export [\d,]+ row/ }).click();
  const table = parse(readFileSync(await (await download).path()), { bom: true }) as string[][];
  expect(table).toHaveLength(total + 1);
  const subjectAt = table[0]?.indexOf('Subject') ?? -1;
  expect(subjectAt).toBeGreaterThanOrEqual(0);
  const first = table[1]?.[subjectAt]?.replace(/^'/, '') ?? '';
  await expect(cell(page, 0, 'subject')).toHaveText(first);
  expect(table.filter((line) => line.length !== table[0]?.length)).toEqual([]);
  expect(table.flat().filter((value) => /^[=+@\t\r-]/.test(value) && !/^-?\d/.test(value))).toEqual([]);

  await cell(page, 0, 'subject').dblclick();
  await expect(screen(page)).toHaveAttribute('data-screen', 'email');
  await expect(screen(page).getByRole('heading', { level: 1 })).toHaveText(first, SLOW);
  await screen(page).getByRole('tab', { name: 'Headers' }).click();
  await expect(
    panel(page, 'Raw headers')
      .getByText(/^Received:/)
      .first(),
  ).toBeVisible(SLOW);
  // One of the first lines: below many recipients, the Message-ID may not be drawn.
  const receivedId = /ESMTPS id (\w{11})/.exec(await panel(page, 'Raw headers').innerText())?.[1] ?? '';
  expect(receivedId).not.toBe('');
  const body = await bodyText(page);
  expect(body).not.toBe('');

  await switchOffline(page, true);
  await page.reload();
  await expect(page.getByRole('button', { name: /, offline$/ })).toBeVisible(SLOW);
  // The same email is open, complete and with its age.
  await expect(screen(page).getByRole('heading', { level: 1 })).toHaveText(first, SLOW);
  await expect(
    screen(page)
      .locator('.pp-page-header')
      .getByText(/saved .*(now|ago)/i),
  ).toBeVisible(SLOW);
  await screen(page).getByRole('tab', { name: 'Headers' }).click();
  await expect(panel(page, 'Raw headers')).toContainText(receivedId, SLOW);
  expect(await bodyText(page)).toBe(body);
  // The same query with its rows in the same order.
  await page.getByRole('tab').filter({ hasText: queryName }).first().click();
  await expect(screen(page)).toHaveAttribute('data-screen', 'query');
  await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', String(total), SLOW);
  await expect(cell(page, 0, 'subject')).toHaveText(first, SLOW);
  await expect(
    screen(page)
      .getByText(/saved .*(now|ago)/i)
      .first(),
  ).toBeVisible(SLOW);

  await switchOffline(page, false);
  expect(broken).toEqual([]);
});

/** The byte of an enabled fuse in the executable. */
const ENABLED = '1'.charCodeAt(0);
/** In bytes, without Electron itself. */
const ARCHIVE_BUDGET = 36 * 1024 * 1024;

test.describe('the package', () => {
  test.skip(cannotPackage !== null, cannotPackage ?? '');
  test.afterAll(() => packaged().remove());

  const filesOf = (record: DirectoryRecord, folder = ''): [string, FileRecord][] =>
    Object.entries(record.files).flatMap(([name, entry]) =>
      'files' in entry
        ? filesOf(entry, `${folder}/${name}`)
        : [[`${folder}/${name}`, entry] as [string, FileRecord]],
    );

  test('holds the product, its native modules outside the archive, and nothing else', () => {
    const { archive, resources } = packaged();
    const entries = filesOf(getRawHeader(archive).header);
    const files = entries.map(([file]) => file);
    for (const file of [
      '/out/main/index.js',
      '/out/preload/index.cjs',
      '/out/renderer/index.html',
      '/package.json',
    ])
      expect(files).toContain(file);
    // No sources, tests or source maps (which have local paths), and no packages that only the build needs.
    const wrong = /\.([cm]?ts|tsx|map|tsbuildinfo)$|^\/(src|tests|docs|scripts)\/|\.test\./;
    const unused = /^\/node_modules\/(electron|react|node-|typescript|playwright|@blueprintjs)/;
    expect(files.filter((file) => wrong.test(file) || unused.test(file))).toEqual([]);
    const native = files.filter((file) => file.endsWith('.node'));
    expect(native.map((file) => path.basename(file)).sort()).toEqual([
      'keyring.linux-x64-gnu.node',
      'linux-x64.node',
    ]);
    for (const file of native) expect(statSync(path.join(`${archive}.unpacked`, file)).isFile()).toBe(true);
    expect(statSync(archive).size).toBeLessThan(ARCHIVE_BUDGET);
    expect(readdirSync(resources).sort()).toEqual([
      'THIRD-PARTY-NOTICES.txt',
      'app.asar',
      'app.asar.unpacked',
      'sbom.cdx.json',
    ]);
    // The hashes that Electron checks when it reads the archive.
    const wrongHash = entries.filter(([file, entry]) => {
      const bytes = readFileSync(path.join(packaged().extracted, file));
      return createHash('sha256').update(bytes).digest('hex') !== entry.integrity.hash;
    });
    expect(wrongHash).toEqual([]);
  });

  test('has every fuse of Electron set', async () => {
    const wire = await getCurrentFuseWire(packaged().program);
    const fuses = Object.fromEntries(
      Object.entries(wire)
        .filter(([index]) => index in FuseV1Options)
        .map(([index, state]) => [FuseV1Options[Number(index)], state === ENABLED]),
    );
    expect(fuses).toEqual({
      RunAsNode: false,
      EnableCookieEncryption: true,
      EnableNodeOptionsEnvironmentVariable: false,
      EnableNodeCliInspectArguments: false,
      EnableEmbeddedAsarIntegrityValidation: true,
      OnlyLoadAppFromAsar: true,
      LoadBrowserProcessSpecificV8Snapshot: false,
      GrantFileProtocolExtraPrivileges: false,
    });
  });

  test('as .deb and .rpm opens mail files and links, and keeps its sandbox', () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-installers-'));
    onTestEnd(async () => rmSync(dir, { recursive: true }));
    const names = installers(dir);
    test.skip(names.length === 0, 'neither dpkg-deb nor rpmbuild is here');
    const output = execFileSync(process.execPath, ['scripts/inspect-packages.mjs', dir], {
      encoding: 'utf8',
    });
    for (const name of names) expect(output).toMatch(new RegExp(`^${name}: (as it should be|skipped)`, 'm'));
  });

  test('names every package that it carries, with its licence', () => {
    const { extracted, resources } = packaged();
    const bom = JSON.parse(readFileSync(path.join(resources, 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string;
      components: { 'bom-ref': string; hashes?: unknown[]; licenses?: unknown[] }[];
    };
    expect(bom.bomFormat).toBe('CycloneDX');
    const listed = new Set(bom.components.map((component) => component['bom-ref']));
    const notices = readFileSync(path.join(resources, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    const carried = globSync('node_modules/{*,@*/*}/package.json', { cwd: extracted }).map((file) => {
      const { name, version } = JSON.parse(readFileSync(path.join(extracted, file), 'utf8')) as {
        name: string;
        version: string;
      };
      return { name, version };
    });
    expect(carried.length).toBeGreaterThan(10);
    // Bundled into the renderer, not packed as folders: libraries, one of a worker, and a font.
    const bundled = ['react', '@blueprintjs/core', 'd3-geo', 'pako', '@fontsource-variable/inter'];
    for (const { name, version } of carried) {
      expect(listed).toContain(`${name}@${version}`);
      expect(notices).toContain(`${name} ${version} (`);
    }
    for (const name of bundled) expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, 'm'));
    expect(bom.components.filter((component) => !component.hashes || !component.licenses)).toEqual([]);
    // The format the About dialog reads: it shows no notices if one lacks a field.
    const shown = JSON.parse(
      readFileSync(path.join(extracted, 'out/renderer/notices.json'), 'utf8'),
    ) as Record<string, unknown>[];
    const fields = ['name', 'version', 'identifier', 'text'];
    expect(shown.filter((component) => fields.some((field) => typeof component[field] !== 'string'))).toEqual(
      [],
    );
    expect(shown.length).toBeGreaterThan(50);
  });
});
