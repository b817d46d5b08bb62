/** Saved queries. */
import { randomUUID } from 'node:crypto';
import type { NewQuery, Query } from '#shared/model/entities.ts';
import type { Store } from './store.ts';

export interface QueryFilter {
  subtype?: string | undefined;
  entity?: string | undefined;
}

export interface SavedQueries {
  list(filter: QueryFilter): Query[];
  get(id: string): Query | null;
  /** Gives it an id unless one is given. */
  add(query: NewQuery, stamp: { time: string; by: string | null; id?: string }): Query;
  /** null: no query of this id. */
  replace(id: string, query: NewQuery, time: string): Query | null;
  remove(id: string): boolean;
  names(): Set<string>;
}

/** A service never answers with the password of a scheduled export; that there is one, it says. */
function withoutPassword(query: Query): Query {
  const schedule = query.scheduledExport;
  if (!schedule) return query;
  const { password, ...rest } = schedule;
  return { ...query, scheduledExport: { ...rest, has_password: password != null && password !== '' } };
}

export function savedQueries(store: Store): SavedQueries {
  const { db } = store;
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
    list: ({ subtype, entity }) => {
      const rows = db
        .prepare(
          `SELECT body FROM queries
           WHERE (@subtype IS NULL OR coalesce(sub_type, 'query') = @subtype) AND (@entity IS NULL OR entity_type = @entity)
           ORDER BY position`,
        )
        .pluck()
        .all({ subtype: subtype || null, entity: entity || null });
      return rows.map((body) => withoutPassword(parse(body)));
    },
    get: (id) => {
      const found = stored(id);
      return found && withoutPassword(found);
    },
    add: (query, { time, by, id }) => {
      const added: Query = {
        ...query,
        id: id ?? `q-${randomUUID()}`,
        createdBy: query.createdBy ?? by,
        createTime: query.createTime ?? time,
        updateTime: query.updateTime ?? time,
      };
      const position = Number(
        db.prepare('SELECT coalesce(max(position), -1) + 1 FROM queries').pluck().get(),
      );
      write(added, position);
      return withoutPassword(added);
    },
    replace: (id, query, time) => {
      const before = stored(id);
      if (!before) return null;
      const schedule = query.scheduledExport;
      // A client that never saw the password sends none back: that must not erase it.
      const kept =
        schedule && schedule.password == null && schedule['has_password'] !== false
          ? { ...schedule, password: before.scheduledExport?.password ?? null }
          : schedule;
      const after: Query = {
        ...query,
        ...(kept === undefined ? {} : { scheduledExport: kept }),
        id,
        createdBy: before.createdBy ?? null,
        createTime: before.createTime ?? null,
        updateTime: time,
      };
      write(after, 0);
      return withoutPassword(after);
    },
    remove: (id) => db.prepare('DELETE FROM queries WHERE id = ?').run(id).changes > 0,
    names: () => new Set(db.prepare('SELECT name FROM queries').pluck().all() as string[]),
  };
}
