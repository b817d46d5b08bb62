/** Allow and block lists of the tools (specification section 7, Exceptions and rescans). */

import type { BodyOf } from '#shared/api/catalogue.ts';
import { ruleQuery } from '#shared/exceptions/query.ts';
import { exceptionOf, ruleOf } from '#shared/exceptions/rule.ts';
import { exceptionFields, exceptionTypes } from '#shared/exceptions/types.ts';
import { tidyValue, validateRule } from '#shared/exceptions/validate.ts';
import { toInstant } from '#shared/model/clock.ts';
import { EXCEPTION_SEARCH_PAGE, EXCEPTION_WINDOW_MONTHS } from '#shared/model/constants.ts';
import type { Exception } from '#shared/model/entities.ts';
import { SECURITY_TOOLS } from '#shared/model/enums.ts';
import { isMd5 } from '#shared/model/hashes.ts';
import { expandProduct } from '#shared/model/white-label.ts';
import { monthsBefore } from '#shared/query/values.ts';
import type { Handlers, ServiceContext } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { accepted } from '../query/execute.ts';
import { exceptionOptions } from '../store/exception-options.ts';
import { type ExceptionPage, type ListedException, ownList } from '../store/exceptions.ts';
import type { Store } from '../store/store.ts';
import { canonicalOf, PRODUCT } from '../store/verdicts.ts';
import { ownProduct } from './entities.ts';

const MAX_ENTITIES = 10_000;
const MAX_PAGE = 1_000;
const TOOLS: readonly string[] = SECURITY_TOOLS.map((tool) => expandProduct(tool, PRODUCT));
const OWN = expandProduct('ap_{product}', PRODUCT);

function toolNamed(name: unknown, field: string): string {
  if (typeof name !== 'string' || !TOOLS.includes(name))
    throw new ServiceError(400, `No such security tool: ${String(name).slice(0, 60)}`, field);
  return name;
}

function instantOf(text: string | undefined, field: string): number | null {
  if (text === undefined) return null;
  const instant = toInstant(text);
  if (instant === null) throw new ServiceError(400, 'The date is no ISO 8601 date', field);
  return instant;
}

type SearchBody = BodyOf<'exceptions.search'>;

async function search(
  body: SearchBody,
  { store, now }: ServiceContext,
  tool: string | null,
): Promise<ExceptionPage> {
  const end = instantOf(body.to, 'to');
  const from = instantOf(body.from, 'from') ?? monthsBefore(end ?? now(), EXCEPTION_WINDOW_MONTHS);
  // Without an end date, entries dated in the future are included: a rule that applies must not be missing from the list.
  const to = end ?? Number.MAX_SAFE_INTEGER;
  const size = body.size ?? EXCEPTION_SEARCH_PAGE;
  if (size > MAX_PAGE) throw new ServiceError(400, `At most ${MAX_PAGE} entries a page`, 'size');
  const { type, page } = body;
  return store.exceptions.search({ tool, type, search: body.search, from, to, page, size });
}

/** Emails of the window that an entry matches, or null if no field of an email corresponds to it. */
async function hitsOf(store: Store, entry: ListedException, now: number): Promise<number | null> {
  const rule = ruleOf(canonicalOf(entry.sec_type), entry);
  const query = rule && ruleQuery(rule.conditions);
  if (!query) return null;
  const condition = {
    ...query,
    conditions: [
      ...query.conditions,
      { field: 'received', operator: 'in_the_last', values: [EXCEPTION_WINDOW_MONTHS, 'months'] },
    ],
  };
  try {
    return await accepted(store.rows.count({ domain: 'email', copies: false, condition, saas: null, now }));
  } catch (error) {
    // An old entry may have a value that no condition accepts; it must not keep the list from being shown.
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

/** The entry as it will be stored; throws a 400 with the field and the specification's error code. */
function checked(tool: string, exception: Exception, flags: ServiceContext['flags']): Exception {
  const rule = ruleOf(canonicalOf(tool), { ...exception, list: ownList(tool, exception) });
  if (!rule)
    throw new ServiceError(400, 'unknownType: this tool has no such type or field', 'exception.type');
  const tidy = {
    ...rule,
    conditions: rule.conditions.map((condition) => ({
      ...condition,
      value: tidyValue(condition.field, condition.value),
    })),
  };
  const [error] = validateRule(tidy, flags, exception.comment ?? '');
  if (error) throw new ServiceError(400, `${error.code}: ${error.message}`, `exception.${error.field}`);
  return {
    ...exceptionOf(tidy, {
      comment: exception.comment ?? null,
      isExclusive: exception.is_exclusive ?? false,
    }),
  };
}

function writable(context: ServiceContext): void {
  if (context.store.source.tenant === null)
    throw new ServiceError(409, 'Mail evidence is only read: there is no tool to make an exception for');
}

/** An entry to be added, and the entity that it is made of. */
type Addition = { tool: string; entry: Exception; of: string };

const actorOf = ({ caller, role }: ServiceContext) => ({ name: caller, role });

type Outcome = {
  entity_id: string;
  sec_type: string;
  success: boolean;
  id: string | null;
  error: string | null;
};

/** The default value of an exception: a file's hash; an email's attachments, else its sender. */
async function defaultEntry(
  { store, flags }: ServiceContext,
  tool: string,
  type: string,
  entityId: string,
): Promise<Exception | null> {
  const options = (await exceptionOptions(store, type, entityId)) ?? [];
  const value = (field: string, fits: (value: string) => boolean = () => true) =>
    options.find((option) => option.field === field && fits(option.value))?.value;
  const { types } = exceptionTypes(canonicalOf(tool), flags);
  if (types.some(({ id }) => id === 'whitelist')) {
    const sender = value('from_email');
    return sender === undefined
      ? null
      : { type: 'whitelist', string: sender, payload: { field: 'from_email', matching: 'exact' } };
  }
  const hash = value('hash', isMd5) ?? value('md5', isMd5);
  return hash === undefined || !types.some(({ id }) => id === 'hash')
    ? null
    : { type: 'hash', string: hash, payload: { field: 'hash', matching: 'exact', list: 'allow' } };
}

export const exceptionHandlers = {
  'exceptions.search': async ({ params, body }, context) => {
    ownProduct(params.product);
    const tool = body['sec_type'] === undefined ? OWN : toolNamed(body['sec_type'], 'sec_type');
    const { rows, total } = await search(body, context, tool);
    return { rows, total_rows: total };
  },
  'exceptions.search2': async ({ params, body }, context) => {
    ownProduct(params.product);
    const tool = body['sec_type'] === undefined ? null : toolNamed(body['sec_type'], 'sec_type');
    const { rows, total, counts } = await search(body, context, tool);
    const hits = await Promise.all(rows.map((row) => hitsOf(context.store, row, context.now())));
    return {
      rows: rows.map((row, index) => ({ ...row, hits: hits[index] ?? null })),
      total_rows: total,
      counts,
    };
  },
  'exceptions.combo-options': ({ params, body }, { flags }) => {
    ownProduct(params.product);
    const tool = body['sec_type'] === undefined ? OWN : toolNamed(body['sec_type'], 'sec_type');
    return {
      types: exceptionTypes(canonicalOf(tool), flags).types.map((type) => ({
        id: type.id,
        label: type.label,
        list: type.list,
        fields: exceptionFields(type, flags).map(({ id, label, kind, matchings }) => ({
          id,
          label,
          kind,
          matchings: [...matchings],
        })),
      })),
    };
  },
  'exceptions.options': ({ params }, { store }) => options(store, params),
  'exceptions.blacklist-options': ({ params }, { store }) => options(store, params),
  'exceptions.create': async ({ body }, context) => {
    writable(context);
    const { entities, exceptions } = context.store;
    if (body.files.length === 0 || body.files.length > MAX_ENTITIES)
      throw new ServiceError(400, `An exception is made for 1 to ${MAX_ENTITIES} entities`, 'files');
    // All tools are validated before any entry is created: an error in one changes nothing.
    const targets = body.files.map(({ entity_type, entity_id, sec_type }, index) => ({
      entity_type,
      entity_id,
      tool: toolNamed(sec_type, `files.${index}.sec_type`),
    }));
    const outcomes = await Promise.all(
      targets.map(async ({ entity_type, entity_id, tool }): Promise<Outcome & { added?: Addition }> => {
        const outcome = { entity_id, sec_type: tool, id: null };
        const failed = (error: string) => ({ ...outcome, success: false, error });
        const entity = await entities.typeOf(entity_id);
        if (entity?.type !== entity_type) return failed(`No such ${entity_type.slice(0, 40)}`);
        const entry = await defaultEntry(context, tool, entity.type, entity.id);
        if (!entry) return failed('It has nothing that this tool could be told by');
        return { ...outcome, success: true, error: null, added: { tool, entry, of: entity.id } };
      }),
    );
    const additions = outcomes.flatMap(({ added }) => added ?? []);
    const ids = (await exceptions.add(additions, actorOf(context), context.now())).values();
    return {
      success: outcomes.every(({ success }) => success),
      outcomes: outcomes.map(({ added, ...outcome }) =>
        added === undefined ? outcome : { ...outcome, id: ids.next().value?.id ?? null },
      ),
    };
  },
  'exceptions.create-external': async ({ body }, context) => {
    writable(context);
    const tool = toolNamed(body.sec_type, 'sec_type');
    const entry = checked(tool, body.exception, context.flags);
    const actor = actorOf(context);
    const [added] = await context.store.exceptions.add([{ tool, entry }], actor, context.now());
    if (!added?.isNew)
      throw new ServiceError(409, 'The same entry is in the list already', 'exception.string');
    return { success: true, id: added.id };
  },
} satisfies Handlers;

async function options(store: Store, params: { product: string; type: string; id: string }) {
  ownProduct(params.product);
  const options = await exceptionOptions(store, params.type, params.id);
  if (!options) throw new ServiceError(404, `No such ${params.type.slice(0, 40)}`, 'id');
  return { options: options };
}
