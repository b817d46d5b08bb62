/**
 * Profiles kept for offline: listed and searched. Their texts are stored beside their answers in the encrypted cache
 * and removed with them by triggers (store/migrations/cache.ts). The cache's writer indexes each profile in a transaction
 * of its own.
 */
import type { EndpointName } from '#shared/api/catalogue.ts';
import type { ProfileRef } from '#shared/api/profile-pages.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import {
  KEPT_FIELDS,
  type KeptField,
  type KeptProfile,
  type KeptSearch,
  type OwnVerdict,
} from '#shared/bridge/operations.ts';
import { refang } from '#shared/model/defang.ts';
import type { Sought } from '#shared/query/excerpt.ts';
import { foldText, searchable, searchTerms, wordsOf } from '#shared/query/text.ts';
import type { Database, SqlValue, Statement } from '../store/database.ts';
import { type ChecksBasis, CUT, KEPT_PARTS } from '../store/kept-parts.ts';

interface KeptPart {
  endpoint: EndpointName;
  key: string;
}

/** The search text, the fields to search, and the maximum number of rows. */
interface KeptQuery {
  connectionId: string;
  text: string;
  whole: boolean;
  fields: readonly KeptField[];
  apart: boolean;
  most: number;
}

export interface KeptIndexDeps {
  cache: Database;
  ticks(): number;
  /** What the verdict of the checks depends on beside the email: other ones make it outdated. */
  basis(connectionId: string): ChecksBasis;
}

/** A search first indexes pending profiles, for about this long; the next search continues. */
const INDEX_MS = 250;

const PARTS = JSON.stringify(KEPT_PARTS);
/** SQL: the pinned answers to the parts `p`. */
const PINNED = 'JOIN answers a ON a.connection_id = p.connection_id AND a.key = p.key AND a.pinned = 1';
/** SQL: an answer about a body that has none. */
const NO_BODY = `(a.endpoint IN ('email.body', 'entity.message-body')
  AND coalesce(a.data ->> '$.html', a.data ->> '$.text') IS NULL)`;

/** SQL: the checks find something in the email `k` that its service calls clean. */
const IS_APART = '(k.indexed = 1 AND pp_kept_apart(k.checks, k.about))';

/** SQL: the answer to a part of the profile `$id`. */
const partSql = (endpoint: EndpointName): string =>
  `(SELECT a.data FROM kept_parts p ${PINNED} WHERE p.profile_id = $id AND a.endpoint = '${endpoint}')`;

/** One word or phrase in the forms in which it is compared; a text must contain one of them. */
interface Term {
  forms: { text: string; words: string }[];
}

/** A value that was pasted defanged is also searched for as typed. */
function termsOf(text: string, whole: boolean): Term[] {
  return searchTerms(text).map((term) => {
    const forms = [...new Set([term, foldText(refang(term))])].map((form) => {
      const folded = searchable(form);
      return { text: folded, words: whole ? wordsOf(folded) : '' };
    });
    return { forms: forms.filter((form) => form.text !== '') };
  });
}

/** SQL that tests whether the text `t` contains one of the forms, with its parameters. */
function hasTerm({ forms }: Term, bind: (value: string) => string): string {
  const tests = forms.map(({ text, words }) => {
    if (words === '') return `instr(t.folded, ${bind(text)}) > 0`;
    const parts = words.trim().split(' ');
    // Most texts lack one of the words altogether, which is faster to check.
    const near = parts.map((part) => `instr(t.folded, ${bind(part)}) > 0`).join(' AND ');
    return `(${near} AND pp_has_words(t.folded, ${bind(words)}))`;
  });
  return `(${tests.join(' OR ')})`;
}

const highlightsOf = (terms: readonly Term[]): Sought[] =>
  terms.flatMap(({ forms }) =>
    forms.map(({ text, words }) =>
      words === '' ? { kind: 'text' as const, value: text } : { kind: 'words' as const, value: words },
    ),
  );

/** Statements that record a profile and mark it as not indexed. A profile without a pinned answer is not recorded. */
function noted(connectionId: string, profile: ProfileRef, parts: readonly KeptPart[]): Statement[] {
  const keptParts = parts.filter(({ endpoint }) => endpoint in KEPT_PARTS);
  const { kind, saas, entityId } = profile;
  const which = { connection: connectionId, kind, saas, entity: entityId };
  const keys = JSON.stringify(parts.map(({ key }) => key));
  return [
    {
      sql: `INSERT INTO kept_profiles (connection_id, kind, saas, entity_id)
        SELECT $connection, $kind, $saas, $entity WHERE EXISTS (
          SELECT 1 FROM answers WHERE connection_id = $connection AND pinned = 1
            AND key IN (SELECT value FROM json_each($keys)))
        ON CONFLICT (connection_id, kind, saas, entity_id) DO UPDATE SET indexed = 0`,
      params: { ...which, keys },
    },
    ...keptParts.map(({ endpoint, key }) => ({
      sql: `INSERT OR IGNORE INTO kept_parts (profile_id, connection_id, key, endpoint)
        SELECT id, $connection, $key, $endpoint FROM kept_profiles
        WHERE connection_id = $connection AND kind = $kind AND saas = $saas AND entity_id = $entity`,
      params: { ...which, key, endpoint },
    })),
  ];
}

/** Statements that index one profile by its current answers. */
function indexed(id: number, basis: string): Statement[] {
  const params = { id, parts: PARTS, basis };
  return [
    { sql: 'DELETE FROM kept_texts WHERE profile_id = ?', params: [id] },
    {
      sql: `INSERT INTO kept_texts (profile_id, field, folded, shown)
        SELECT p.profile_id, t.value ->> 0, t.value ->> 1, t.value ->> 2
        FROM kept_parts p ${PINNED}, json_each(pp_kept_texts(a.endpoint, a.data)) t WHERE p.profile_id = ?`,
      params: [id],
    },
    {
      sql: `UPDATE kept_profiles SET indexed = 1,
        about = (SELECT pp_kept_about(a.data) FROM kept_parts p ${PINNED}
          WHERE p.profile_id = $id AND $parts ->> ('$."' || p.endpoint || '"') = 'profile'),
        lacks = (SELECT json_group_array(DISTINCT $parts ->> ('$."' || p.endpoint || '"')) FROM kept_parts p
          WHERE p.profile_id = $id AND NOT EXISTS (SELECT 1 FROM answers a
            WHERE a.connection_id = p.connection_id AND a.key = p.key AND a.pinned = 1 AND NOT ${NO_BODY})),
        checks = pp_kept_checks(${partSql('email.headers')}, ${partSql('email.body')}, ${partSql('email.attachments')}, $basis),
        cut = EXISTS (SELECT 1 FROM kept_texts WHERE profile_id = $id AND field = '${CUT}') OR EXISTS (
          SELECT 1 FROM kept_parts p ${PINNED} WHERE p.profile_id = $id AND a.data ->> '$.truncated' = 1)
        WHERE id = $id`,
      params,
    },
    {
      sql: "UPDATE kept_profiles SET received = about ->> '$.received' WHERE id = ?",
      params: [id],
    },
  ];
}

interface Row {
  id: number;
  kind: ProfileRef['kind'];
  saas: string;
  entityId: string;
  about: string | null;
  checks: string | null;
  lacks: string;
  cut: number;
  indexed: number;
  received: number | null;
  savedAt: number | null;
}

/** Null if nothing could be checked. */
function ownVerdictOf(checks: string | null): OwnVerdict | null {
  const { verdict, reason } = JSON.parse(checks ?? '{}') as Partial<OwnVerdict>;
  return verdict === undefined || reason === undefined ? null : { verdict, reason };
}

function listed(row: Row, hits: KeptProfile['hits']): KeptProfile {
  const about = JSON.parse(row.about ?? '{}') as Partial<KeptProfile>;
  return {
    kind: row.kind,
    saas: row.saas,
    entityId: row.entityId,
    title: about.title ?? null,
    from: about.from ?? null,
    received: row.received,
    verdict: about.verdict ?? null,
    verdictCode: about.verdictCode ?? null,
    own: row.indexed === 1 ? ownVerdictOf(row.checks) : null,
    savedAt: row.savedAt,
    isWaiting: row.indexed === 0,
    lacks: JSON.parse(row.lacks) as KeptProfile['lacks'],
    isCut: row.cut === 1,
    hits,
  };
}

/** The query for a search: the profiles that match as `m (id)`, and their texts that have a term as `t`. */
function searchSql(
  { connectionId, fields, apart }: Pick<KeptQuery, 'connectionId' | 'fields' | 'apart'>,
  terms: readonly Term[],
): { matches: string; texts: string; params: Record<string, SqlValue> } {
  const params: Record<string, SqlValue> = { connection: connectionId };
  const bind = (value: string): string => {
    const name = `v${Object.keys(params).length}`;
    params[name] = value;
    return `$${name}`;
  };
  const inFields =
    fields.length === 0
      ? ''
      : ` AND t.field IN (SELECT value FROM json_each(${bind(JSON.stringify(fields))}))`;
  const tests = terms.map((term) => hasTerm(term, bind));
  const has = tests.map(
    (test) => ` AND EXISTS (SELECT 1 FROM kept_texts t WHERE t.profile_id = k.id${inFields} AND ${test})`,
  );
  return {
    matches: `m AS MATERIALIZED (SELECT k.id FROM kept_profiles k WHERE k.connection_id = $connection${apart ? ` AND ${IS_APART}` : ''}${has.join('')})`,
    texts: `${tests.length === 0 ? '0' : `(${tests.join(' OR ')})`}${inFields}`,
    params,
  };
}

type Search = ReturnType<typeof searchSql>;

export class KeptIndex {
  readonly #cache: KeptIndexDeps['cache'];
  readonly #ticks: KeptIndexDeps['ticks'];
  readonly #basis: KeptIndexDeps['basis'];
  /** Runs one at a time, whatever the number of callers. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ cache, ticks, basis }: KeptIndexDeps) {
    this.#cache = cache;
    this.#ticks = ticks;
    this.#basis = basis;
  }

  /** Pins answers of a profile and records it, with the keys of all its parts. Returns how many answers were there. */
  keep(
    connectionId: string,
    profile: ProfileRef,
    parts: readonly KeptPart[],
    keys: readonly string[],
  ): Promise<number> {
    return this.#inTurn(async () => {
      const [pinned] = await this.#cache.write([
        {
          sql: `UPDATE answers SET pinned = 1 WHERE connection_id = ? AND key IN (SELECT value FROM json_each(?))`,
          params: [connectionId, JSON.stringify(keys)],
        },
        ...noted(connectionId, profile, parts),
      ]);
      return pinned?.changes ?? 0;
    });
  }

  /** Indexes a profile that was kept, if it is there. */
  index(connectionId: string, { kind, saas, entityId }: ProfileRef): Promise<void> {
    return this.#inTurn(async () => {
      const row = await this.#cache.get<{ id: number }>(
        'SELECT id FROM kept_profiles WHERE connection_id = ? AND kind = ? AND saas = ? AND entity_id = ?',
        [connectionId, kind, saas, entityId],
      );
      if (row !== undefined) await this.#cache.write(indexed(row.id, this.#basisOf(connectionId)));
    });
  }

  async search(query: KeptQuery, signal: AbortSignal): Promise<KeptSearch> {
    const { connectionId, text, whole, most } = query;
    const indexError = await this.#indexWaiting(connectionId, this.#ticks() + INDEX_MS, signal).then(
      () => null,
      (reason: unknown) => toBridgeError(reason).message,
    );
    const terms = termsOf(text, whole);
    const all = await this.#counts(connectionId);
    const { count: matching, rows } = await this.#search(searchSql(query, terms), most, signal);
    const hits = await this.#hitsOf(rows, searchSql(query, terms), highlightsOf(terms), signal);
    return {
      ...all,
      matching,
      rows: rows.map((row) => listed(row, hits.get(row.id) ?? [])),
      fields: await this.#inFields(searchSql({ ...query, fields: [] }, terms), signal),
      indexError: all.waiting > 0 ? indexError : null,
    };
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work, work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  #indexWaiting(connectionId: string, until: number, signal: AbortSignal): Promise<void> {
    return this.#inTurn(async () => {
      const basis = this.#basisOf(connectionId);
      await this.#outdate(connectionId, basis);
      while (!signal.aborted) {
        const next = await this.#cache.get<{ id: number }>(
          'SELECT id FROM kept_profiles WHERE connection_id = ? AND indexed = 0 ORDER BY id DESC LIMIT 1',
          [connectionId],
        );
        if (next === undefined) return;
        await this.#cache.write(indexed(next.id, basis));
        if (this.#ticks() >= until) return;
      }
    });
  }

  #basisOf(connectionId: string): string {
    return JSON.stringify(this.#basis(connectionId));
  }

  /** Emails that an earlier version checked, or with other trusted servers, are indexed again. */
  async #outdate(connectionId: string, basis: string): Promise<void> {
    const of = `FROM kept_profiles WHERE connection_id = ? AND indexed = 1 AND checks IS NOT NULL
      AND checks ->> '$.basis' IS NOT ?`;
    if ((await this.#cache.get(`SELECT 1 ${of} LIMIT 1`, [connectionId, basis])) === undefined) return;
    await this.#cache.write([
      {
        sql: `UPDATE kept_profiles SET indexed = 0 WHERE id IN (SELECT id ${of})`,
        params: [connectionId, basis],
      },
    ]);
  }

  async #counts(connectionId: string) {
    const row = await this.#cache.get<
      Record<'profiles' | 'waiting' | 'withoutBody' | 'cut' | 'apart', number>
    >(
      `SELECT count(*) AS profiles, count(*) FILTER (WHERE indexed = 0) AS waiting,
          count(*) FILTER (WHERE indexed = 1 AND lacks LIKE '%"body"%') AS withoutBody,
          count(*) FILTER (WHERE indexed = 1 AND cut = 1) AS cut, count(*) FILTER (WHERE ${IS_APART}) AS apart
        FROM kept_profiles k WHERE connection_id = ?`,
      [connectionId],
    );
    return row ?? { profiles: 0, waiting: 0, withoutBody: 0, cut: 0, apart: 0 };
  }

  async #search({ matches, params }: Search, most: number, signal: AbortSignal) {
    const rows = await this.#cache.all<Row & { count: number }>(
      `WITH ${matches}
        SELECT k.id, k.kind, k.saas, k.entity_id AS entityId, k.about, k.checks, k.lacks, k.cut, k.indexed, k.received,
          (SELECT count(*) FROM m) AS count,
          (SELECT min(a.fetched_at) FROM kept_parts p ${PINNED} WHERE p.profile_id = k.id) AS savedAt
        FROM m JOIN kept_profiles k ON k.id = m.id ORDER BY k.received DESC, k.id DESC LIMIT $most`,
      // At least one row, for the count.
      { ...params, most: Math.max(1, most) },
      { signal },
    );
    return { count: rows[0]?.count ?? 0, rows: rows.slice(0, most) };
  }

  /** By profile: one line for each field, in the order of the fields. */
  async #hitsOf(
    rows: readonly Row[],
    { texts, params }: Search,
    highlights: readonly Sought[],
    signal: AbortSignal,
  ) {
    const hits = new Map<number, KeptProfile['hits']>();
    if (highlights.length === 0 || rows.length === 0) return hits;
    const lines = await this.#cache.all<{ id: number; field: KeptField; line: string | null }>(
      `SELECT t.profile_id AS id, t.field, pp_excerpt($sought, t.field, t.folded, t.shown) AS line FROM kept_texts t
        WHERE t.profile_id IN (SELECT value FROM json_each($ids)) AND ${texts} ORDER BY t.id`,
      { ...params, sought: JSON.stringify(highlights), ids: JSON.stringify(rows.map(({ id }) => id)) },
      { signal },
    );
    for (const field of KEPT_FIELDS)
      for (const { id, line } of lines.filter((line) => line.field === field)) {
        const previous = hits.get(id) ?? [];
        // The same link may be in the profile and in the body.
        if (line !== null && !previous.some((hit) => hit.field === field))
          hits.set(id, [...previous, { field, line }]);
      }
    return hits;
  }

  async #inFields({ matches, texts, params }: Search, signal: AbortSignal) {
    const rows = await this.#cache.all<{ field: KeptField; count: number }>(
      `WITH ${matches} SELECT t.field, count(DISTINCT t.profile_id) AS count
        FROM m JOIN kept_texts t ON t.profile_id = m.id WHERE ${texts} GROUP BY t.field`,
      params,
      { signal },
    );
    return Object.fromEntries(rows.map(({ field, count }) => [field, count]));
  }
}
