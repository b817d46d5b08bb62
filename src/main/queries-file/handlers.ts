import { randomUUID } from 'node:crypto';
import type { Request } from '#shared/api/catalogue.ts';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { PlannedQuery } from '#shared/bridge/operations.ts';
import { exact, plural } from '#shared/model/format.ts';
import { MAX_QUERY_FILE } from '#shared/query/query-file.ts';
import { type FileFacts, writeWithManifest } from '../files/whole-file.ts';
import type { Context } from '../kernel/context.ts';
import type { Mark } from '../kernel/generations.ts';
import type { HandlersOf, OperationIn } from '../kernel/handlers.ts';
import { redeemForClear } from '../kernel/policy.ts';
import { compareWith, parseQueryFile } from './inspect.ts';
import { type FileQuery, readCapped, writeQueryFile } from './read.ts';
import { checkServiceFile } from './service-file.ts';

/** The service names failed queries by label only, without a reason. */
const REASON = 'The service refused it without saying why.';
const UNMENTIONED = 'The service did not say whether it was imported. Look for it in the library.';
const MAX_SERVICE_FILE = 500 * 1024 * 1024;
const FILES_KEPT = 4;

interface Inspected {
  /** The service and account it was compared with. */
  mark: Mark;
  name: string;
  queries: FileQuery[];
  plan: PlannedQuery[];
}

export function createQueryFileHandlers(
  ctx: Context,
): HandlersOf<Exclude<OperationIn<'queries'>, 'queries.delete'>> {
  /** Inspected files that may still be imported, oldest first. */
  const inspected = new Map<string, Inspected>();

  async function replaceAll(
    mark: Mark,
    chosen: readonly { query: FileQuery; id: string }[],
    signal: AbortSignal,
  ) {
    const replaced: string[] = [];
    const failed: { label: string; reason: string }[] = [];
    for (const { query, id } of chosen) {
      if (query.query === null) continue;
      try {
        // The file's update time belongs to another service and says nothing about the query replaced here.
        const body = { ...query.query, id, updateTime: null };
        ctx.generations.check(mark);
        await ctx.upstream.send(mark.connectionId, 'query.update', { params: { id }, body }, { signal });
        replaced.push(query.label);
      } catch (error) {
        signal.throwIfAborted();
        failed.push({ label: query.label, reason: toBridgeError(error).message });
      }
    }
    return { replaced, failed };
  }

  async function sendNew(mark: Mark, name: string, chosen: readonly FileQuery[], signal: AbortSignal) {
    const queries = chosen.flatMap(({ query }) => (query === null ? [] : [query]));
    if (queries.length === 0) return { imported: [], failed: [] };
    ctx.generations.check(mark);
    const answer = await ctx.upstream.upload(
      mark.connectionId,
      'query.import',
      { name, bytes: writeQueryFile(queries) },
      { signal },
    );
    const reasons = new Map((answer.failed ?? []).map(({ label, reason }) => [label, reason]));
    return {
      imported: answer.imported,
      failed: [
        ...answer.error.map((label) => ({ label, reason: reasons.get(label) || REASON })),
        ...unmentioned(chosen, answer).map((label) => ({ label, reason: UNMENTIONED })),
      ],
    };
  }

  async function writeBlob(
    grantId: string,
    connectionId: string,
    blob: () => Promise<{ bytes: Uint8Array } & Omit<FileFacts, 'connection'>>,
  ) {
    const chosen = redeemForClear(ctx, grantId);
    const { bytes, ...facts } = await blob();
    const connection = ctx.connection(connectionId).name;
    const name = await writeWithManifest(ctx, chosen, bytes, { ...facts, connection });
    return { name, bytes: bytes.length };
  }

  /** A file that the service makes. */
  async function serviceFile<N extends 'query.export-results' | 'query.export-active-users'>(
    connectionId: string,
    endpoint: N,
    request: Request<N>,
    format: string,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const bytes = await ctx.upstream.blob(connectionId, endpoint, request, {
      signal,
      maxBytes: MAX_SERVICE_FILE,
    });
    checkServiceFile(bytes, format, endpoint);
    return bytes;
  }

  return {
    async 'queries.inspect'({ connectionId, grantId }, { signal }) {
      const chosen = ctx.grants.redeem(grantId);
      const { name } = chosen;
      const mark = ctx.generations.mark(connectionId);
      const bytes = await readCapped(chosen, MAX_QUERY_FILE).finally(() => chosen.release?.());
      const { queries, notes, plan } = await parseQueryFile(
        ctx.ports.workers.parsing,
        { bytes, name },
        { signal, compare: (asked) => compareWith(ctx.upstream, connectionId, asked, signal) },
      );
      const importId = randomUUID();
      inspected.set(importId, { mark, name, queries, plan });
      for (const old of [...inspected.keys()].slice(0, -FILES_KEPT)) inspected.delete(old);
      return { importId, name, queries: plan, notes };
    },

    async 'queries.import'({ connectionId, importId, choices }, { signal }) {
      const file = inspected.get(importId);
      if (file?.mark.connectionId !== connectionId)
        throw new ParapetError(
          'not-allowed',
          'That file was already imported or discarded. Choose it again.',
        );
      const rows = choices.map(({ index, as }) => {
        const query = file.queries[index];
        const id = file.plan[index]?.match?.id;
        if (!query?.query || (as === 'replace' && !id))
          throw new ParapetError(
            'invalid-input',
            `Query ${index + 1} of the file cannot be imported like this.`,
          );
        return { query, as, id: id ?? '' };
      });
      if (!ctx.generations.isSame(file.mark))
        throw new ParapetError(
          'conflict',
          'The connection was changed since the file was compared with its queries, so none of it was sent. Choose the file again.',
        );
      if (ctx.upstream.isOffline(connectionId))
        throw new ParapetError(
          'offline',
          'Queries are imported by the service, which cannot be reached now.',
        );
      inspected.delete(importId);
      try {
        const { replaced, failed } = await replaceAll(
          file.mark,
          rows.filter(({ as }) => as === 'replace'),
          signal,
        );
        const fresh = rows.filter(({ as }) => as === 'new').map(({ query }) => query);
        const sent = await sendNew(file.mark, file.name, fresh, signal).catch((error: unknown) => {
          // Queries replaced so far stay replaced and must be reported.
          if (replaced.length === 0 && failed.length === 0) throw error;
          const { message } = toBridgeError(error);
          return { imported: [], failed: fresh.map(({ label }) => ({ label, reason: message })) };
        });
        return { imported: sent.imported, replaced, failed: [...failed, ...sent.failed] };
      } finally {
        ctx.publish({ type: 'invalidated', connectionId, tags: ['queries'] });
      }
    },

    async 'queries.export'({ connectionId, ids, grantId }, { signal }) {
      let count = 0;
      let missing: string | null = null;
      const written = await writeBlob(grantId, connectionId, async () => {
        const bytes = await ctx.upstream.blob(
          connectionId,
          'query.export',
          { body: { ids } },
          { signal, maxBytes: MAX_QUERY_FILE },
        );
        count = await countQueries(ctx.ports.workers.parsing, bytes, signal);
        if (count < ids.length)
          missing = `The service returned ${exact(count)} of ${plural(ids.length, 'query', 'queries')}.`;
        return {
          bytes,
          what: 'Queries, as the service exported them',
          entries: count,
          ...(missing === null ? {} : { completeness: 'PARTIAL', why: missing }),
        };
      });
      return { ...written, count, missing };
    },

    'queries.export-results': ({ connectionId, id, format, grantId }, { signal }) =>
      writeBlob(grantId, connectionId, async () => ({
        bytes: await serviceFile(
          connectionId,
          'query.export-results',
          { params: { id }, body: { format } },
          format,
          signal,
        ),
        what: `Results of a query, in the file generated by the service (query ${id})`,
        entries: null,
      })),

    'queries.export-active-users': ({ connectionId, saas, format, grantId }, { signal }) =>
      writeBlob(grantId, connectionId, async () => ({
        bytes: await serviceFile(
          connectionId,
          'query.export-active-users',
          { body: { saas, format } },
          format,
          signal,
        ),
        what: `Active users of ${saas}, in the file generated by the service`,
        entries: null,
      })),
  };
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
    const at = mentioned.indexOf(label);
    if (at < 0) return [label];
    mentioned.splice(at, 1);
    return [];
  });
  return labels.slice(0, lacking);
}

/** Verifies that the file can be imported before it gets its name. */
async function countQueries(entry: URL, bytes: Uint8Array, signal: AbortSignal): Promise<number> {
  const notQueries = (why: string, cause?: unknown) =>
    new ParapetError('wrong-shape', `The service did not answer with a query file. ${why}`, { cause });
  let queries: FileQuery[];
  try {
    // A copy is transferred to the thread, since these bytes still have to be written.
    const file = { bytes: new Uint8Array(bytes), name: 'The answer' };
    ({ queries } = await parseQueryFile(entry, file, { signal }));
  } catch (error) {
    throw notQueries(error instanceof Error ? error.message : String(error), error);
  }
  // A query that this version could not import is still valid data of the service.
  const broken = queries.find(({ isQuery }) => !isQuery);
  if (broken) throw notQueries(`“${broken.label}”: ${broken.reason ?? ''}`);
  return queries.length;
}
