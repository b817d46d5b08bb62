/** One export as a job: the rest of the rows, the file, its manifest. */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Job, ParsedInputOf } from '#shared/bridge/operations.ts';
import type { Context, JobHandle } from '../core/context.ts';
import type { ChosenPath } from '../core/ports.ts';
import { columnOf } from '../results/columns.ts';
import { rowsWord } from '../results/fill.ts';
import { activeFilter } from '../results/local-query.ts';
import type { SetRecord } from '../results/record.ts';
import type { ResultSets, SetUse } from '../results/types.ts';
import { csvLine } from './cells.ts';
import { byRank, bySet, type Choice } from './chunk-sql.ts';
import { columnsOf, type Manifest, manifestName, outcomeOf } from './manifest.ts';
import { openTarget, partOf, writeFileWhole } from './target.ts';
import { walkRows } from './walk.ts';

export type ExportRequest = Omit<ParsedInputOf<'exports.start'>, 'grantId'>;

const utf8 = new TextEncoder();
const BOM = '\u{feff}';

function chosen(record: SetRecord, columns: ExportRequest['columns']): Choice[] {
  return columns.map(({ id, label }) => {
    const known = record.columns.find((column) => column.id === id);
    // The entity id leads every row, whether or not the query shows it.
    if (known === undefined && id === 'entity_id') return { id, label, index: -1, column: null };
    const column = columnOf(record.columns, id);
    return { id, label, index: record.columns.indexOf(column), column };
  });
}

/** Rows that are missing, in words; null: none are. */
function shortfall(record: SetRecord, offline: boolean): string | null {
  if (record.state === 'complete') return null;
  const why = record.reason ?? (offline ? 'Parapet is offline.' : 'The fetch was stopped.');
  return `The query has ${rowsWord(record.total)}; ${rowsWord(record.loaded)} were on this machine. ${why}`;
}

/** Starts the job. The request is checked first: what cannot work rejects here and no file is touched. */
export async function startExport(
  ctx: Context,
  sets: ResultSets,
  request: ExportRequest,
  chosenPath: ChosenPath,
): Promise<Job> {
  const use = await sets.use(request.resultId);
  try {
    const choices = chosen(use.record, request.columns);
    const job = ctx.jobs.create({
      kind: 'export',
      title: `Export ${chosenPath.name}`,
      connectionId: use.record.connectionId,
      unit: 'rows',
      total: use.record.total,
      canPause: true,
      retry: () => startExport(ctx, sets, request, chosenPath),
      memo: { part: partOf(chosenPath.path) },
    });
    void work(ctx, sets, use, request, choices, chosenPath, job)
      .catch((error: unknown) => job.fail(error))
      .finally(() => use.release());
    return job.current();
  } catch (error) {
    use.release();
    throw error;
  }
}

async function work(
  ctx: Context,
  sets: ResultSets,
  use: SetUse,
  request: ExportRequest,
  choices: readonly Choice[],
  path: ChosenPath,
  job: JobHandle,
): Promise<void> {
  const { record } = use;
  const startedAt = ctx.ports.now();
  if (record.state !== 'complete') {
    job.update({ note: 'Fetching the rows that are not here yet' });
    await sets.fetchAll(record.id, job.signal, ({ loaded, total }) => job.update({ done: loaded, total }));
  }
  await job.ready();
  const filter = activeFilter(request.filter);
  const sort = request.sort ?? [];
  const missing = shortfall(record, ctx.upstream.isOffline(record.connectionId));
  const target = await openTarget(path.path);
  try {
    job.update({
      note: sort.length > 0 || filter !== null ? 'Ordering rows' : 'Writing',
      done: 0,
      total: null,
    });
    const view = sort.length > 0 || filter !== null ? await use.views.hold(record, sort, filter) : null;
    try {
      const count = view?.count ?? record.loaded;
      job.update({ note: 'Writing', done: 0, total: count });
      if (request.format === 'csv') {
        const head = csvLine(
          choices.map(({ label }) => label),
          request.raw,
        );
        await target.write(utf8.encode((request.bom ? BOM : '') + head));
      }
      await walkRows(
        ctx,
        {
          record,
          source: view === null ? bySet(record.n) : byRank(record.n, view.n),
          count,
          format: request.format,
          choices,
          raw: request.raw,
        },
        (bytes) => target.write(bytes),
        (rows) => {
          job.update({ done: rows });
          return job.ready();
        },
      );
      const bytes = target.bytes;
      const sha256 = await target.finish();
      const manifest: Manifest = {
        kind: 'parapet-export-manifest',
        version: 1,
        file: path.name,
        format: request.format,
        bytes,
        sha256,
        rows: count,
        total_announced: record.total,
        rows_fetched: record.loaded,
        completeness: missing === null ? 'complete' : 'PARTIAL',
        why: missing,
        query: record.payload,
        local_sort: [...sort],
        local_filter: filter,
        columns: columnsOf(choices),
        formulas: request.raw || request.format === 'ndjson' ? 'as they are' : 'neutralised',
        clock: 'UTC',
        connection: ctx.connection(record.connectionId).name,
        app_version: ctx.ports.version,
        fetched_at: new Date(record.fetchedAt).toISOString(),
        started_at: new Date(startedAt).toISOString(),
        finished_at: new Date(ctx.ports.now()).toISOString(),
      };
      const beside = path.finished === undefined ? await besideFile(path, manifest) : null;
      path.finished?.();
      const outcome = outcomeOf(manifest, beside);
      if (missing === null) job.done(outcome);
      else job.partial(missing, outcome);
    } finally {
      view?.release();
    }
  } finally {
    await target.discard();
  }
}

/** Writes the manifest; answers its name. The file itself is whole by now: it stays when this fails. */
async function besideFile(path: ChosenPath, manifest: Manifest): Promise<string> {
  try {
    await writeFileWhole(manifestName(path.path), utf8.encode(`${JSON.stringify(manifest, null, 2)}\n`));
    return manifestName(path.name);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ParapetError(
      'permission-denied',
      `${path.name} is whole, but its manifest is missing: ${why}`,
      {
        retryable: true,
        cause: error,
      },
    );
  }
}
