/** Exports the exceptions list: fetches every page of a search, then writes the file at once. */
import { type NumberedList, readNumberedPages } from '#shared/api/numbered-pages.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { InputOf, OutputOf } from '#shared/bridge/operations.ts';
import { listOf, ruleOf } from '#shared/exceptions/rule.ts';
import { allExceptionTypes, exceptionField, MATCHING_LABELS } from '#shared/exceptions/types.ts';
import { EXCEPTION_SEARCH_PAGE } from '#shared/model/constants.ts';
import type { Exception } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';
import { jsonText } from '#shared/model/json-text.ts';
import { csvRow } from '#shared/model/spreadsheet-safe.ts';
import { type Branding, canonicalTool, toolLabel } from '#shared/model/white-label.ts';
import { writeWithManifest } from '../files/whole-file.ts';
import type { Context } from '../kernel/context.ts';
import { redeemForClear } from '../kernel/policy.ts';

/** More than any list should have: a limit for a service that returns pages endlessly. */
const MOST = 100_000;
const BOM = '\uFEFF';

type Input = InputOf<'exceptions.export'>;

async function everyEntry(
  ctx: Context,
  { connectionId, search }: Pick<Input, 'connectionId' | 'search'>,
  signal: AbortSignal,
): Promise<NumberedList<Exception>> {
  const { product } = ctx.connection(connectionId);
  const list = await readNumberedPages({
    ask: (page) =>
      ctx.upstream.send(
        connectionId,
        'exceptions.search2',
        { params: { product }, body: { ...search, page, size: EXCEPTION_SEARCH_PAGE } },
        { signal },
      ),
    idOf: ({ id }) => id,
    most: MOST,
    // The file claims to have every entry, and a service may return smaller pages than requested.
  });
  if (list.rows.length >= MOST && !list.isWhole)
    throw new ParapetError('too-large', `The list has more than ${MOST} entries. Narrow the search.`);
  return list;
}

/** Why the file lacks entries, in words, or null if it has all that it should. */
function missingOf({ rows, total, isWhole }: NumberedList<Exception>, chosenIds: ReadonlySet<string> | null) {
  if (chosenIds !== null) {
    const listed = new Set(rows.map(({ id }) => id));
    const gone = [...chosenIds].filter((id) => !listed.has(id)).length;
    if (gone === 0) return null;
    if (isWhole)
      return `The search does not return ${exact(gone)} of the ${plural(chosenIds.size, 'selected entry', 'selected entries')}.`;
  }
  if (isWhole) return null;
  const of = total === null || total <= rows.length ? '' : ` of ${exact(total)}`;
  return `The service returned ${exact(rows.length)}${of} entries of this search, and its pages do not show that these are all.`;
}

const HEADER = [
  'tool',
  'list',
  'type',
  'field',
  'matching',
  'string',
  'further_conditions',
  'comment',
  'is_exclusive',
  'hits_6m',
  'created_by',
  'created_at',
];

const fieldOf = (id: string): string => exceptionField(id)?.label ?? id;

function csvOf(entries: readonly Exception[], branding: Branding): string {
  const rows = entries.map((entry) => {
    const tool = canonicalTool(entry.sec_type ?? '', branding.product);
    const rule = ruleOf(tool, entry);
    const [first, ...more] = rule?.conditions ?? [];
    return csvRow([
      toolLabel(entry.sec_type ?? '', branding),
      listOf(tool, entry) ?? entry.list,
      allExceptionTypes(tool).find(({ id }) => id === entry.type)?.label ?? entry.type,
      first ? fieldOf(first.field) : null,
      first ? MATCHING_LABELS[first.matching] : null,
      entry.string,
      more
        .map(({ field, matching, value }) => `${fieldOf(field)} ${MATCHING_LABELS[matching]} ${value}`)
        .join('; '),
      entry.comment,
      entry.is_exclusive,
      entry.hits,
      entry.created_by,
      entry.created_at,
    ]);
  });
  return `${BOM}${csvRow(HEADER)}${rows.join('')}`;
}

/** Rejects errors of the service and the file system, leaving no file behind. */
export async function exportExceptions(
  ctx: Context,
  input: Input,
  signal: AbortSignal,
): Promise<OutputOf<'exceptions.export'>> {
  const { connectionId, ids, format, grantId } = input;
  const chosen = redeemForClear(ctx, grantId);
  const chosenIds = ids === undefined ? null : new Set(ids);
  const list = await everyEntry(ctx, input, signal);
  const missing = missingOf(list, chosenIds);
  const entries = list.rows.filter(
    ({ id }) => chosenIds === null || (typeof id === 'string' && chosenIds.has(id)),
  );
  const text = format === 'csv' ? csvOf(entries, ctx.branding(connectionId)) : `${jsonText(entries, 2)}\n`;
  const bytes = new TextEncoder().encode(text);
  signal.throwIfAborted();
  const all = chosenIds === null ? 'every entry of the search' : 'the selected entries';
  const name = await writeWithManifest(ctx, chosen, bytes, {
    what: `Exceptions, ${missing === null ? all : `some of ${all}`}`,
    entries: entries.length,
    connection: ctx.connection(connectionId).name,
    ...(missing === null ? {} : { completeness: 'PARTIAL', why: missing }),
  });
  return { name, count: entries.length, bytes: bytes.length, missing };
}
