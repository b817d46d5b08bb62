/** Campaigns of evidence: mails that share text, links, attachments or the way they are made (src/shared/campaigns). */
import { kindOfKey } from '#shared/campaigns/campaign-keys.ts';
import type { Campaign, CampaignProfile, CampaignTimeline, CountedValue } from '#shared/model/entities.ts';
import { spanOf, timeBuckets } from '#shared/model/time-buckets.ts';
import { verdictRank } from '#shared/model/verdict.ts';
import { iso } from '../store/instants.ts';
import { AGAINST } from './recount.ts';
import type { SqliteStore } from './sqlite-store.ts';

/** Values of one kind that a page lists, most frequent first; it counts all. */
const MAX_VALUES = 100;
const MAX_REASONS = 5;
const STEPS = 60;
const FLAGGED = `e.verdict_rank <= ${verdictRank('suspicious')}`;

interface Counts {
  id: number;
  name: string;
  emails: number;
  flagged: number;
  score: number | null;
  first: number | null;
  last: number | null;
}

/**
 * A campaign deserves a look if two of its mails do, or half of them: one mail that the checks may be wrong about makes no
 * threat of a newsletter. The sum of their scores ranks it, so that reach counts as well as strength.
 */
const COUNTS = `
  SELECT c.id, c.name, count(*) AS emails, sum(${FLAGGED}) AS flagged, max(e.score) AS score,
    sum(iif(${FLAGGED}, max(e.score, 0), 0)) AS weight, min(e.received_at) AS first, max(e.received_at) AS last
  FROM emails e JOIN campaigns c ON c.id = e.campaign_id WHERE e.campaign_id IS NOT NULL`;
const DESERVES = 'flagged > 0 AND (flagged >= 2 OR flagged * 2 >= emails)';
const COUNTED = `SELECT *, ${DESERVES} AS deserves FROM (${COUNTS} GROUP BY e.campaign_id)`;

function number(store: SqliteStore, sql: string, id: number): number {
  return Number(store.db.prepare(sql).pluck().get(id));
}

/** The strongest reason of its worst mail. */
function reasonOf(store: SqliteStore, id: number): string | null {
  return (
    store.db
      .prepare<unknown[], string>(
        `SELECT m.sentence FROM findings m WHERE ${AGAINST} AND m.email_id =
           (SELECT id FROM emails WHERE campaign_id = ? ORDER BY verdict_rank, score DESC, id LIMIT 1)
         ORDER BY m.weight DESC, m.id LIMIT 1`,
      )
      .pluck()
      .get(id) ?? null
  );
}

const campaignOf = (
  store: SqliteStore,
  { id, name, emails, flagged, score, first, last }: Counts,
): Campaign => ({
  id: String(id),
  name,
  emails,
  flagged,
  score,
  senders: number(store, 'SELECT count(DISTINCT from_email) FROM emails WHERE campaign_id = ?', id),
  recipients: number(
    store,
    'SELECT count(DISTINCT coalesce(r.email_folded, r.email)) FROM emails e JOIN recipients r ON r.email_id = e.id WHERE e.campaign_id = ?',
    id,
  ),
  first: iso(first),
  last: iso(last),
  reason: reasonOf(store, id),
});

/** The first `size` campaigns by their mails' scores, those that deserve a look first; and how many there are. */
export function campaignsOf(
  store: SqliteStore,
  size: number,
): { rows: Campaign[]; total_rows: number; deserving: number } {
  const { db } = store;
  const rows = db
    .prepare<unknown[], Counts>(`${COUNTED} ORDER BY deserves DESC, weight DESC, emails DESC, id LIMIT ?`)
    .all(size);
  const [total = 0, deserving = 0] =
    db
      .prepare<unknown[], [number, number | null]>(`SELECT count(*), sum(deserves) FROM (${COUNTED})`)
      .raw()
      .get() ?? [];
  return { rows: rows.map((row) => campaignOf(store, row)), total_rows: total, deserving: deserving ?? 0 };
}

export function campaignNameOf(
  store: SqliteStore,
  id: number | null,
): { id: string; name: string; emails: number } | null {
  if (id === null) return null;
  const name = store.db.prepare<unknown[], string>('SELECT name FROM campaigns WHERE id = ?').pluck().get(id);
  if (name === undefined) return null;
  return {
    id: String(id),
    name,
    emails: number(store, 'SELECT count(*) FROM emails WHERE campaign_id = ?', id),
  };
}

interface Values {
  /** SQL of the value, of the text shown with it, and of the rows. */
  value: string;
  label?: string;
  from: string;
}

const LISTS = {
  subjects: { value: 'e.subject', from: 'emails e WHERE e.campaign_id = ?' },
  senders: {
    value: 'e.from_email',
    label: 'max(e.from_name)',
    from: 'emails e WHERE e.campaign_id = ? AND e.from_email IS NOT NULL',
  },
  recipients: {
    value: 'r.email',
    label: 'max(r.name)',
    from: 'emails e JOIN recipients r ON r.email_id = e.id WHERE e.campaign_id = ?',
  },
  hosts: {
    value: 'l.host',
    from: 'emails e JOIN links l ON l.email_id = e.id WHERE e.campaign_id = ? AND l.host IS NOT NULL',
  },
  attachments: {
    value: 'a.sha256',
    label: 'max(a.name)',
    from: 'emails e JOIN attachments a ON a.email_id = e.id WHERE e.campaign_id = ? AND a.is_inline = 0 AND a.sha256 IS NOT NULL',
  },
} as const satisfies Record<string, Values>;

function valuesOf(store: SqliteStore, id: number, { value, label = 'NULL', from }: Values) {
  const groups = `SELECT ${value} AS value, ${label} AS label, count(DISTINCT e.id) AS emails FROM ${from} GROUP BY ${value}`;
  return {
    rows: store.db
      .prepare<unknown[], CountedValue>(`${groups} ORDER BY emails DESC, value LIMIT ${MAX_VALUES}`)
      .all(id),
    total_rows: number(store, `SELECT count(*) FROM (${groups})`, id),
  };
}

/** What its mails share, most shared first. */
function sharedBy(store: SqliteStore, id: number): { kind: string; emails: number }[] {
  const keys = store.db
    .prepare<unknown[], { key: number; emails: number }>(
      `SELECT k.value AS key, count(*) AS emails FROM emails e, json_each(e.campaign_keys) k WHERE e.campaign_id = ?
       GROUP BY k.value HAVING count(*) > 1 ORDER BY emails DESC`,
    )
    .all(id);
  const kinds = new Map<string, number>();
  for (const { key, emails } of keys) {
    const kind = kindOfKey(key);
    if (kind !== undefined && !kinds.has(kind)) kinds.set(kind, emails);
  }
  return [...kinds].map(([kind, emails]) => ({ kind, emails }));
}

/** Mails by time, in calendar steps of UTC. */
function timelineOf(store: SqliteStore, id: number, first: number, last: number): CampaignTimeline {
  const { step, edges } = timeBuckets(first, last, 'utc', STEPS);
  const rows = edges
    .slice(0, -1)
    .map((edge) => ({ at: new Date(edge).toISOString(), emails: 0, flagged: 0 }));
  const mails = store.db
    .prepare<unknown[], [number, number]>(
      `SELECT e.received_at, ${FLAGGED} FROM emails e WHERE e.campaign_id = ? AND e.received_at IS NOT NULL`,
    )
    .raw();
  for (const [instant, flagged] of mails.iterate(id)) {
    const row = rows[spanOf(edges, instant)];
    if (row === undefined) continue;
    row.emails += 1;
    row.flagged += flagged;
  }
  return { step, end: new Date(edges.at(-1) ?? last).toISOString(), rows };
}

export function campaignProfileOf(store: SqliteStore, id: number): CampaignProfile | null {
  const { db } = store;
  const counts = db
    .prepare<unknown[], Counts>(`${COUNTS} AND e.campaign_id = ? GROUP BY e.campaign_id`)
    .get(id);
  if (counts === undefined) return null;
  const list = (of: Values) => valuesOf(store, id, of);
  return {
    ...campaignOf(store, counts),
    undated: number(store, 'SELECT count(*) FROM emails WHERE campaign_id = ? AND received_at IS NULL', id),
    shared: sharedBy(store, id),
    reasons: db
      .prepare<unknown[], CountedValue>(
        `SELECT min(m.sentence) AS value, NULL AS label, count(DISTINCT e.id) AS emails
         FROM emails e JOIN findings m ON m.email_id = e.id WHERE e.campaign_id = ? AND ${AGAINST}
         GROUP BY m.check_id ORDER BY emails DESC, max(m.weight) DESC LIMIT ${MAX_REASONS}`,
      )
      .all(id),
    timeline:
      counts.first === null || counts.last === null ? null : timelineOf(store, id, counts.first, counts.last),
    subjects: list(LISTS.subjects),
    senders: list(LISTS.senders),
    recipients: list(LISTS.recipients),
    hosts: list(LISTS.hosts),
    attachments: list(LISTS.attachments),
  };
}
