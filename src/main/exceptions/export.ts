/** The list of exceptions as a file: every page of a search is asked of the service, then written whole. */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { InputOf, OutputOf } from '#shared/bridge/operations.ts';
import { listOf, ruleOf } from '#shared/exceptions/rule.ts';
import { allExceptionTypes, exceptionField, MATCHING_LABELS } from '#shared/exceptions/types.ts';
import type { Exception } from '#shared/model/entities.ts';
import { csvRow } from '#shared/model/spreadsheet-safe.ts';
import { canonicalTool, toolLabel } from '#shared/model/white-label.ts';
import { writeProved } from '../files/whole-file.ts';
import type { Context } from '../kernel/context.ts';

/** Entries a page; a service that answers fewer is asked for more pages. */
const PAGE = 200;
/** More than any list is meant to have: a service that never ends is not followed for ever. */
const MOST = 100_000;
const BOM = '\uFEFF';

type Input = InputOf<'exceptions.export'>;

async function everyEntry(
  ctx: Context,
  { connectionId, search }: Pick<Input, 'connectionId' | 'search'>,
  signal: AbortSignal,
): Promise<Exception[]> {
  const { product } = ctx.connection(connectionId);
  const entries: Exception[] = [];
  for (let page = 0; entries.length < MOST; page++) {
    const body = { ...search, page, size: PAGE };
    const answer = await ctx.upstream.send(
      connectionId,
      'exceptions.search2',
      { params: { product }, body },
      { signal },
    );
    entries.push(...answer.rows);
    const total = answer.total_rows ?? Number.POSITIVE_INFINITY;
    if (answer.rows.length === 0 || entries.length >= total) return entries;
    // Without a total a page that is not full is the last one.
    if (answer.total_rows == null && answer.rows.length < PAGE) return entries;
  }
  throw new ParapetError('too-large', `The list has more than ${MOST} entries. Narrow the search.`);
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

function csvOf(entries: readonly Exception[], product: string): string {
  const branding = { product, name: '' };
  const rows = entries.map((entry) => {
    const tool = canonicalTool(entry.sec_type ?? '', product);
    const rule = ruleOf(tool, entry);
    const [first, ...more] = rule?.conditions ?? [];
    return csvRow([
      toolLabel(entry.sec_type ?? '', branding).trim(),
      rule?.list ?? entry.list ?? listOf(tool, entry),
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

/** Rejects what the service and the file system say; nothing is left behind then. */
export async function exportExceptions(
  ctx: Context,
  input: Input,
  signal: AbortSignal,
): Promise<OutputOf<'exceptions.export'>> {
  const { connectionId, ids, format, grantId } = input;
  const chosen = ctx.grants.redeem(grantId);
  const wanted = ids === undefined ? null : new Set(ids);
  const entries = (await everyEntry(ctx, input, signal)).filter(
    ({ id }) => wanted === null || (typeof id === 'string' && wanted.has(id)),
  );
  const text =
    format === 'csv'
      ? csvOf(entries, ctx.connection(connectionId).product)
      : `${JSON.stringify(entries, null, 2)}\n`;
  const bytes = new TextEncoder().encode(text);
  signal.throwIfAborted();
  await writeProved(ctx, chosen, bytes, {
    what: wanted === null ? 'Exceptions, every entry of the search' : 'Exceptions, the selected entries',
    entries: entries.length,
    connection: ctx.connection(connectionId).name,
  });
  return { name: chosen.name, count: entries.length, bytes: bytes.length };
}
