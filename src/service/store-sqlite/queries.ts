import { randomUUID } from 'node:crypto';
import type { NewQuery, Query } from '#shared/model/entities.ts';
import { lastRun, nextRuns } from '#shared/model/schedule.ts';
import type { Queries, QueryStamp } from '../store/store.ts';
import type { SqliteStore } from './sqlite-store.ts';

/**
 * Passwords of scheduled exports, by query: never in the database or a response. They are lost when the service ends;
 * `has_password` stays, so that sending can report what is missing.
 */
const passwords = new WeakMap<SqliteStore, Map<string, string>>();
function passwordsOf(store: SqliteStore): Map<string, string> {
  const byQuery = passwords.get(store) ?? new Map<string, string>();
  passwords.set(store, byQuery);
  return byQuery;
}

/**
 * The password to encrypt a scheduled export with. Null if it has none. Undefined if it has one that is no longer
 * known.
 */
export const passwordOf = (store: SqliteStore, query: Query): string | null | undefined =>
  query.scheduledExport?.['has_password'] === true ? passwordsOf(store).get(query.id) : null;

/** Fields that the service adds to a schedule; a client that sends them back changes nothing. */
const ANSWERED = ['last_sent', 'next_run'];

/** Removes the password; a client that never saw it sends none back, which must not erase it. */
function sealed(secret: Map<string, string>, query: Query, before: Query | null): Query {
  const schedule = query.scheduledExport;
  if (!schedule) {
    secret.delete(query.id);
    return query;
  }
  const { password, has_password: claimed, ...rest } = schedule;
  for (const name of ANSWERED) delete rest[name];
  if (password) secret.set(query.id, password);
  const hadPassword = before?.scheduledExport?.['has_password'] === true;
  const hasPassword = password ? true : password === '' || claimed === false ? false : hadPassword;
  if (!hasPassword) secret.delete(query.id);
  return { ...query, scheduledExport: { ...rest, has_password: hasPassword } };
}

/** Adds the last and the next run of its schedule; `last_sent` as stored: the last run before the query was changed. */
function withSchedule(query: Query, now: number, sent: ReadonlyMap<string, number>): Query {
  const schedule = query.scheduledExport;
  if (!schedule) return query;
  const runs = query.status === 'running';
  const since = Date.parse(query.updateTime ?? query.createTime ?? '') || now;
  const last = Math.max(
    sent.get(query.id) ?? 0,
    (runs && lastRun(schedule, now, since)) || 0,
    Date.parse(String(schedule['last_sent'])) || 0,
  );
  const next = runs ? nextRuns(schedule, now, 1)[0] : undefined;
  const iso = (ms: number | undefined) => (ms ? new Date(ms).toISOString() : null);
  return { ...query, scheduledExport: { ...schedule, last_sent: iso(last), next_run: iso(next) } };
}

/** `now` is in milliseconds since the epoch, for the last and next runs of schedules. */
export function savedQueries(store: SqliteStore, now = Date.now()) {
  const { db } = store;
  const secret = passwordsOf(store);
  let next: number | null = null;
  const lastSent = db.prepare<[], { query_id: string; at: number }>(
    'SELECT query_id, max(at) AS at FROM sent_results GROUP BY query_id',
  );
  const sentBy = (): Map<string, number> => new Map(lastSent.all().map(({ query_id, at }) => [query_id, at]));
  const parse = (body: unknown): Query => JSON.parse(String(body)) as Query;
  const write = (query: Query, position: number) => {
    db.prepare(
      `INSERT INTO queries (id, sub_type, entity_type, name, position, body) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET sub_type = excluded.sub_type, entity_type = excluded.entity_type,
         name = excluded.name, body = excluded.body`,
    ).run(query.id, query.subType ?? null, query.entityType, query.name, position, JSON.stringify(query));
  };
  const stored = (id: string): Query | null => {
    const body = db.prepare('SELECT body FROM queries WHERE id = ?').pluck().get(id);
    return body === undefined ? null : parse(body);
  };
  return {
    list: ({ subtype, entity }: Parameters<Queries['list']>[0]): Query[] => {
      const rows = db
        .prepare(
          `SELECT body FROM queries
           WHERE (@subtype IS NULL OR coalesce(sub_type, 'query') = @subtype) AND (@entity IS NULL OR entity_type = @entity)
           ORDER BY position`,
        )
        .pluck()
        .all({ subtype: subtype || null, entity: entity || null });
      const sent = sentBy();
      return rows.map((body) => withSchedule(parse(body), now, sent));
    },
    get: (id: string): Query | null => {
      const query = stored(id);
      return query && withSchedule(query, now, sentBy());
    },
    add: (query: NewQuery, { time, by, id }: QueryStamp): Query => {
      const newId = id ?? `q-${randomUUID()}`;
      const added: Query = sealed(
        secret,
        {
          ...query,
          id: newId,
          createdBy: query.createdBy ?? by,
          createTime: query.createTime ?? time,
          updateTime: query.updateTime ?? time,
        },
        null,
      );
      // Queried once: an import adds thousands in one transaction.
      next ??= Number(db.prepare('SELECT coalesce(max(position), -1) + 1 FROM queries').pluck().get());
      write(added, next++);
      return withSchedule(added, now, sentBy());
    },
    replace: (id: string, query: NewQuery, time: string): Query | null => {
      const before = stored(id);
      if (!before) return null;
      const after: Query = sealed(
        secret,
        {
          ...query,
          id,
          createdBy: before.createdBy ?? null,
          createTime: before.createTime ?? null,
          updateTime: time,
        },
        before,
      );
      // What was sent stays sent, whatever changes.
      const sentBefore = withSchedule(before, now, sentBy()).scheduledExport?.['last_sent'];
      if (after.scheduledExport && sentBefore) after.scheduledExport['last_sent'] = sentBefore;
      write(after, 0);
      return withSchedule(after, now, sentBy());
    },
    remove: (id: string): boolean => {
      secret.delete(id);
      return db.prepare('DELETE FROM queries WHERE id = ?').run(id).changes > 0;
    },
    names: () => new Set(db.prepare<unknown[], string>('SELECT name FROM queries').pluck().all()),
  };
}

/** In one transaction. */
export function addQueries(
  store: SqliteStore,
  queries: readonly { query: NewQuery; stamp: QueryStamp }[],
  now: number,
): Query[] {
  const saved = savedQueries(store, now);
  return store.db.transaction(() => queries.map(({ query, stamp }) => saved.add(query, stamp)))();
}

/** In one transaction, which ends without a change if `change` throws. */
export function changeQueries(
  store: SqliteStore,
  ids: readonly string[],
  change: (query: Query) => NewQuery | string,
  time: string,
  now: number,
): (Query | string | null)[] {
  const saved = savedQueries(store, now);
  return store.db.transaction(() =>
    ids.map((id) => {
      const query = saved.get(id);
      const changed = query && change(query);
      return typeof changed === 'object' && changed !== null ? saved.replace(id, changed, time) : changed;
    }),
  )();
}

export function recordSent({ db }: SqliteStore, of: Parameters<Queries['sent']>[0]): void {
  const { query, time, format, rows, bytes, isSealed } = of;
  const emails = JSON.stringify(query.scheduledExport?.emails ?? []);
  db.prepare(
    'INSERT INTO sent_results (query_id, at, format, rows, bytes, recipients, sealed) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ).run(query.id, time, format, rows, bytes, emails, isSealed ? 1 : 0);
}
