/**
 * Collects the sources of indicators step by step: the profiles of a few emails, the service's columns of many rows.
 */
import type { AnswerOf, EndpointName, Request } from '#shared/api/catalogue.ts';
import { readNumberedPages } from '#shared/api/numbered-pages.ts';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { IndicatorSourceRef, ParsedInputOf } from '#shared/bridge/operations.ts';
import type { ExceptionRule } from '#shared/exceptions/rule.ts';
import { ruleOf } from '#shared/exceptions/rule.ts';
import { decodeBytes } from '#shared/mail/charsets.ts';
import { parseHeaders } from '#shared/mail/headers.ts';
import { parseHops } from '#shared/mail/received.ts';
import { EXCEPTION_SEARCH_PAGE } from '#shared/model/constants.ts';
import type { Cursor, QueryConfig, Row } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';
import {
  AllowLists,
  commonDomains,
  emailSource,
  Indicators,
  indicatorColumns,
  rowSource,
} from '#shared/model/indicators.ts';
import { canonicalTool } from '#shared/model/white-label.ts';
import { entityCondition, entityTest } from '#shared/query/entity-condition.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { Context } from '../kernel/context.ts';
import type { Handlers } from '../kernel/handlers.ts';
import type { ReadThrough } from '../response-cache/read-through.ts';
import type { ResultSets } from '../results/sets.ts';

/** For up to this many emails the profiles are read; for more, only the service's columns. */
export const PROFILES_MOST = 100;
const AT_ONCE = 6;
/** Rows of one request. */
const PAGE = 1_000;
const ENTRIES_MOST = 10_000;
/** Characters of a body, and of headers, that are searched for phone numbers. */
const TEXT_MOST = 200_000;

const WITHOUT_BODIES = `For more than ${exact(PROFILES_MOST)} emails bodies and headers are not read: phone numbers come from subjects`;

export interface CollectDeps {
  ctx: Context;
  sets: ResultSets;
  reading: Pick<ReadThrough, 'once'>;
  rows: Handlers['results.rows'];
}

interface Emails {
  saas: string;
  entityId: string;
}

/** State of one collection. */
export class Collecting {
  readonly #deps: CollectDeps;
  readonly #connectionId: string;
  readonly #signal: AbortSignal;
  readonly notes: string[] = [];
  read = 0;
  /** Requested rows that the service did not return. */
  #unreturned = 0;
  /** Rows without an id, which cannot be requested. */
  #withoutId = 0;
  /** Selected rows that are no longer in the results. */
  #gone = 0;

  constructor(deps: CollectDeps, connectionId: string, signal: AbortSignal) {
    this.#deps = deps;
    this.#connectionId = connectionId;
    this.#signal = signal;
  }

  async collect(source: IndicatorSourceRef): Promise<Indicators> {
    const [ownDomains, allowed] = await Promise.all([this.#ownDomains(), this.#allowed()]);
    const indicators = new Indicators(ownDomains, new AllowLists(allowed));
    if (source.kind === 'rows') await this.#ofRows(source, indicators);
    else if (source.kind === 'condition') await this.#ofCondition(source.condition, indicators);
    else if (source.kind === 'email') await this.#ofEmails([source], indicators);
    else await this.#ofFile(source, indicators);
    return indicators;
  }

  /** Read from the cache if it is fresh enough. */
  async #ask<N extends EndpointName>(endpoint: N, request: Request<N>): Promise<AnswerOf<N>> {
    const { data } = await this.#deps.reading.once(
      { ...request, connectionId: this.#connectionId, endpoint },
      this.#signal,
    );
    return data as AnswerOf<N>;
  }

  /** The answer, or null with a note: an unreadable part does not hide the others. */
  async #try<T>(what: string, ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask();
    } catch (error) {
      if (this.#signal.aborted) throw error;
      this.notes.push(`${what}: ${toBridgeError(error).message}`);
      return null;
    }
  }

  #config(domain: string): Promise<QueryConfig> {
    return this.#ask('query.config', { params: {}, query: { saas_id: 'all', query_domain: domain } });
  }

  async #ownDomains(): Promise<ReadonlySet<string>> {
    const answer = await this.#try('Our own domains are unknown', async () => {
      const { fields } = await this.#config('user');
      const address = fields.find(({ type }) => type === 'email');
      if (!address) return [];
      const body = {
        query_domain: 'user',
        saas_id: 'all',
        query_entity_type: 'user',
        condition: { operator: 'or' as const, conditions: [] },
        columns: [address.id],
        sort_by: [],
        size: 100,
        include_copies: false,
        count_only: false,
      };
      const { rows } = await this.#ask('query.execute', { params: {}, query: {}, body });
      return rows.flatMap((row) => {
        const value = row[address.id];
        return typeof value === 'string' ? [value] : [];
      });
    });
    return commonDomains(answer ?? []);
  }

  /** Entries of allow lists for one value. */
  async #allowed(): Promise<ExceptionRule[]> {
    const { product } = this.#deps.ctx.connection(this.#connectionId);
    if (product === '') return [];
    const rules: ExceptionRule[] = [];
    await this.#try('Allow lists could not be read, so nothing is excluded because of them', async () => {
      const types = { type: 'allow', from: new Date(0).toISOString() };
      const { counts, rows } = await this.#ask('exceptions.search2', {
        params: { product },
        query: {},
        body: { ...types, page: 0, size: 1 },
      });
      // A search over all tools returns the impact of each entry, which takes the service seconds and is not needed
      // here.
      const counted = counts?.flatMap(({ sec_type, count }) => (count > 0 ? [{ sec_type }] : [])) ?? [];
      const lists = counted.length > 0 || (counts && rows.length === 0) ? counted : [null];
      let checked = 0;
      let isWhole = true;
      for (const list of lists) {
        if (checked >= ENTRIES_MOST) {
          isWhole = false;
          break;
        }
        const endpoint = list ? 'exceptions.search' : 'exceptions.search2';
        const read = await readNumberedPages({
          ask: (page) =>
            this.#ask(endpoint, {
              params: { product },
              query: {},
              body: { ...types, ...list, page, size: EXCEPTION_SEARCH_PAGE },
            }),
          idOf: ({ id }) => id,
          most: ENTRIES_MOST - checked,
        });
        for (const entry of read.rows) {
          const tool = entry.sec_type ?? list?.sec_type ?? '';
          const rule = ruleOf(canonicalTool(tool, product), entry);
          // A service may ignore the requested type.
          if (rule?.list === 'allow') rules.push(rule);
        }
        checked += read.rows.length;
        isWhole &&= read.isWhole;
      }
      if (!isWhole)
        this.notes.push(`Only ${plural(checked, 'entry', 'entries')} of allow lists were checked`);
    });
    return rules;
  }

  async #ofFile({ saas, entityId }: Emails, indicators: Indicators): Promise<void> {
    const profile = await this.#ask('file.profile', { params: { saas }, query: { entity_id: entityId } });
    const values = [profile.md5, profile.sha1, profile.sha256].filter((hash) => typeof hash === 'string');
    this.read = 1;
    indicators.add({ values, prose: [profile.title ?? ''], own: [] });
  }

  async #ofEmails(emails: readonly Emails[], indicators: Indicators): Promise<void> {
    const missed = new Map<string, number>();
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < emails.length) {
        const email = emails[next++];
        if (email) await this.#ofEmail(email, indicators, missed);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    for (const [what, count] of missed)
      this.notes.push(`${what} of ${plural(count, 'email')} could not be read`);
  }

  async #ofEmail(
    { saas, entityId }: Emails,
    indicators: Indicators,
    missed: Map<string, number>,
  ): Promise<void> {
    const mailRequest = { params: { saas }, query: { entity_id: entityId } };
    const common = { params: {}, query: { entity_id: entityId } };
    const part = async <T>(what: string, ask: Promise<T>): Promise<T | null> => {
      try {
        return await ask;
      } catch (error) {
        if (this.#signal.aborted) throw error;
        missed.set(what, (missed.get(what) ?? 0) + 1);
        return null;
      }
    };
    const [profile, attachments, headers, body] = await Promise.all([
      part('Profiles', this.#ask('email.profile', mailRequest)),
      part('Attachments', this.#ask('email.attachments', mailRequest)),
      part('Headers', this.#ask('email.headers', common)),
      part('Bodies', this.#ask('email.body', common)),
    ]);
    if (profile === null) return;
    if (attachments && (attachments.total_rows ?? 0) > attachments.rows.length)
      missed.set('Some attachments', (missed.get('Some attachments') ?? 0) + 1);
    this.read += 1;
    const text = body?.text ?? body?.html?.slice(0, TEXT_MOST).replace(/<[^<>]*>/g, ' ') ?? '';
    indicators.add(
      emailSource(profile, attachments?.rows ?? [], {
        firstHop: firstHop(headers?.raw ?? ''),
        body: text.slice(0, TEXT_MOST),
      }),
    );
  }

  async #ofRows(
    source: Extract<IndicatorSourceRef, { kind: 'rows' }>,
    indicators: Indicators,
  ): Promise<void> {
    const { sets } = this.#deps;
    const set = await sets.get(source.resultId);
    if (set === null) throw new ParapetError('not-cached', 'These rows have expired. Run the query again.');
    const domain = await sets.read(source.resultId, async ({ record }) => record.payload.query_domain);
    const { id: selectionId, count } = await sets.selections.freeze(
      source.resultId,
      source.filter,
      [],
      source.entityIds
        ? { ids: source.entityIds, others: false }
        : source.except
          ? { ids: source.except, others: true }
          : undefined,
      this.#signal,
    );
    if (source.entityIds) this.#gone = new Set(source.entityIds).size - count;
    try {
      const few = domain === 'email' && count <= PROFILES_MOST;
      for (let start = 0; start < count; start += PAGE) {
        const ids = await sets.selections.ids(selectionId, start, start + PAGE, this.#signal);
        const entityIds = ids.filter((id) => id !== null);
        this.#withoutId += ids.length - entityIds.length;
        if (few) await this.#ofFewEmails(source.resultId, entityIds, indicators);
        else await this.#ofPage(domain, source.resultId, set.columns, entityIds, indicators);
      }
      if (this.#unreturned > 0)
        this.notes.push(
          `The service did not return ${plural(this.#unreturned, 'row')}: only their columns were read`,
        );
      if (this.#gone > 0)
        this.notes.push(`${plural(this.#gone, 'row')} no longer in the results could not be read`);
      if (this.#withoutId > 0)
        this.notes.push(`${plural(this.#withoutId, 'row')} without an ID could not be read`);
      if (domain === 'email' && !few) this.notes.push(WITHOUT_BODIES);
    } finally {
      sets.selections.release(selectionId);
    }
  }

  async #ofCondition(condition: ConditionGroup, indicators: Indicators): Promise<void> {
    const { fields } = await this.#config('email');
    const columns = [...indicatorColumns(fields), 'entity_id', 'saas'];
    let cursor: Cursor | null = null;
    do {
      const { rows, search_after, total_rows }: AnswerOf<'query.execute'> = await this.#rowsOf(
        'email',
        condition,
        columns,
        cursor,
      );
      if (cursor === null && (total_rows ?? Infinity) <= PROFILES_MOST)
        return this.#ofEmails(emailsOf(rows), indicators);
      for (const row of rows) indicators.add(rowSource(row, fields));
      this.read += rows.length;
      cursor = rows.length === 0 ? null : (search_after ?? null);
    } while (cursor !== null);
    this.notes.push(WITHOUT_BODIES);
  }

  async #ofFewEmails(resultId: string, entityIds: string[], indicators: Indicators): Promise<void> {
    const { rows } = await this.#deps.rows({ resultId, entityIds }, { signal: this.#signal });
    this.#gone += entityIds.length - rows.length;
    await this.#ofEmails(emailsOf(rows), indicators);
  }

  /**
   * A page of rows with every column that can contain an indicator; for rows that the service does not return, the loaded
   * columns.
   */
  async #ofPage(
    domain: string,
    resultId: string,
    columns: ParsedInputOf<'results.open'>['columns'],
    entityIds: string[],
    indicators: Indicators,
  ): Promise<void> {
    const ids = new Set(entityIds);
    const wholeRows = await this.#try('Only the columns of these rows were read', async () => {
      const config = await this.#config(domain);
      const { fields } = config;
      const test = entityTest(config);
      if (test === null)
        throw new ParapetError('not-found', 'The service does not select rows by their ids.');
      const read: Row[] = [];
      const take = (rows: readonly Row[]) => {
        const listed = rows.filter(({ entity_id }) => typeof entity_id === 'string' && ids.delete(entity_id));
        read.push(...listed);
        return listed.length;
      };
      for (let cursor: Cursor | null = null; ids.size > 0; ) {
        const { rows, search_after }: AnswerOf<'query.execute'> = await this.#rowsOf(
          domain,
          entityCondition(test, entityIds),
          indicatorColumns(fields),
          cursor,
        );
        // A page without any requested row: the service repeats pages or ignores the condition.
        if (take(rows) === 0 || search_after == null) break;
        cursor = search_after;
      }
      return { rows: read, fields };
    });
    // If a later page failed, the earlier ones are not used either.
    const here = wholeRows ? [...ids] : entityIds;
    if (wholeRows) for (const row of wholeRows.rows) indicators.add(rowSource(row, wholeRows.fields));
    const { rows } =
      here.length === 0
        ? { rows: [] }
        : await this.#deps.rows({ resultId, entityIds: here }, { signal: this.#signal });
    this.#gone += here.length - rows.length;
    if (wholeRows) this.#unreturned += rows.length;
    for (const row of rows) indicators.add(rowSource(row, columns));
    this.read += rows.length + (wholeRows?.rows.length ?? 0);
  }

  /** A page of the rows with the given ids. */
  #rowsOf(
    domain: string,
    condition: ConditionGroup,
    columns: string[],
    search_after: Cursor | null,
  ): Promise<AnswerOf<'query.execute'>> {
    const body = {
      query_domain: domain,
      saas_id: 'all',
      query_entity_type: domain,
      condition,
      columns,
      sort_by: [],
      search_after,
      size: PAGE,
      include_copies: false,
      count_only: false,
    };
    return this.#deps.ctx.upstream.send(
      this.#connectionId,
      'query.execute',
      { params: {}, query: {}, body },
      { signal: this.#signal },
    );
  }
}

const emailsOf = (rows: readonly Row[]): Emails[] =>
  rows.flatMap(({ entity_id, saas }) =>
    typeof entity_id === 'string'
      ? [{ entityId: entity_id, saas: typeof saas === 'string' ? saas : 'all' }]
      : [],
  );

/** The sender's own machine, as the first server recorded it. */
function firstHop(raw: string): string | null {
  const { headers } = parseHeaders(raw.slice(0, TEXT_MOST), decodeBytes);
  return parseHops(headers).find(({ ip }) => ip !== null)?.ip ?? null;
}
