/** apps/statistics: counted from the data, over a window and the preceding one. */
import type { App, AppStatistics, Statistics } from '#shared/model/entities.ts';
import type { Store } from './store.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
export type StatisticsWindow = '24h' | '7d' | '30d';
const WINDOWS: Readonly<Record<StatisticsWindow, { length: number; bucket: number }>> = {
  '24h': { length: DAY, bucket: HOUR },
  '7d': { length: 7 * DAY, bucket: DAY },
  '30d': { length: 30 * DAY, bucket: DAY },
};

export interface Counted {
  saas: string;
  bucket: number;
  verdict: string;
  n: number;
}

export interface Totals {
  quarantined: number;
  user_reports: number;
  restore_requests: number;
}

export interface CountedStack {
  bucket: number;
  stack: string;
  n: number;
}

export interface StackCounts {
  /** Buckets count from the start of the span. */
  verdicts: Counted[];
  totals: (Totals & { bucket: number })[];
  stacks: CountedStack[];
}

/** `|tool:verdict|tool:verdict|` as one count per tool and verdict; an inapplicable tool counts nothing. */
const perTool = (rows: readonly CountedStack[]): Counted[] =>
  rows.flatMap(({ bucket, stack, n }) =>
    stack.split('|').flatMap((part) => {
      const [tool = '', verdict = ''] = part.split(':');
      return tool === '' || verdict === 'hidden' ? [] : [{ saas: tool, bucket, verdict, n }];
    }),
  );

/**
 * A window ends now and has exactly its nominal length, as have its buckets; the preceding one ends where it begins.
 */
export async function statisticsOf(
  store: Store,
  window: StatisticsWindow,
  now: number,
  withTools = false,
): Promise<Statistics> {
  const { length, bucket } = WINDOWS[window];
  const from = now - length;
  const range = { from, to: now, bucket };
  const { verdicts: counted, totals, stacks } = await store.stack.counts(range, withTools);
  const before = { from: from - length, to: from, bucket: length };
  const { verdicts: countedBefore, totals: totalsBefore } = await store.stack.counts(before, false);
  const apps = await store.stack.apps();
  const count = Math.round(length / bucket);
  const ofEach = (rows: readonly Counted[], isSaas: boolean) =>
    apps
      .filter((app) => app.is_saas === isSaas)
      .map(
        (app): AppStatistics =>
          app.state === 'disabled'
            ? {
                name: app.name,
                ...sums([]),
                error: `The ${isSaas ? 'app' : 'tool'} is disabled`,
              }
            : { name: app.name, ...ofApp(rows, app.name, from, bucket, count) },
      );
  // Apps that are not counted now would only inflate the previous figures.
  const isCounted = new Set(apps.flatMap((app) => (isCountedApp(app, true) ? [app.name] : [])));
  return {
    from: iso(from),
    to: iso(now),
    apps: ofEach(counted, true),
    ...(withTools ? { tools: ofEach(perTool(stacks), false) } : {}),
    ...sumTotals(totals),
    series: Array.from({ length: count }, (_, index) => ({
      time: iso(from + index * bucket),
      ...sumTotals(totals.filter((row) => row.bucket === index)),
    })),
    previous: {
      ...detections(countedBefore.filter(({ saas }) => isCounted.has(saas))),
      ...sumTotals(totalsBefore),
    },
  };
}

const isCountedApp = (app: App, isSaas: boolean): boolean =>
  app.is_saas === isSaas && app.state !== 'disabled';

function ofApp(rows: readonly Counted[], name: string, from: number, bucket: number, count: number) {
  const appRows = rows.filter(({ saas }) => saas === name);
  return {
    ...sums(appRows),
    series: Array.from({ length: count }, (_, index) => ({
      time: iso(from + index * bucket),
      ...sums(appRows.filter((row) => row.bucket === index)),
    })),
  };
}

const of = (rows: readonly Counted[], ...verdicts: string[]): number =>
  rows.filter(({ verdict }) => verdicts.includes(verdict)).reduce((sum, { n }) => sum + n, 0);

function detections(rows: readonly Counted[]) {
  return {
    found: of(rows, 'found'),
    found_no_click: of(rows, 'found-no-click'),
    suspicious: of(rows, 'suspicious'),
    spam: of(rows, 'spam'),
  };
}

function sums(rows: readonly Counted[]) {
  const notScanned = of(rows, 'not-scanned');
  const all = rows.reduce((sum, { n }) => sum + n, 0);
  return { scanned: all - notScanned, ...detections(rows), not_scanned: notScanned };
}

function sumTotals(rows: readonly Totals[]): Totals {
  const sum = (pick: (row: Totals) => number) => rows.reduce((total, row) => total + pick(row), 0);
  return {
    quarantined: sum((row) => row.quarantined),
    user_reports: sum((row) => row.user_reports),
    restore_requests: sum((row) => row.restore_requests),
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();
