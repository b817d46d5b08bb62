/** The benches' goals: each belongs to an item that a bench measures, and a miss is named. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { GOALS, goalsOf, uncheckedGoals } from '#tests/bench/goals.ts';

const root = path.join(import.meta.dirname, '..', '..');
const figure = {
  name: 'sort',
  variant: 'by subject: first page of a new sort',
  peer: null,
  median_ms: 249,
  ratio: null,
  cpu_ms: null,
  peer_cpu_ms: null,
};

it('a figure beyond its goal is marked as missed', () => {
  expect(goalsOf(figure)).toBe('250 ms');
  expect(goalsOf({ ...figure, median_ms: 251 })).toBe('MISSED 250 ms');
  expect(goalsOf({ ...figure, variant: 'by subject: any page of a new sort', median_ms: 9_999 })).toBe('');
  const evidence = { ...figure, name: 'evidence', variant: 'words, encrypted', peer: 'notmuch new' };
  expect(goalsOf({ ...evidence, ratio: 1.4, cpu_ms: 100, peer_cpu_ms: 100 })).toBe(
    '1x processor, MISSED 1.5x',
  );
  expect(goalsOf({ ...evidence, ratio: 1.5 })).toBe('1x processor not measured, 1.5x');
});

it('goals of an item that no figure was compared with are named', () => {
  expect(uncheckedGoals([])).toEqual([]);
  expect(uncheckedGoals([figure])).toEqual([]);
  expect(uncheckedGoals([{ ...figure, name: 'xlsx', peer: "hucre's stream" }])).toEqual([
    'xlsx against /libxlsxwriter/: 3x',
  ]);
});

it('each goal is one of an item that a bench measures', () => {
  const sources = globSync('tests/bench/*.bench.ts', { cwd: root })
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    .join();
  expect(GOALS.map(({ name }) => name).filter((name) => !sources.includes(`'${name}'`))).toEqual([]);
});
