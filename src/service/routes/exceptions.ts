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
import { domainNamed } from '../query/config.ts';
import { countOf, whereOf } from '../query/execute.ts';
import { roleOf } from '../roles.ts';
import { typeOf } from '../store/entities.ts';
import { exceptionOptions } from '../store/exception-options.ts';
import { type ExceptionPage, type ListedException, ownList } from '../store/exceptions.ts';
import { canonicalOf, PRODUCT } from '../store/verdicts.ts';
import { record } from '../store-sqlite/events.ts';
import { addException, sameException, searchExceptions } from '../store-sqlite/exceptions.ts';
import { customLists } from '../store-sqlite/lists.ts';
import type { Store } from '../store-sqlite/store.ts';
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

function search(body: SearchBody, { store, now }: ServiceContext, tool: string | null): ExceptionPage {
  const end = instantOf(body.to, 'to');
  const from = instantOf(body.from, 'from') ?? monthsBefore(end ?? now(), EXCEPTION_WINDOW_MONTHS);
  // Without an end date, entries dated in the future are included: a rule that applies must not be missing from the list.
  const to = end ?? Number.MAX_SAFE_INTEGER;
  const size = body.size ?? EXCEPTION_SEARCH_PAGE;
  if (size > MAX_PAGE) throw new ServiceError(400, `At most ${MAX_PAGE} entries a page`, 'size');
  const { type, page } = body;
  return searchExceptions(store, { tool, type, search: body.search, from, to, page, size });
}

/** Emails of the window that an entry matches, or null if no field of an email corresponds to it. */
function hitsOf(store: Store, entry: ListedException, now: number): number | null {
  const rule = ruleOf(canonicalOf(entry.sec_type), entry);
  const query = rule && ruleQuery(rule.conditions);
  const domain = domainNamed('email', false);
  if (!query || !domain) return null;
  const condition = {
    ...query,
    conditions: [
      ...query.conditions,
      { field: 'received', operator: 'in_the_last', values: [EXCEPTION_WINDOW_MONTHS, 'months'] },
    ],
  };
  try {
    const where = whereOf(domain, { condition, saas_id: 'all' }, customLists(store), now);
    store.begin();
    return countOf(domain, where, store);
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
  if (/"kind":"evidence"/.test(context.store.meta('source') ?? ''))
    throw new ServiceError(409, 'Mail evidence is only read: there is no tool to make an exception for');
}

type Outcome = {
  entity_id: string;
  sec_type: string;
  success: boolean;
  id: string | null;
  error: string | null;
};

/** The default value of an exception: a file's hash; an email's attachments, else its sender. */
function defaultEntry(
  { store, flags }: ServiceContext,
  tool: string,
  type: string,
  entityId: string,
): Exception | null {
  const options = exceptionOptions(store, type, entityId) ?? [];
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
  'exceptions.search': ({ params, body }, context) => {
    ownProduct(params.product);
    const tool = body['sec_type'] === undefined ? OWN : toolNamed(body['sec_type'], 'sec_type');
    const { rows, total } = search(body, context, tool);
    return { rows, total_rows: total };
  },
  'exceptions.search2': ({ params, body }, context) => {
    ownProduct(params.product);
    const tool = body['sec_type'] === undefined ? null : toolNamed(body['sec_type'], 'sec_type');
    const { rows, total, counts } = search(body, context, tool);
    const hits = rows.map((row) => ({ ...row, hits: hitsOf(context.store, row, context.now()) }));
    return { rows: hits, total_rows: total, counts };
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
  'exceptions.create': ({ body }, context) => {
    writable(context);
    const { store } = context;
    if (body.files.length === 0 || body.files.length > MAX_ENTITIES)
      throw new ServiceError(400, `An exception is made for 1 to ${MAX_ENTITIES} entities`, 'files');
    // All tools are validated before any entry is created: an error in one changes nothing.
    const targets = body.files.map(({ entity_type, entity_id, sec_type }, index) => ({
      entity_type,
      entity_id,
      tool: toolNamed(sec_type, `files.${index}.sec_type`),
    }));
    const outcomes = store.db.transaction(() =>
      targets.map(({ entity_type, entity_id, tool }): Outcome => {
        const failed = (error: string): Outcome => ({
          entity_id,
          sec_type: tool,
          success: false,
          id: null,
          error,
        });
        const entity = typeOf(store, entity_id);
        if (entity?.type !== entity_type) return failed(`No such ${entity_type.slice(0, 40)}`);
        const added = defaultEntry(context, tool, entity.type, entity.id);
        if (!added) return failed('It has nothing that this tool could be told by');
        const duplicate = sameException(store, tool, added);
        const id = duplicate ?? addException(store, tool, added, context.caller, context.now());
        if (duplicate === null) recordCreation(context, entity.id, tool, added);
        return { entity_id, sec_type: tool, success: true, id, error: null };
      }),
    )();
    return { success: outcomes.every(({ success }) => success), outcomes };
  },
  'exceptions.create-external': ({ body }, context) => {
    writable(context);
    const tool = toolNamed(body.sec_type, 'sec_type');
    const entry = checked(tool, body.exception, context.flags);
    if (sameException(context.store, tool, entry) !== null)
      throw new ServiceError(409, 'The same entry is in the list already', 'exception.string');
    return { success: true, id: addException(context.store, tool, entry, context.caller, context.now()) };
  },
} satisfies Handlers;

function options(store: Store, params: { product: string; type: string; id: string }) {
  ownProduct(params.product);
  const options = exceptionOptions(store, params.type, params.id);
  if (!options) throw new ServiceError(404, `No such ${params.type.slice(0, 40)}`, 'id');
  return { options: options };
}

function recordCreation(
  context: ServiceContext,
  entityId: string,
  tool: string,
  { type, string }: Exception,
): void {
  record(context.store, {
    entityId,
    at: context.now(),
    type: 'exception_created',
    actor: context.caller,
    actorLabel: roleOf(context.role).label,
    summary: `Exception made of it: ${type}`,
    detail: `${tool}: ${string.slice(0, 200)}`,
  });
}
