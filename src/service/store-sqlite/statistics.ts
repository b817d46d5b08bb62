/** Counts of what the apps and tools saw. */
import type { Counted, CountedStack, StackCounts, Totals } from '../store/statistics.ts';
import type { SqliteStore } from './sqlite-store.ts';

// One query over every table that a SaaS scans; buckets count from the start of the window.
const COUNTS = `
  SELECT saas, CAST((at - @from - 1) / @bucket AS INTEGER) AS bucket, verdict, count(*) AS n FROM (
    SELECT saas, received_at AS at, verdict FROM emails WHERE received_at > @from AND received_at <= @to
    UNION ALL SELECT saas, modified_at, verdict FROM files WHERE modified_at > @from AND modified_at <= @to
    UNION ALL SELECT saas, sent_at, verdict FROM messages WHERE sent_at > @from AND sent_at <= @to
  ) GROUP BY 1, 2, 3`;

const TOTALS = `
  SELECT CAST((received_at - @from - 1) / @bucket AS INTEGER) AS bucket,
    total(quarantined) AS quarantined, total(user_reported > 0) AS user_reports,
    total(restore_state = 'requested') AS restore_requests
  FROM emails WHERE received_at > @from AND received_at <= @to GROUP BY 1`;

// Few distinct stacks exist, so tools are separated after counting.
const STACKS = `
  SELECT CAST((received_at - @from - 1) / @bucket AS INTEGER) AS bucket, stack, count(*) AS n
  FROM emails WHERE received_at > @from AND received_at <= @to GROUP BY 1, 2`;

export function stackCounts(
  { db }: SqliteStore,
  span: { from: number; to: number; bucket: number },
  withStacks: boolean,
): StackCounts {
  return {
    verdicts: db.prepare<unknown[], Counted>(COUNTS).all(span),
    totals: db.prepare<unknown[], Totals & { bucket: number }>(TOTALS).all(span),
    stacks: withStacks ? db.prepare<unknown[], CountedStack>(STACKS).all(span) : [],
  };
}
