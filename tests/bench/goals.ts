/** The goals of docs/performance.md, each declared once: a run prints them beside its figures and names those it misses. */
import type { BenchEntry } from './support.ts';

type Figure = Pick<
  BenchEntry,
  'name' | 'variant' | 'peer' | 'median_ms' | 'ratio' | 'cpu_ms' | 'peer_cpu_ms'
>;

/** Applies to the figures of an item with this variant and peer (left out: any). */
export interface Goal {
  name: string;
  variant?: RegExp;
  peer?: RegExp;
  /** ms: at most so long. The others: at least so many times as fast as the peer, by clock or by processor time. */
  kind: 'ms' | 'ratio' | 'processor ratio';
  bound: number;
}

export const GOALS: readonly Goal[] = [
  { name: 'run', variant: /painted/, peer: /^raw fetch$/, kind: 'ratio', bound: 0.5 },
  { name: 'profile', variant: /readable/, kind: 'ms', bound: 100 },
  { name: 'evidence', variant: /encrypted/, peer: /notmuch/, kind: 'processor ratio', bound: 1 },
  { name: 'evidence', variant: /encrypted/, peer: /notmuch/, kind: 'ratio', bound: 1.5 },
  { name: 'evidence', variant: /encrypted/, peer: /^mu /, kind: 'processor ratio', bound: 0.7 },
  { name: 'search', variant: /^first \d+ rows/, kind: 'ms', bound: 30 },
  { name: 'search', variant: /^count of/, kind: 'ms', bound: 200 },
  { name: 'search', variant: /^count of the text payment repo /, peer: /^rg/, kind: 'ratio', bound: 5 },
  { name: 'search', variant: /: first hits$/, kind: 'ms', bound: 50 },
  { name: 'sort', variant: /first page/, kind: 'ms', bound: 250 },
  { name: 'page', variant: /p95, request to rows/, kind: 'ms', bound: 8 },
  { name: 'page', variant: /p95, in the worker/, kind: 'ms', bound: 1 },
  { name: 'cancel', kind: 'ms', bound: 100 },
  { name: 'fetch-all', peer: /read raw/, kind: 'ratio', bound: 0.8 },
  { name: 'heatmap-window', variant: /^longest task while loading$/, kind: 'ms', bound: 50 },
  { name: 'csv', peer: /sqlite3/, kind: 'ratio', bound: 2 },
  { name: 'ndjson', peer: /sqlite3/, kind: 'ratio', bound: 2.5 },
  { name: 'csv-sorted', peer: /sqlite3/, kind: 'ratio', bound: 1.5 },
  { name: 'ndjson-sorted', peer: /sqlite3/, kind: 'ratio', bound: 1.5 },
  { name: 'xlsx', peer: /hucre/, kind: 'ratio', bound: 4 },
  { name: 'xlsx', peer: /libxlsxwriter/, kind: 'ratio', bound: 3 },
];

const isFor = ({ name, variant, peer }: Goal, figure: Figure): boolean =>
  name === figure.name &&
  (variant?.test(figure.variant) ?? true) &&
  (peer === undefined || (figure.peer !== null && peer.test(figure.peer)));

/** null: not measured. */
function measuredBy({ kind }: Goal, { median_ms, ratio, cpu_ms, peer_cpu_ms }: Figure): number | null {
  if (kind === 'ms') return median_ms;
  if (kind === 'ratio') return ratio;
  return cpu_ms === null || peer_cpu_ms === null ? null : peer_cpu_ms / cpu_ms;
}

const text = ({ kind, bound }: Goal): string =>
  kind === 'ms' ? `${bound} ms` : `${bound}x${kind === 'ratio' ? '' : ' processor'}`;

/** The goals of a figure in words: `250 ms`, `MISSED 250 ms`, `1x processor not measured`; '' without goals. */
export function goalsOf(figure: Figure): string {
  return GOALS.filter((goal) => isFor(goal, figure))
    .map((goal) => {
      const value = measuredBy(goal, figure);
      if (value === null || Number.isNaN(value)) return `${text(goal)} not measured`;
      const isMet = goal.kind === 'ms' ? value <= goal.bound : value >= goal.bound;
      return isMet ? text(goal) : `MISSED ${text(goal)}`;
    })
    .join(', ');
}

/** The goals of these items that no figure was compared with, for lack of a peer for example. */
export const uncheckedGoals = (figures: readonly Figure[]): string[] =>
  GOALS.filter(
    (goal) =>
      figures.some(({ name }) => name === goal.name) && !figures.some((figure) => isFor(goal, figure)),
  ).map(
    (goal) =>
      `${goal.name}${goal.variant ? ` ${goal.variant}` : ''}${goal.peer ? ` against ${goal.peer}` : ''}: ${text(goal)}`,
  );
