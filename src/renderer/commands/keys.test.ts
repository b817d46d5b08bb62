import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cap, hint, SCREENS, workingKeys } from './keys.ts';

test.each(Object.entries(SCREENS))('no key of %s is declared twice', (_, tables) => {
  const chords = tables.flatMap((table) => Object.values(table).flatMap(({ keys }) => keys));
  expect(chords.filter((chord, index) => chords.indexOf(chord) !== index)).toEqual([]);
  const texts = tables.flatMap((table) => Object.values(table).map(({ text }) => text)).filter(Boolean);
  expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
});

const root = path.resolve(import.meta.dirname, '..');
const sources = globSync('**/*.{ts,tsx}', { cwd: root, exclude: ['**/*.test.*'] });
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8');

test('keys are declared nowhere else', () => {
  const files = sources.filter((file) => !file.startsWith('commands/'));
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((file) => /\bkeys: \['/.test(textOf(file)))).toEqual([]);
});

test('a key belongs to a command', () => {
  const calling = sources.filter((file) => /\buseHotkeys\(/.test(textOf(file)));
  expect(calling.toSorted()).toEqual(['commands/command.tsx', 'state/hotkeys.ts']);
});

test('keys that a browser keeps for its own tabs are listed only in the desktop window', () => {
  const keys = ['Ctrl+W', 'Alt+W'];
  expect(workingKeys(keys, 'browser')).toEqual(['Alt+W']);
  expect(workingKeys(keys, 'electron')).toEqual(keys);
  expect(workingKeys(['Ctrl+K', 'Ctrl+Shift+T'], 'browser')).toEqual(['Ctrl+K']);
});

test('a cap shows a chord that works in every host', () => {
  const close = { keys: ['Ctrl+W', 'Alt+W'], text: 'Close tab' };
  expect(cap(close)).toBe('Alt W');
  expect(hint('move', { keys: ['Escape'], text: '' }, close)).toEqual({ keys: 'Esc Alt W', text: 'move' });
});
