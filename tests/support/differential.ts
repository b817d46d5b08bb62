/**
 * Conditions, orders, paging by key and facets, evaluated three times: by the service, by the rows on this machine, and
 * by a plain evaluation of the same rows. Each run reports the number of comparisons and the differences.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { storePage } from '#main/results/fetcher.ts';
import { createStatements, newRecord, saveStatement } from '#main/results/record.ts';
import { execute } from '#service/query/execute.ts';
import { foldedOf } from '#service/store/stored-values.ts';
import { domainNamed } from '#service/store-sqlite/query/domains.ts';
import type { ResultColumn } from '#shared/bridge/operations.ts';
import type { FieldConfig, Row, Sort } from '#shared/model/entities.ts';
import type { Condition, ConditionGroup, ConditionValue } from '#shared/query/tree.ts';
import { CONNECTION, type DataHarness, openData } from './data-services.ts';
import { plainlyHolds, plainWords } from './plain-evaluator.ts';
import { inOneOrder } from './plain-fold.ts';
import { Served } from './served.ts';

export interface Differences {
  asked: number;
  /** The first differences, in words. */
  differ: string[];
}

/** Pseudo-random numbers from a seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const NAMES: readonly (string | null)[] = [
  'fatura İPTAL',
  'FATURA IPTAL',
  'fatura ıptal',
  'Fatura iptal',
  'İletişim',
  'ILETISIM merkezi',
  'ΟΔΥΣΣΕΥΣ',
  'Οδυσσεύς',
  'οδυσσευσ',
  'Straße',
  'STRASSE',
  'strasse',
  'Élan',
  'elan',
  'Elan',
  'E\u0301lan',
  'ﬁnance',
  'Finance',
  'ＦＩＮＡＮＣＥ',
  '請求書 発行',
  'カ\u3099ス',
  'ガス',
  'Ёлка',
  'елка',
  'ärger',
  'Ärger',
  'zebra',
  'Zebra',
  '_under',
  '100%',
  "O'Hara",
  'a\\b',
  '📦 parcel',
  ' lead',
  '',
  null,
];
const DAY = 86_400_000;
/** Rows per page on this machine. */
const MOST_SHOWN = 5_000;

export interface Fixture {
  served: Served;
  data: DataHarness;
  now: number;
  close(): Promise<void>;
  domains: readonly Side[];
}

/** The rows of one domain, on both sides. */
interface Side {
  name: string;
  fields: readonly FieldConfig[];
  rows: readonly Row[];
  resultId: string;
}

/** A generated tenant with hostile texts, and its rows on this machine. `emails`: their number. */
export async function openFixture(emails: number, seed: number): Promise<Fixture> {
  const anchor = Date.UTC(2026, 7, 31, 9);
  const served = await Served.demo(anchor, emails, seed);
  const random = randomOf(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const rewrite = (table: string, column: string, folded: boolean, nullable: boolean) => {
    const ids = served.store.db.prepare(`SELECT id FROM ${table}`).pluck().all() as number[];
    const set = served.store.db.prepare(
      `UPDATE ${table} SET ${column} = @value${folded ? `, ${column}_folded = @fold` : ''} WHERE id = @id`,
    );
    for (const id of ids) {
      const value = pick(NAMES) ?? (nullable ? null : '');
      set.run(folded ? { id, value, fold: foldedOf(value) } : { id, value });
    }
  };
  served.store.db.transaction(() => {
    rewrite('emails', 'from_name', true, true);
    rewrite('emails', 'message_id', true, true);
    rewrite('users', 'name', false, false);
    rewrite('users', 'country', false, true);
    rewrite('groups', 'name', false, false);
    rewrite('groups', 'description', false, true);
    rewrite('clicks', 'client', false, true);
  })();
  const folder = mkdtempSync(path.join(tmpdir(), 'parapet-differential-'));
  const data = await openData(folder, 'http://service.invalid');
  await data.sets.list();
  const domains: Side[] = [];
  for (const [index, name] of ['email', 'user', 'group', 'click', 'file', 'message'].entries()) {
    const domain = domainNamed(name, false);
    if (domain === null) throw new Error(name);
    const fields = domain.fields.map(({ config }) => config).filter(({ id }) => id !== 'entity_id');
    const rows = await walk(served, name, fields, { operator: 'and', conditions: [] }, [], 1_000);
    const columns = fields.map(
      ({ id, label, type, multiValues }): ResultColumn => ({
        id,
        label,
        type,
        multiValues: multiValues === true,
      }),
    );
    const payload = {
      query_domain: name,
      saas_id: 'all',
      query_entity_type: name,
      condition: { operator: 'and' as const, conditions: [] },
      columns: columns.map(({ id }) => id),
      sort_by: [],
      include_copies: false,
    };
    const record = newRecord({
      n: index + 1,
      key: `key${index}`,
      connectionId: CONNECTION,
      payload,
      columns,
      now: 0,
    });
    await data.ctx.cache.write(createStatements(record));
    const text = JSON.stringify({ rows, search_after: null, total_rows: rows.length });
    await storePage(data.ctx, record, Buffer.from(text));
    record.state = 'complete';
    await data.ctx.cache.write([saveStatement(record)]);
    domains.push({ name, fields, rows, resultId: record.id });
  }
  await data.close();
  // Relative spans must end at the same moment on both sides.
  const opened = await openData(folder, 'http://service.invalid', undefined, null, undefined, {
    now: () => served.now,
  });
  return {
    served,
    data: opened,
    now: served.now,
    domains,
    close: async () => {
      await opened.close();
      await served.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Every row that the service returns, page by page. */
async function walk(
  served: Served,
  domain: string,
  fields: readonly FieldConfig[],
  condition: ConditionGroup,
  sort: readonly Sort[],
  size: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  let after: unknown = null;
  do {
    const answer = await execute(
      {
        query_domain: domain,
        saas_id: 'all',
        query_entity_type: domain,
        condition,
        columns: fields.map(({ id }) => id),
        sort_by: [...sort],
        search_after: after as never,
        size,
        include_copies: false,
        count_only: false,
      },
      { store: served.store, saas: [], now: served.now },
    );
    rows.push(...answer.rows);
    after = answer.search_after ?? null;
  } while (after !== null);
  return rows;
}

async function local(
  fixture: Fixture,
  side: Side,
  sort: readonly Sort[],
  condition: ConditionGroup | null,
): Promise<{ ids: string[]; count: number }> {
  const answer = await fixture.data.handlers['results.page'](
    {
      resultId: side.resultId,
      start: 0,
      end: Math.min(MOST_SHOWN, side.rows.length + 1),
      sort: [...sort],
      filter: { text: '', facets: {}, ...(condition === null ? {} : { condition }) },
    },
    { signal: new AbortController().signal },
  );
  return { ids: answer.rows.map(([id]) => String(id)), count: answer.count };
}

const idsOf = (rows: readonly Row[]): string[] => rows.map((row) => String(row['entity_id']));
const same = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

/** Verdicts by severity, as product.md orders them. */
const SEVERITY = 'found suspicious found-no-click spam unknown not-scanned clean hidden'.split(' ');

/**
 * The specified order: missing values last, verdicts by severity, other texts by fold and then by code points.
 */
function plainOrder(id: string, a: unknown, b: unknown, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const severity = (value: unknown) =>
    id.endsWith('verdict') ? SEVERITY.indexOf(String(value)) : Number(value);
  const isText = typeof a === 'string' && typeof b === 'string' && !id.endsWith('verdict');
  const order = isText ? inOneOrder(a, b) : severity(a) - severity(b);
  return descending ? -order : order;
}

/** Orders of one and two columns, paged by key. */
export async function compareOrders(fixture: Fixture, seed: number, pairs: number): Promise<Differences> {
  const random = randomOf(seed);
  const out: Differences = { asked: 0, differ: [] };
  for (const side of fixture.domains) {
    const sortable = side.fields.filter(({ sortable: is }) => is === true);
    const sorts: Sort[][] = sortable.flatMap(({ id }) =>
      (['asc', 'desc'] as const).map((direction): Sort[] => [{ dbId: id, direction }]),
    );
    for (let pair = 0; pair < pairs; pair++)
      sorts.push(
        [0, 1].map(() => ({
          dbId: sortable[Math.floor(random() * sortable.length)]?.id ?? '',
          direction: random() < 0.5 ? 'asc' : 'desc',
        })),
      );
    for (const sort of sorts.filter(([a, b]) => a?.dbId !== b?.dbId)) {
      out.asked += 1;
      const keysOf = (row: Row | undefined) => JSON.stringify(sort.map(({ dbId }) => row?.[dbId] ?? null));
      const byId = new Map(side.rows.map((row) => [String(row['entity_id']), row]));
      const plain = side.rows.toSorted(
        (a, b) =>
          sort
            .map(({ dbId, direction }) =>
              plainOrder(dbId, a[dbId] ?? null, b[dbId] ?? null, direction === 'desc'),
            )
            .find((order) => order !== 0) ?? 0,
      );
      const page = 5 + Math.floor(random() * 200);
      const fields = side.fields.filter(({ id }) => sort.some(({ dbId }) => dbId === id));
      const service = await walk(
        fixture.served,
        side.name,
        fields,
        { operator: 'and', conditions: [] },
        sort,
        page,
      );
      const here = await local(fixture, side, sort, null);
      const words = `${side.name} by ${sort.map(({ dbId, direction }) => `${dbId} ${direction}`).join(', ')}`;
      if (new Set(idsOf(service)).size !== side.rows.length || service.length !== side.rows.length)
        out.differ.push(`${words}: the walk in pages of ${page} has ${service.length} rows`);
      const expected = plain.map(keysOf);
      const firstDifference = (keys: readonly string[]) =>
        keys.findIndex((key, index) => key !== expected[index]);
      const [ofService, ofHere] = [service.map(keysOf), here.ids.map((id) => keysOf(byId.get(id)))];
      if (!same(ofService, expected))
        out.differ.push(
          `${words}: the service has ${ofService[firstDifference(ofService)]} at ${firstDifference(ofService)}, not ${expected[firstDifference(ofService)]}`,
        );
      if (!same(ofHere, expected.slice(0, ofHere.length)))
        out.differ.push(
          `${words}: this machine has ${ofHere[firstDifference(ofHere)]} at ${firstDifference(ofHere)}, not ${expected[firstDifference(ofHere)]}`,
        );
    }
  }
  return out;
}

/** A variant spelling of a value. */
function respelled(text: string, random: () => number): string {
  const forms = [
    (text: string) => text,
    (text: string) => text.toUpperCase(),
    (text: string) => text.toLowerCase(),
    (text: string) => text.normalize('NFD'),
    (text: string) => text.normalize('NFD').replace(/[\u0300-\u036f]/g, ''),
    (text: string) => text.replaceAll('i', 'ı'),
    (text: string) => text.replaceAll('σ', 'ς'),
    (text: string) => Array.from(text).slice(0, 4).join(''),
    (text: string) => Array.from(text).slice(-3).join(''),
  ];
  return (forms[Math.floor(random() * forms.length)] as (text: string) => string)(text);
}

/** A random valid condition on a field of the domain. */
function someCondition(side: Side, random: () => number): Condition | null {
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  const field = pick(side.fields);
  const operator = pick(field?.operators ?? []);
  if (!field || operator === undefined) return null;
  const cell = pick(side.rows)?.[field.id] ?? null;
  const value = Array.isArray(cell) ? (pick(cell) ?? null) : cell;
  const ask = (...values: ConditionValue[]): Condition => ({ field: field.id, operator, values });
  if (['is_empty', 'is_not_empty', 'is_true', 'is_false'].includes(operator)) return ask();
  if (operator === 'in_the_last')
    return random() < 0.5
      ? ask(1 + Math.floor(random() * 8), 'months')
      : ask(1 + Math.floor(random() * 200), 'days');
  if (['matches', 'in_network', 'in_custom_list', 'not_in_custom_list'].includes(operator)) return null;
  if (field.type === 'boolean') return null;
  if (field.type === 'date') {
    const some = () => {
      const time = typeof value === 'string' ? Date.parse(value) : side.rows.length * DAY;
      const text = new Date(time + Math.round((random() - 0.5) * 4) * DAY).toISOString();
      return random() < 0.5 ? text.slice(0, 10) : text;
    };
    return operator === 'between' ? ask(some(), some()) : ask(some());
  }
  if (field.type === 'number' || field.type === 'bytes') {
    const some = () =>
      Math.max(0, (typeof value === 'number' ? value : 0) + Math.round((random() - 0.5) * 3));
    return ask(...Array.from({ length: operator === 'between' ? 2 : 1 }, some));
  }
  const closed = (field.allowedValues?.length ?? 0) > 0 || field.id === 'saas';
  const some = () => {
    const text = typeof value === 'string' && value !== '' ? value : 'Élan';
    const form = closed ? text : respelled(text, random);
    return form.trim() === '' ? text : form;
  };
  if (closed && typeof value !== 'string') return null;
  if (operator === 'contains_words' || operator === 'contains_phrase') {
    const value = some();
    return plainWords(value).length === 0 ? null : ask(value);
  }
  if (['in_list', 'not_in_list', 'contains_any', 'contains_all'].includes(operator))
    return ask(some(), some());
  return ask(some());
}

function someTree(side: Side, random: () => number, depth = 0): ConditionGroup {
  const conditions: (Condition | ConditionGroup)[] = [];
  const count = 1 + Math.floor(random() * 3);
  for (let turn = 0; conditions.length < count && turn < 50; turn++) {
    if (depth < 2 && random() < 0.25) conditions.push(someTree(side, random, depth + 1));
    else {
      const condition = someCondition(side, random);
      if (condition !== null) conditions.push(condition);
    }
  }
  return { operator: random() < 0.5 ? 'and' : 'or', conditions, negate: random() < 0.2 };
}

export async function compareConditions(fixture: Fixture, seed: number, trees: number): Promise<Differences> {
  const random = randomOf(seed);
  const out: Differences = { asked: 0, differ: [] };
  for (let turn = 0; turn < trees; turn++) {
    const side = fixture.domains[turn % fixture.domains.length] as Side;
    const tree = someTree(side, random);
    out.asked += 1;
    const plain = idsOf(side.rows.filter((row) => plainlyHolds(tree, row, fixture.now)));
    const service = idsOf(await walk(fixture.served, side.name, [], tree, [], 10_000));
    const words = `${side.name}: ${JSON.stringify(tree)}`;
    if (!same(service, plain))
      out.differ.push(`${words}: the service finds ${service.length}, a plain reading ${plain.length}`);
    const here = await local(fixture, side, [], tree);
    const shown = plain.slice(0, MOST_SHOWN);
    if (here.count !== plain.length || !same(here.ids, shown))
      out.differ.push(`${words}: this machine finds ${here.count}, a plain reading ${plain.length}`);
  }
  return out;
}

/** Values and counts of each column among the matching rows. */
export async function compareFacets(fixture: Fixture, seed: number, trees: number): Promise<Differences> {
  const random = randomOf(seed);
  const out: Differences = { asked: 0, differ: [] };
  for (let turn = 0; turn < trees; turn++) {
    const side = fixture.domains[turn % fixture.domains.length] as Side;
    const tree = someTree(side, random);
    const rows = side.rows.filter((row) => plainlyHolds(tree, row, fixture.now));
    for (let from = 0; from < side.fields.length; from += 20) {
      const columns = side.fields.slice(from, from + 20).map(({ id }) => id);
      const { facets } = await fixture.data.handlers['results.facets'](
        { resultId: side.resultId, columns, filter: { text: '', facets: {}, condition: tree } },
        { signal: new AbortController().signal },
      );
      for (const { column, values, distinct } of facets) {
        out.asked += 1;
        const counts = new Map<unknown, number>();
        for (const row of rows) {
          const cell = row[column] ?? null;
          const all = Array.isArray(cell) ? (cell.length === 0 ? [''] : [...new Set(cell)]) : [cell];
          for (const value of all) counts.set(value, (counts.get(value) ?? 0) + 1);
        }
        const words = `${side.name}.${column} of ${rows.length} rows`;
        if (distinct !== counts.size) out.differ.push(`${words}: ${distinct} values, not ${counts.size}`);
        const most = [...counts.values()].sort((a, b) => b - a).slice(0, values.length);
        if (
          !same(
            values.map(({ count }) => count),
            most,
          ) ||
          values.some((group) => counts.get(group.value) !== group.count)
        )
          out.differ.push(`${words}: ${JSON.stringify(values.slice(0, 3))}`);
      }
    }
  }
  return out;
}
