/**
 * Profiles kept for offline: listed and searched. Their texts are stored beside their answers in the encrypted cache
 * and removed with them (migration 009). The cache's writer indexes each profile in a transaction of its own.
 */
import type { EndpointName } from '#shared/api/catalogue.ts';
import type { ProfileRef } from '#shared/api/profile-pages.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { KEPT_FIELDS, type KeptField, type KeptProfile, type KeptSearch } from '#shared/bridge/operations.ts';
import { refang } from '#shared/model/defang.ts';
import type { Sought } from '#shared/query/excerpt.ts';
import { foldText, searchable, searchTerms, wordsOf } from '#shared/query/text.ts';
import type { Database, SqlValue, Statement } from '../store/database.ts';
import { CUT, KEPT_PARTS, KEPT_RULES } from '../store/kept-parts.ts';

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
  most: number;
}

export interface KeptIndexDeps {
  cache: Database;
  /** Keys of all parts of a profile. */
  partsOf(connectionId: string, profile: ProfileRef): KeptPart[];
  ticks(): number;
}

/** A search first indexes pending profiles, for about this long; the next search continues. */
const INDEX_MS = 250;
/** Profiles of earlier versions that are identified at once. */
const NAMED_AT_ONCE = 200;

const PARTS = JSON.stringify(KEPT_PARTS);
/** SQL: the pinned answers to the parts `p`. */
const PINNED = 'JOIN answers a ON a.connection_id = p.connection_id AND a.key = p.key AND a.pinned = 1';
/** SQL: an answer about a body that has none. */
const NO_BODY = `(a.endpoint IN ('email.body', 'entity.message-body')
  AND coalesce(a.data ->> '$.html', a.data ->> '$.text') IS NULL)`;

/** SQL: a profile's own part, pinned by an earlier version or not recorded because of a kill. */
const UNNOTED = `a.endpoint IN ('email.profile', 'file.profile', 'entity.get')
  AND NOT EXISTS (SELECT 1 FROM kept_parts p WHERE p.connection_id = a.connection_id AND p.key = a.key)`;

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
  const own = parts.filter(({ endpoint }) => endpoint in KEPT_PARTS);
  const { kind, saas, entityId } = profile;
  const which = { connection: connectionId, kind, saas, entity: entityId };
  const keys = JSON.stringify(parts.map(({ key }) => key));
  return [
    {
      sql: `INSERT INTO kept_profiles (connection_id, kind, saas, entity_id)
        SELECT $connection, $kind, $saas, $entity WHERE EXISTS (
          SELECT 1 FROM answers WHERE connection_id = $connection AND pinned = 1
            AND key IN (SELECT value FROM json_each($keys)))
        ON CONFLICT (connection_id, kind, saas, entity_id) DO UPDATE SET rules = 0`,
      params: { ...which, keys },
    },
    ...own.map(({ endpoint, key }) => ({
      sql: `INSERT OR IGNORE INTO kept_parts (profile_id, connection_id, key, endpoint)
        SELECT id, $connection, $key, $endpoint FROM kept_profiles
        WHERE connection_id = $connection AND kind = $kind AND saas = $saas AND entity_id = $entity`,
      params: { ...which, key, endpoint },
    })),
  ];
}

/** Statements that index one profile by its current answers. */
function indexed(id: number): Statement[] {
  const params = { id, rules: KEPT_RULES, parts: PARTS };
  return [
    { sql: 'DELETE FROM kept_texts WHERE profile_id = ?', params: [id] },
    {
      sql: `INSERT INTO kept_texts (profile_id, field, folded, shown)
        SELECT p.profile_id, t.value ->> 0, t.value ->> 1, t.value ->> 2
        FROM kept_parts p ${PINNED}, json_each(pp_kept_texts(a.endpoint, a.data)) t WHERE p.profile_id = ?`,
      params: [id],
    },
    {
      sql: `UPDATE kept_profiles SET rules = $rules,
        about = (SELECT pp_kept_about(a.data) FROM kept_parts p ${PINNED}
          WHERE p.profile_id = $id AND $parts ->> ('$."' || p.endpoint || '"') = 'profile'),
        lacks = (SELECT json_group_array(DISTINCT $parts ->> ('$."' || p.endpoint || '"')) FROM kept_parts p
          WHERE p.profile_id = $id AND NOT EXISTS (SELECT 1 FROM answers a
            WHERE a.connection_id = p.connection_id AND a.key = p.key AND a.pinned = 1 AND NOT ${NO_BODY})),
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
  lacks: string;
  cut: number;
  rules: number;
  received: number | null;
  savedAt: number | null;
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
    savedAt: row.savedAt,
    isWaiting: row.rules !== KEPT_RULES,
    lacks: JSON.parse(row.lacks) as KeptProfile['lacks'],
    isCut: row.cut === 1,
    hits,
  };
}

/** The query for a search: the profiles that match as `m (id)`, and their texts that have a term as `t`. */
function searchSql(
  connectionId: string,
  terms: readonly Term[],
  fields: readonly KeptField[],
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
    matches: `m AS MATERIALIZED (SELECT k.id FROM kept_profiles k WHERE k.connection_id = $connection${has.join('')})`,
    texts: `${tests.length === 0 ? '0' : `(${tests.join(' OR ')})`}${inFields}`,
    params,
  };
}

type Search = ReturnType<typeof searchSql>;

export class KeptIndex {
  readonly #cache: KeptIndexDeps['cache'];
  readonly #partsOf: KeptIndexDeps['partsOf'];
  readonly #ticks: KeptIndexDeps['ticks'];
  /** Runs one at a time, whatever the number of callers. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ cache, partsOf, ticks }: KeptIndexDeps) {
    this.#cache = cache;
    this.#partsOf = partsOf;
    this.#ticks = ticks;
  }

  /** Records a profile whose answers are pinned, with the keys of all its parts, and indexes it. */
  keep(connectionId: string, profile: ProfileRef, parts: readonly KeptPart[]): Promise<void> {
    return this.#inTurn(async () => {
      await this.#cache.write(noted(connectionId, profile, parts));
      const { kind, saas, entityId } = profile;
      const row = await this.#cache.get<{ id: number }>(
        'SELECT id FROM kept_profiles WHERE connection_id = ? AND kind = ? AND saas = ? AND entity_id = ?',
        [connectionId, kind, saas, entityId],
      );
      if (row !== undefined) await this.#cache.write(indexed(row.id));
    });
  }

  async search(
    { connectionId, text, whole, fields, most }: KeptQuery,
    signal: AbortSignal,
  ): Promise<KeptSearch> {
    const indexError = await this.#indexWaiting(connectionId, this.#ticks() + INDEX_MS, signal).then(
      () => null,
      (reason: unknown) => toBridgeError(reason).message,
    );
    const terms = termsOf(text, whole);
    const all = await this.#counts(connectionId);
    const { count: matching, rows } = await this.#found(searchSql(connectionId, terms, fields), most, signal);
    const hits = await this.#hitsOf(
      rows,
      searchSql(connectionId, terms, fields),
      highlightsOf(terms),
      signal,
    );
    return {
      ...all,
      matching,
      rows: rows.map((row) => listed(row, hits.get(row.id) ?? [])),
      fields: await this.#inFields(searchSql(connectionId, terms, []), signal),
      indexError: all.waiting > 0 ? indexError : null,
    };
  }

  /** Profiles pinned by an earlier version, or not recorded because of a kill, each identified by its own part. */
  async #nameOlder(connectionId: string): Promise<void> {
    const found = await this.#cache.all<{
      key: string;
      endpoint: EndpointName;
      saas: string;
      id: string;
      type: string;
    }>(
      `SELECT a.key, a.endpoint, coalesce(a.data ->> '$.saas', '') AS saas, a.data ->> '$.entity_id' AS id,
          coalesce(a.data ->> '$.entity_type', '') AS type
        FROM answers a WHERE a.connection_id = ? AND a.pinned = 1
          AND ${UNNOTED}
        LIMIT ${NAMED_AT_ONCE}`,
      [connectionId],
    );
    for (const { key, endpoint, saas, id, type } of found) {
      const kinds =
        endpoint === 'email.profile'
          ? (['email'] as const)
          : endpoint === 'file.profile'
            ? (['file'] as const)
            : (['message', 'user', 'group'] as const);
      const ways = kinds.flatMap((kind) =>
        [saas, 'all', ''].map((one): ProfileRef => ({ kind, saas: one, entityId: id })),
      );
      const own = ways.map((profile) => ({ profile, parts: this.#partsOf(connectionId, profile) }));
      const exact = own.find(({ parts }) => parts.some((part) => part.key === key));
      const near = own.find(({ profile }) => profile.kind === type) ?? own[0];
      // Requested under a name that its answer does not contain: only its own part is known, and parts requested by id
      // alone.
      const { profile, parts } = exact ?? {
        profile: near?.profile ?? { kind: kinds[0], saas, entityId: id },
        parts: [{ endpoint, key }, ...(near?.parts.filter((part) => part.endpoint !== endpoint) ?? [])],
      };
      await this.#cache.write(noted(connectionId, profile, parts), { urgency: 'later' });
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work, work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  #indexWaiting(connectionId: string, until: number, signal: AbortSignal): Promise<void> {
    return this.#inTurn(async () => {
      await this.#nameOlder(connectionId);
      while (!signal.aborted) {
        const next = await this.#cache.get<{ id: number }>(
          'SELECT id FROM kept_profiles WHERE connection_id = ? AND rules <> ? ORDER BY id DESC LIMIT 1',
          [connectionId, KEPT_RULES],
        );
        if (next === undefined) return;
        await this.#cache.write(indexed(next.id));
        if (this.#ticks() >= until) return;
      }
    });
  }

  async #counts(connectionId: string) {
    const row = await this.#cache.get<
      Record<'profiles' | 'waiting' | 'withoutBody' | 'cut' | 'older' | 'unnamed', number>
    >(
      `SELECT count(*) AS profiles, count(*) FILTER (WHERE rules <> $rules) AS waiting,
          count(*) FILTER (WHERE rules = $rules AND lacks LIKE '%"body"%') AS withoutBody,
          count(*) FILTER (WHERE rules = $rules AND cut = 1) AS cut,
          (SELECT count(*) FROM answers a WHERE a.connection_id = $connection AND a.pinned = 1 AND ${UNNOTED}) AS older,
          (SELECT count(*) FROM answers a WHERE a.connection_id = $connection AND a.pinned = 1
            AND a.endpoint IN ('email.body', 'entity.message-body') AND NOT EXISTS (
              SELECT 1 FROM kept_parts p WHERE p.connection_id = a.connection_id AND p.key = a.key)) AS unnamed
        FROM kept_profiles WHERE connection_id = $connection`,
      { connection: connectionId, rules: KEPT_RULES },
    );
    const { profiles = 0, waiting = 0, withoutBody = 0, cut = 0, older = 0, unnamed = 0 } = row ?? {};
    // Until older profiles are identified, it is unknown which profiles their bodies belong to.
    return {
      profiles: profiles + older,
      waiting: waiting + older,
      withoutBody,
      cut,
      unnamed: older > 0 ? 0 : unnamed,
    };
  }

  async #found({ matches, params }: Search, most: number, signal: AbortSignal) {
    const rows = await this.#cache.all<Row & { count: number }>(
      `WITH ${matches}
        SELECT k.id, k.kind, k.saas, k.entity_id AS entityId, k.about, k.lacks, k.cut, k.rules, k.received,
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
      for (const { id, line } of lines.filter((one) => one.field === field)) {
        const own = hits.get(id) ?? [];
        // The same link may be in the profile and in the body.
        if (line !== null && !own.some((hit) => hit.field === field)) hits.set(id, [...own, { field, line }]);
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
