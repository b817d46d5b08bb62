/** Importing queries from a file: inspected first, then the chosen ones are sent. */
import { randomUUID } from 'node:crypto';
import type { AnswerOf } from '#shared/api/catalogue.ts';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { EventOf, InputOf, OutputOf, PlannedQuery, TargetState } from '#shared/bridge/operations.ts';
import type { NewQuery, Query } from '#shared/model/entities.ts';
import { policyWords } from '#shared/model/query-status.ts';
import { arrivesStopped, changesBetween, importChanges } from '#shared/query/import-plan.ts';
import { MAX_QUERY_FILE, type QueryFrame } from '#shared/query/query-file.ts';
import { withoutDisabled } from '#shared/query/switched-off.ts';
import type { Context } from '../kernel/context.ts';
import type { Mark } from '../kernel/generations.ts';
import { compareWith, parseQueryFile } from './inspect.ts';
import { type FileQuery, readCapped, writeQueryFile } from './read.ts';

/** The service names failed queries by label only, without a reason. */
const REASON = 'The service refused it without saying why.';
const UNMENTIONED = 'The service did not say whether it was imported. Look for it in the library.';
/** Of a field that the list omits, if the query could not be read by itself. */
const UNREAD = 'unknown: it could not be read';
/** Why a query was not replaced, before the words of the service. */
const STATE_REASONS: Readonly<Record<TargetState, string>> = {
  pending: 'Not sent.',
  sending: 'No answer: it may have been replaced.',
  done: '',
  failed: '',
  'not-sent': 'Not sent.',
  unknown: 'No answer: it may have been replaced.',
};
const FILES_KEPT = 4;
/** Queries of an import that its journal entry names. */
const JOURNALED = 200;
/** Saved queries read concurrently, one by one; kept low so that what is on screen comes first. */
const AT_ONCE = 4;
/** Fewer take no time worth reporting. */
const REPORTED_FROM = 20;
const PROGRESS_MS = 100;

interface Inspected {
  /** The service and account it was compared with. */
  mark: Mark;
  name: string;
  queries: FileQuery[];
  frame: QueryFrame;
  plan: PlannedQuery[];
  /** The saved queries that it was compared with, by id. */
  saved: ReadonlyMap<string, Query>;
}

/** Nothing of a file acts by itself unless the analyst chose so. */
function stopped(query: FileQuery): FileQuery {
  if (query.query === null || !arrivesStopped(query.query)) return query;
  const status = 'stopped';
  return {
    ...query,
    query: { ...query.query, status },
    asRead: query.asRead === null ? null : { ...query.asRead, status },
  };
}

type Report = (progress: EventOf<'queries.inspect'>) => Promise<void>;

/** Saved queries and those of a file that replace them. */
export interface Replacements {
  queries: readonly { id: string; name: string; before: Query; after: NewQuery }[];
  reason: string;
}
/** Replaces them as one action of the journal; outcomes in their order. */
export type ReplaceQueries = (
  connectionId: string,
  replacements: Replacements,
) => Promise<{ journalId: number; outcomes: readonly { state: TargetState; error: string | null }[] }>;

export class QueryImports {
  readonly #ctx: Context;
  readonly #replaceQueries: ReplaceQueries;
  /** Inspected files that may still be imported, oldest first. */
  readonly #inspected = new Map<string, Inspected>();

  constructor(ctx: Context, replaceQueries: ReplaceQueries) {
    this.#ctx = ctx;
    this.#replaceQueries = replaceQueries;
  }

  async inspect(
    { connectionId, grantId }: InputOf<'queries.inspect'>,
    signal: AbortSignal,
    report: Report,
  ): Promise<OutputOf<'queries.inspect'>> {
    const chosen = this.#ctx.grants.redeem(grantId);
    const { name } = chosen;
    const mark = this.#ctx.generations.mark(connectionId);
    const bytes = await readCapped(chosen, MAX_QUERY_FILE).finally(() => chosen.release?.());
    let saved: ReadonlyMap<string, Query> = new Map();
    const { queries, frame, notes, plan } = await parseQueryFile(
      this.#ctx.ports.workers.parsing,
      { bytes, name },
      {
        signal,
        compare: async (queries) => {
          const comparison = await compareWith(this.#ctx.upstream, connectionId, queries, signal);
          saved = new Map(comparison.saved.map((query) => [query.id, query]));
          return comparison;
        },
      },
    );
    saved = await this.#readInFull(connectionId, saved, { queries, plan }, signal, report);
    const importId = randomUUID();
    this.#inspected.set(importId, { mark, name, queries, frame, plan, saved });
    for (const old of [...this.#inspected.keys()].slice(0, -FILES_KEPT)) this.#inspected.delete(old);
    return { importId, name, queries: plan, notes };
  }

  /**
   * A list may omit fields. Without conditions or a time of change, a query could then not be compared, so those that
   * the file would replace are read one by one; their plans are corrected. Returns the saved queries. Rejects if
   * the service does not answer, or refuses the credential.
   */
  async #readInFull(
    connectionId: string,
    listed: ReadonlyMap<string, Query>,
    { queries, plan }: { queries: readonly FileQuery[]; plan: PlannedQuery[] },
    signal: AbortSignal,
    report: Report,
  ): Promise<ReadonlyMap<string, Query>> {
    const saved = new Map(listed);
    const pending = plan.flatMap((planned, index) => {
      const query = queries[index]?.query;
      const match = planned.match && listed.get(planned.match.id);
      const isWhole = match && match.updateTime != null && match.filter !== undefined;
      return !query || !match || isWhole ? [] : [{ index, planned, query, match }];
    });
    const total = pending.length;
    let read = 0;
    let reported = Number.NEGATIVE_INFINITY;
    const progress = async () => {
      const now = performance.now();
      if (total < REPORTED_FROM || now - reported < PROGRESS_MS) return;
      reported = now;
      await report({ read, total });
    };
    const readMatch = async ({ index, planned, query, match }: (typeof pending)[number]) => {
      const full = await this.#ctx.upstream
        .send(connectionId, 'query.get', { params: { id: match.id } }, { signal })
        .catch((error: unknown) => {
          // Every further query would be refused, too, and repeated refusals can lock an account.
          if (['unauthorized', 'offline'].includes(toBridgeError(error).code)) {
            pending.length = 0;
            throw error;
          }
          return null;
        });
      signal.throwIfAborted();
      read += 1;
      await progress();
      if (full === null) {
        plan[index] = withoutUnread(planned, match);
        return;
      }
      if (changesBetween(match, full, null).length === 0) return;
      saved.set(match.id, full);
      const changes = importChanges(full, query, null);
      plan[index] = { ...planned, changes, state: changes.length === 0 ? 'same' : 'changed' };
    };
    const readRest = async () => {
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) await readMatch(next);
    };
    await progress();
    // The first alone shows whether the service answers and accepts the credential.
    const first = pending.shift();
    if (first !== undefined) await readMatch(first);
    await Promise.all(Array.from({ length: AT_ONCE }, readRest));
    return saved;
  }

  async import(
    { connectionId, importId, choices }: InputOf<'queries.import'>,
    signal: AbortSignal,
  ): Promise<OutputOf<'queries.import'>> {
    const file = this.#inspected.get(importId);
    if (file?.mark.connectionId !== connectionId)
      throw new ParapetError('not-allowed', 'That file was already imported or discarded. Choose it again.');
    const rows = choices.map(({ index, as, running = false }) => {
      const query = file.queries[index];
      const id = file.plan[index]?.match?.id;
      if (!query?.query || (as === 'replace' && !id))
        throw new ParapetError(
          'invalid-input',
          `Query ${index + 1} of the file cannot be imported like this.`,
        );
      return { query: running ? query : stopped(query), as, id: id ?? '' };
    });
    if (!this.#ctx.generations.isSame(file.mark))
      throw new ParapetError(
        'conflict',
        'The connection was changed since the file was compared with its queries, so none of it was sent. Choose the file again.',
      );
    if (this.#ctx.upstream.isOffline(connectionId))
      throw new ParapetError('offline', 'Queries are imported by the service, which cannot be reached now.');
    this.#inspected.delete(importId);
    try {
      const { replaced, failed, journalId } = await this.#replaceAll(
        file,
        rows.filter(({ as }) => as === 'replace'),
      );
      const fresh = rows.filter(({ as }) => as === 'new').map(({ query }) => query);
      const sent = await this.#sendNew(file, fresh, signal).catch((error: unknown) => {
        // Queries replaced so far stay replaced and must be reported.
        if (replaced.length === 0 && failed.length === 0) throw error;
        const { message } = toBridgeError(error);
        return { imported: [], failed: fresh.map(({ label }) => ({ label, reason: message })) };
      });
      return { imported: sent.imported, replaced, failed: [...failed, ...sent.failed], journalId };
    } finally {
      this.#ctx.publish({ type: 'invalidated', connectionId, tags: ['queries'] });
    }
  }

  /** As one action, so that the journal keeps what they were. */
  async #replaceAll({ mark, saved, name }: Inspected, chosen: readonly { query: FileQuery; id: string }[]) {
    const queries = chosen.flatMap(({ query: { query, label }, id }) => {
      const before = saved.get(id);
      return query === null || before === undefined ? [] : [{ id, name: label, before, after: query }];
    });
    if (queries.length === 0) return { replaced: [], failed: [], journalId: null };
    this.#ctx.generations.check(mark);
    const { journalId, outcomes } = await this.#replaceQueries(mark.connectionId, {
      queries,
      reason: `Import from ${name}`.slice(0, 2000),
    });
    const replaced = outcomes.flatMap((outcome, index) =>
      outcome.state === 'done' ? [queries[index]?.name ?? ''] : [],
    );
    const failed = outcomes.flatMap(({ state, error }, index) =>
      state === 'done'
        ? []
        : [{ label: queries[index]?.name ?? '', reason: `${STATE_REASONS[state]} ${error ?? ''}`.trim() }],
    );
    return { replaced, failed, journalId };
  }

  /** Sends the queries in the form of the file: the service wrote it, and may accept no other form. */
  async #sendNew({ mark, name, frame }: Inspected, chosen: readonly FileQuery[], signal: AbortSignal) {
    const queries = chosen.flatMap(({ query, asRead }) =>
      query === null ? [] : [withoutDisabled({ ...(asRead ?? query) })],
    );
    if (queries.length === 0) return { imported: [], failed: [] };
    this.#ctx.generations.check(mark);
    const answer = await this.#ctx.upstream.upload(
      mark.connectionId,
      'query.import',
      { name, bytes: writeQueryFile(queries, frame), contents: contentsOf(chosen) },
      { signal },
    );
    const imported = importedOf(chosen, answer);
    const reasons = new Map((answer.failed ?? []).map(({ label, reason }) => [label, reason]));
    return {
      imported,
      failed: [
        ...answer.error.map((label) => ({ label, reason: reasons.get(label) || REASON })),
        ...unmentioned(chosen, { ...answer, imported }).map((label) => ({ label, reason: UNMENTIONED })),
      ],
    };
  }
}

/** What the journal keeps of imported queries: how many, and what the first of them do by themselves. */
const contentsOf = (chosen: readonly FileQuery[]) => ({
  count: chosen.length,
  queries: chosen
    .slice(0, JOURNALED)
    .map(({ label, query }) => ({ name: label, acts: query === null ? '' : policyWords(query) })),
});

/** What is compared with a field that was not read is unknown, not “none”. */
function withoutUnread(planned: PlannedQuery, listed: Query): PlannedQuery {
  const changes = planned.changes.map((change) =>
    listed[change.field] === undefined ? { ...change, before: UNREAD } : change,
  );
  const isCompared = listed.filter !== undefined || changes.some(({ field }) => field === 'filter');
  if (!isCompared) changes.push({ field: 'filter', before: UNREAD, after: 'none' });
  return { ...planned, changes, state: changes.length === 0 ? 'same' : 'changed' };
}

/** Labels of the imported queries. If a service only counts them, they are those that it did not refuse. */
function importedOf(
  sent: readonly FileQuery[],
  { imported, imported_count, error }: AnswerOf<'query.import'>,
): string[] {
  if (imported_count == null || imported_count !== sent.length - error.length) return imported;
  const refused = [...error];
  return sent.flatMap(({ label }) => {
    const position = refused.indexOf(label);
    if (position >= 0) refused.splice(position, 1);
    return position >= 0 ? [] : [label];
  });
}

/**
 * Sent queries that the answer does not account for. A service may give a query another name, so labels matter only
 * where the answer has fewer of them than queries were sent.
 */
function unmentioned(
  sent: readonly FileQuery[],
  { imported, error }: { imported: readonly string[]; error: readonly string[] },
): string[] {
  const lacking = sent.length - imported.length - error.length;
  if (lacking <= 0) return [];
  const mentioned = [...imported, ...error];
  const labels = sent.flatMap(({ label }) => {
    const position = mentioned.indexOf(label);
    if (position < 0) return [label];
    mentioned.splice(position, 1);
    return [];
  });
  return labels.slice(0, lacking);
}
