/** docs/guide: its links lead somewhere, its commands are taken, its keys are the product's, and the window shows all of it. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { GUIDE_PAGES } from '#renderer/state/guide.ts';
import { SIMILAR_MODES } from '#shared/api/profile-pages.ts';
import { guidePage } from '../../scripts/guide-pages.ts';
import { parseOptions } from '../../src/main/host/options.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'docs/guide');
const files = readdirSync(folder);
const scripts = Object.keys(
  (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: object }).scripts,
);

test('every page is one of the window, in one list', () => {
  expect(files.toSorted()).toEqual(GUIDE_PAGES.map(({ id }) => `${id}.md`).toSorted());
});

/** Chords that the product listens for, as the guide writes them: "Ctrl K", "Alt ←". */
const chords = new Set(
  globSync('src/renderer/**/*.{ts,tsx}', { cwd: root, exclude: ['**/*.test.*'] }).flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/keys: (\[[^\]]+\]|'[^']+')/g)].flatMap(
      ([, list]) =>
        [...list!.matchAll(/'([^']+)'/g)].map(([, chord]) =>
          chord!
            .replaceAll('+', ' ')
            .replace('ArrowLeft', '←')
            .replace('ArrowRight', '→')
            .replace('Escape', 'Esc'),
        ),
    ),
  ),
);
// Keys that are counted, not written: sections, and the kinds of similar emails.
for (let digit = 1; digit <= 9; digit += 1) chords.add(`Alt ${digit}`);
for (const index of SIMILAR_MODES.keys()) chords.add(String(index + 1));

describe.each(files)('%s', (file) => {
  const text = readFileSync(path.join(folder, file), 'utf8');

  test('is drawn by the window', () => expect(guidePage(text).blocks.length).toBeGreaterThan(3));

  test('leads to files that exist', () => {
    for (const [, target] of text.matchAll(/\]\(([^)]+)\)/g))
      expect(existsSync(path.join(folder, target!)), target).toBe(true);
  });

  test('has commands that this version takes', () => {
    for (const [, block] of text.matchAll(/```sh\n([\s\S]*?)```/g))
      for (const line of block!.trim().split('\n')) {
        const [, script, args = ''] = /^(?:[A-Z_]+=\S+ )?npm (?:run )?(\S+)(?: -- (.*))?$/.exec(line) ?? [];
        expect(scripts, line).toContain(script);
        if (script === 'start')
          expect(parseOptions(args.split(' ').filter(Boolean), root).ok, line).toBe(true);
      }
  });

  test('names keys that the product listens for', () => {
    const rows = text.split('\n').filter((line) => /^\| `/.test(line));
    for (const row of rows)
      for (const [, key] of (row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g))
        if (/^(?:(?:Ctrl|Alt|Shift) )*(?:[A-Z0-9]|F\d+|Esc|Enter|Space|Tab|[←→/])$/.test(key!))
          expect([...chords], key).toContain(key);
  });
});
