/** The loaded rows of a set counted by one or two columns: values, or spans of time. */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Groups, InputOf, LocalFilter } from '#shared/bridge/operations.ts';
import { toInstant } from '#shared/model/clock.ts';
import { EARLIEST, isPlausibleTime, LATEST } from '#shared/model/constants.ts';
import { timeBuckets } from '#shared/model/time-buckets.ts';
import type { GroupAxis, GroupCell } from '../store/tasks.ts';
import { askColumns } from './columnar/client.ts';
import { columnOf, type StoredColumn } from './columns.ts';
import { hitsOf, valuesOf } from './facets.ts';
import { groupsStatement } from './groups-sql.ts';
import type { Rows } from './leases.ts';
import { localQuery } from './local-query.ts';

type Question = Pick<InputOf<'results.groups'>, 'by' | 'time' | 'clock'> & {
  /** The filter as `activeFilter` returns it. */
  filter: LocalFilter | null;
  now: number;
  signal: AbortSignal;
};
type By = Question['by'][number];
type Axis = Groups['axes'][number];

const iso = (instant: number): string => new Date(instant).toISOString();

/** A malformed instant of a service (day 99) still has a year: one such row must not ruin the spans of all others. */
const nearInstant = (text: string | null | undefined): number | null =>
  typeof text === 'string'
    ? (toInstant(text) ?? toInstant(`${text.slice(0, 7)}-01`) ?? toInstant(`${text.slice(0, 4)}-01-01`))
    : null;

/** Before the first instant that a date can have. */
const BEFORE_ALL = Date.parse('0000-01-01T00:00:00Z');

/** A group without the slots before and after all spans, in which an axis has the rows that it sets aside. */
function withoutAside(cell: GroupCell, axes: readonly Axis[]): GroupCell[] {
  const slots: number[] = [];
  for (const [index, place] of cell.at.entries()) {
    const axis = axes[index];
    if (axis === undefined || 'values' in axis || axis.aside === 0) slots.push(place);
    else {
      const spans = axis.edges.length - 1;
      if (place === 0 || place === spans + 1) return [];
      slots.push(Math.min(place - 1, spans));
    }
  }
  return [{ ...cell, at: slots }];
}

class Grouping {
  readonly #rows: Rows;
  readonly #question: Question;
  readonly #hits: () => Promise<string | null>;
  readonly #time: StoredColumn | null;

  constructor(rows: Rows, question: Question) {
    this.#rows = rows;
    this.#question = question;
    this.#hits = hitsOf(rows, question.now, question.filter, question.signal);
    this.#time = question.time === undefined ? null : columnOf(rows.record.columns, question.time);
    if (this.#time !== null && this.#time.storage !== 'date')
      throw new ParapetError('invalid-input', `The column "${question.time}" has no times.`);
  }

  async answer(): Promise<Groups> {
    const { by } = this.#question;
    const columns = by.map(({ column }) => columnOf(this.#rows.record.columns, column));
    // All rows with their first and last time: the range of a span over the same column.
    const time = this.#time ?? columns.find(({ storage }) => storage === 'date') ?? null;
    const whole = this.#cells([], [], time);
    const [all, ...axes] = await Promise.all([
      whole,
      ...by.map((item, index) => {
        const column = columns[index]!;
        return this.#axis(item, column, column.sql === time?.sql ? whole : null);
      }),
    ]);
    const counted = await this.#cells(
      columns,
      axes.map(({ axis }) => axis),
      this.#time,
    );
    const cells = counted.flatMap((cell) =>
      withoutAside(
        cell,
        axes.map(({ shown }) => shown),
      ),
    );
    cells.sort((a, b) => a.at[0]! - b.at[0]! || (a.at[1] ?? 0) - (b.at[1] ?? 0));
    const [every] = all;
    return {
      rows: every?.count ?? 0,
      loaded: this.#rows.record.loaded,
      first: toInstant(every?.first),
      last: toInstant(every?.last),
      axes: axes.map(({ shown }) => shown),
      cells: cells.map((cell) => ({ ...cell, first: toInstant(cell.first), last: toInstant(cell.last) })),
    };
  }

  /** The rows whose time can be true, or all where none can; and how many others there are. */
  async #plausible(column: StoredColumn): Promise<{ span: GroupCell | undefined; aside: number }> {
    const starts = [BEFORE_ALL, EARLIEST, LATEST].map(iso);
    const cells = await this.#cells([column], [{ sql: column.sql, starts }], column);
    const span = cells.find(({ at }) => at[0] === 1);
    const others = cells.filter(({ at }) => at[0] === 0 || at[0] === 2);
    if (span !== undefined) return { span, aside: others.reduce((sum, { count }) => sum + count, 0) };
    const [first, last] = [others[0], others.at(-1)];
    return { span: first && { ...first, last: last?.last ?? first.last }, aside: 0 };
  }

  async #axis(
    by: By,
    column: StoredColumn,
    whole: Promise<GroupCell[]> | null,
  ): Promise<{ axis: GroupAxis; shown: Axis }> {
    const { filter, now, signal, clock } = this.#question;
    const { sql, storage } = column;
    if (storage === 'date') {
      const [every] = await (whole ?? this.#cells([], [], column));
      const isPlausible = [every?.first, every?.last].every((text) =>
        isPlausibleTime(nearInstant(text) ?? EARLIEST),
      );
      const { span, aside } = isPlausible ? { span: every, aside: 0 } : await this.#plausible(column);
      const [first, last] = [nearInstant(span?.first), nearInstant(span?.last)];
      const { edges, step } =
        first === null || last === null
          ? { edges: [], step: {} }
          : timeBuckets(first, last, clock, by.most, by.every);
      return {
        axis: { sql, starts: (aside > 0 ? [BEFORE_ALL, ...edges] : edges.slice(0, -1)).map(iso) },
        shown: { column: by.column, edges, step, aside },
      };
    }
    const { values, distinct } = await valuesOf(this.#rows, column, {
      now,
      filter,
      hitsOnce: this.#hits,
      limit: by.most,
      signal,
    });
    return {
      axis: { sql, values: values.map(({ value }) => (typeof value === 'boolean' ? Number(value) : value)) },
      shown: {
        column: by.column,
        values: values.map(({ value }) => value),
        distinct,
        several: storage === 'json',
      },
    };
  }

  /** Without axes: all matching rows as one group. */
  async #cells(
    columns: readonly StoredColumn[],
    axes: readonly GroupAxis[],
    time: StoredColumn | null,
  ): Promise<GroupCell[]> {
    const { record, db } = this.#rows;
    const { filter, now, signal } = this.#question;
    const want = { kind: 'groups', axes, time: time?.sql ?? null } as const;
    const answer = await askColumns(db, record, { sort: [], filter, want, now, signal });
    if (answer?.cells !== undefined) return answer.cells;
    const query = localQuery(record, [], filter, { now, hits: await this.#hits() });
    const { sql, params, read } = groupsStatement(query, columns, axes, time);
    return read(await db.rows(sql, params, { signal, urgency: 'later' }));
  }
}

/** Throws `invalid-input` for a column that the set does not have. */
export const groupsOf = (rows: Rows, question: Question): Promise<Groups> =>
  new Grouping(rows, question).answer();
