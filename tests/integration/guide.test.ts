/**
 * docs/guide and the README: links resolve, commands are accepted, keys are the product's, and the window shows the
 * guide. The checklist of docs/security.md names tests that exist.
 */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { withKeyTables } from '#renderer/commands/guide-keys.ts';
import { capOf, SCREENS } from '#renderer/commands/keys.ts';
import { GUIDE_PAGES } from '#renderer/state/guide.ts';
import { guidePage } from '../../scripts/guide-pages.ts';
import { parseOptions } from '../../src/main/host/options.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'docs/guide');
const files = readdirSync(folder);
const scripts = Object.keys(
  (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: object }).scripts,
);

test('every file is a page of the guide in the window, listed once', () => {
  expect(files.toSorted()).toEqual(GUIDE_PAGES.map(({ id }) => `${id}.md`).toSorted());
});

/** Chords that the product listens for, as the guide writes them: "Ctrl K", "Alt ←". */
const chords = new Set(
  Object.values(SCREENS)
    .flatMap((tables) => tables.flatMap((table) => Object.values(table).flatMap(({ keys }) => keys)))
    .map((chord) => capOf(chord).replace('Left', '←').replace('Right', '→')),
);
// Sections have numbered keys.
for (let digit = 1; digit <= 9; digit += 1) chords.add(`Alt ${digit}`);

/** The keys in tables that are written as chords. */
function expectKeys(text: string): void {
  const rows = text.split('\n').filter((line) => /^\| `/.test(line));
  for (const row of rows)
    for (const [, key] of (row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g))
      if (/^(?:(?:Ctrl|Alt|Shift) )*(?:[A-Z0-9]|F\d+|Esc|Enter|Space|Tab|[←→/])$/.test(key!))
        expect([...chords], key).toContain(key);
}

/** All text of the window's source, which has every label. */
const source = globSync('src/{renderer,shared}/**/*.{ts,tsx}', { cwd: root, exclude: ['**/*.test.*'] })
  .map((file) => readFileSync(path.join(root, file), 'utf8'))
  .join('\n');

/** Labels of the window, in bold; ` … ` stands for a part that varies. */
function expectLabels(text: string): void {
  for (const [, bold] of text.matchAll(/\*\*([^*]+)\*\*/g))
    for (const label of bold!.split(/ (?:→|…) /)) expect(source.includes(label), label).toBe(true);
}

function expectLinks(text: string, from: string): void {
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].filter(([, target]) => !target!.startsWith('https://'));
  for (const [, target] of links) expect(existsSync(path.join(from, target!)), target).toBe(true);
}

describe.each(files)('%s', (file) => {
  const text = readFileSync(path.join(folder, file), 'utf8');

  test('is rendered by the window', () => expect(guidePage(text).blocks.length).toBeGreaterThan(3));

  test('leads to files that exist', () => expectLinks(text, folder));

  test('contains commands that this version accepts', () => {
    for (const [, block] of text.matchAll(/```sh\n([\s\S]*?)```/g))
      for (const line of block!.trim().split('\n')) {
        const [, script, args = ''] = /^(?:[A-Z_]+=\S+ )?npm (?:run )?(\S+)(?: -- (.*))?$/.exec(line) ?? [];
        expect(scripts, line).toContain(script);
        if (script === 'start')
          expect(parseOptions(args.split(' ').filter(Boolean), root).ok, line).toBe(true);
      }
  });

  test('names keys that the product listens for', () => expectKeys(text));

  test('names labels that the window shows', () => expectLabels(text));
});

test("the tables of keys are those of the screens' commands", () => {
  const page = readFileSync(path.join(folder, 'triage.md'), 'utf8');
  expect(page.match(/^\| Key \| Does \|$/gm)).toHaveLength(3);
  expect(withKeyTables(page)).toBe(page);
});

test('the page of the options has all of them', () => {
  const text = readFileSync(path.join(folder, 'options.md'), 'utf8');
  const options = [...text.matchAll(/^\| `(--[a-z-]+)/gm)].map(([, option]) => option!);
  // `--host` belongs to the launcher (scripts/start.mjs).
  for (const option of ['--host', '--no-open', '--port', '--profile', '--connect'])
    expect(options).toContain(option);
});

describe('README.md', () => {
  const text = readFileSync(path.join(root, 'README.md'), 'utf8');

  test('leads to files that exist', () => expectLinks(text, root));

  test('contains commands that exist', () => {
    const named = [...text.matchAll(/npm (?:run )?([a-z][\w:]*)/g)].map(([, script]) => script!);
    expect(named.length).toBeGreaterThan(3);
    for (const script of named.filter((name) => name !== 'ci' && name !== 'brings'))
      expect(scripts).toContain(script);
  });

  test('takes a minute to read', () => expect(text.split(/\s+/).length).toBeLessThan(400));

  test('names keys that the product listens for', () => expectKeys(text));
});

test("each item of Electron's security checklist names tests that exist", () => {
  const sources = globSync('{src,tests}/**/*.{test,e2e}.{ts,tsx}', { cwd: root });
  const words = sources.map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n');
  const items = readFileSync(path.join(root, 'docs/security.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| \d+ \|/.test(line));
  expect(items).toHaveLength(20);
  for (const item of items) {
    const proof = item.split('|')[4] ?? '';
    const named = [...proof.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, file]) => file!);
    const titles = [...proof.matchAll(/"([^"]+)"/g)].flatMap(([, title]) => title!.split('…'));
    expect(named.length + titles.length, item).toBeGreaterThan(0);
    for (const file of named)
      expect(
        sources.some((source) => source.endsWith(file)),
        file,
      ).toBe(true);
    for (const part of titles.map((title) => title.trim())) expect(words.includes(part), part).toBe(true);
  }
});
