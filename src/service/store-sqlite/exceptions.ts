import { randomUUID } from 'node:crypto';
import { type MatchSubject, matcherOf } from '#shared/exceptions/match.ts';
import { type ExceptionRule, ruleOf } from '#shared/exceptions/rule.ts';
import { EXCEPTION_SEARCH_PAGE } from '#shared/model/constants.ts';
import type { Exception } from '#shared/model/entities.ts';
import { foldText } from '#shared/query/text.ts';
import { roleOf } from '../roles.ts';
import type { Actor } from '../store/action.ts';
import type { EmailRow } from '../store/emails.ts';
import type { ExceptionPage, ExceptionSearch, ListedException, Ruling } from '../store/exceptions.ts';
import { matchOfEmail, ownList } from '../store/exceptions.ts';
import type { ExceptionRecord } from '../store/records.ts';
import type { SqlValue } from '../store/stored-values.ts';
import { canonicalOf } from '../store/verdicts.ts';
import { attachmentsOf, linksOf, recipientsOf } from './emails.ts';
import { record } from './events.ts';
import { ingestInto } from './ingest.ts';
import type { SqliteStore } from './sqlite-store.ts';

interface ExceptionRow {
  exception_id: string;
  tool: string;
  list: string;
  type: string;
  string: string;
  payload: string | null;
  comment: string | null;
  is_exclusive: number;
  created_by: string | null;
  created_at: number;
}

const listed = (row: ExceptionRow): ListedException => ({
  id: row.exception_id,
  sec_type: row.tool,
  list: row.list,
  type: row.type,
  string: row.string,
  payload: row.payload === null ? null : (JSON.parse(row.payload) as Exception['payload']),
  comment: row.comment,
  is_exclusive: row.is_exclusive === 1,
  created_by: row.created_by,
  created_at: new Date(row.created_at).toISOString(),
});

const likeText = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** Newest first, 20 a page (specification section 9); pages from 0. */
export function searchExceptions(store: SqliteStore, search: ExceptionSearch): ExceptionPage {
  const params: Record<string, SqlValue> = { from: search.from, to: search.to };
  const where = ['created_at >= @from', 'created_at <= @to'];
  if (search.type !== undefined) {
    params['type'] = search.type;
    where.push('(type = @type OR list = @type)');
  }
  const text = foldText(search.search ?? '').trim();
  if (text !== '') {
    params['text'] = `%${likeText(text)}%`;
    where.push(
      "(string_folded LIKE @text ESCAPE '\\' OR pp_fold(comment) LIKE @text ESCAPE '\\' OR pp_fold(payload) LIKE @text ESCAPE '\\')",
    );
  }
  const all = where.join(' AND ');
  store.begin();
  const counts = store.db
    .prepare<unknown[], { sec_type: string; count: number }>(
      `SELECT tool AS sec_type, count(*) AS count FROM exceptions WHERE ${all} GROUP BY tool ORDER BY 2 DESC, 1`,
    )
    .all(params);
  const { tool } = search;
  const size = search.size ?? EXCEPTION_SEARCH_PAGE;
  const rows = store.db
    .prepare<unknown[], ExceptionRow>(
      `SELECT * FROM exceptions WHERE ${all}${tool === null ? '' : ' AND tool = @tool'}
       ORDER BY created_at DESC, id DESC LIMIT @size OFFSET @skip`,
    )
    .all({
      ...params,
      ...(tool === null ? {} : { tool }),
      size,
      skip: size * (search.page ?? 0),
    });
  return {
    rows: rows.map(listed),
    total:
      tool === null
        ? counts.reduce((sum, { count }) => sum + count, 0)
        : (counts.find((count) => count.sec_type === tool)?.count ?? 0),
    counts,
  };
}

/** Id of an equal entry of the same tool, or null if there is none. */
function sameException(
  store: SqliteStore,
  tool: string,
  entry: Pick<Exception, 'type' | 'string' | 'payload' | 'list'>,
): string | null {
  const list = ownList(tool, entry);
  const key = JSON.stringify(
    ruleOf(canonicalOf(tool), { ...entry, list })?.conditions ?? entry.payload ?? null,
  );
  const rows = store.db
    .prepare<unknown[], ExceptionRow>(
      'SELECT * FROM exceptions WHERE tool = ? AND type = ? AND string_folded = ?',
    )
    .all(tool, entry.type, foldText(entry.string));
  const same = rows.map(listed).find((row) => {
    const rule = ruleOf(canonicalOf(tool), row);
    return (
      row.list === list && foldText(JSON.stringify(rule?.conditions ?? row.payload ?? null)) === foldText(key)
    );
  });
  return same?.id ?? null;
}

/** Adds validated entries unless there are equal ones. `of` is the entity that an entry is made of. */
export function addExceptions(
  store: SqliteStore,
  entries: readonly { tool: string; entry: Exception; of?: string }[],
  actor: Pick<Actor, 'role'> & { name: string | null },
  now: number,
): { id: string; isNew: boolean }[] {
  const { exceptions } = ingestInto(store);
  const add = ({ tool, entry, of }: (typeof entries)[number]) => {
    const same = sameException(store, tool, entry);
    if (same !== null) return { id: same, isNew: false };
    const id = randomUUID();
    exceptions([
      {
        id,
        tool,
        list: ownList(tool, entry),
        type: entry.type,
        string: entry.string,
        payload: (entry.payload ?? null) as ExceptionRecord['payload'],
        comment: entry.comment ?? null,
        isExclusive: entry.is_exclusive ?? false,
        createdBy: actor.name,
        createdAt: now,
      },
    ]);
    if (of !== undefined)
      record(store, {
        entityId: of,
        at: now,
        type: 'exception_created',
        actor: actor.name,
        actorLabel: roleOf(actor.role).label,
        summary: `Exception made of it: ${entry.type}`,
        detail: `${tool}: ${entry.string.slice(0, 200)}`,
      });
    return { id, isNew: true };
  };
  return store.db.transaction(() => entries.map(add))();
}

export const subjectOfEmail = (store: SqliteStore, row: EmailRow): MatchSubject =>
  matchOfEmail(row, attachmentsOf(store, row.id), recipientsOf(store, row.id), linksOf(store, row.id));

interface Compiled {
  rule: ExceptionRule;
  row: ListedException;
  holds: (subject: MatchSubject) => boolean;
}
const compiled = new WeakMap<SqliteStore, { version: string; byTool: Map<string, Compiled[]> }>();

function rulesOf(store: SqliteStore, tool: string): Compiled[] {
  const version = String(
    store.db.prepare("SELECT count(*) || ':' || coalesce(max(id), 0) FROM exceptions").pluck().get(),
  );
  let cached = compiled.get(store);
  if (cached?.version !== version) {
    cached = { version, byTool: new Map() };
    compiled.set(store, cached);
  }
  let rules = cached.byTool.get(tool);
  if (!rules) {
    const rows = store.db
      .prepare<unknown[], ExceptionRow>('SELECT * FROM exceptions WHERE tool = ? ORDER BY id DESC')
      .all(tool);
    rules = rows.map(listed).flatMap((row) => {
      const rule = ruleOf(canonicalOf(tool), row);
      return rule ? [{ rule, row, holds: matcherOf(rule) }] : [];
    });
    cached.byTool.set(tool, rules);
  }
  return rules;
}

/**
 * An exclusive entry takes precedence; else a block outweighs every allow, and a full allow one for spam only; among
 * equals the newest. Null if none matches.
 */
export function rulingOf(store: SqliteStore, tool: string, subject: MatchSubject): Ruling | null {
  const held = rulesOf(store, tool).filter(({ holds }) => holds(subject));
  const weight = ({ row, rule }: Compiled): number =>
    (row.is_exclusive ? 4 : 0) + (rule.list === 'block' ? 2 : 0) + (rule.type === 'spam_whitelist' ? 0 : 1);
  const [first] = held.sort((a, b) => weight(b) - weight(a));
  return first
    ? { list: first.rule.list, spamOnly: first.rule.type === 'spam_whitelist', entry: first.row }
    : null;
}
