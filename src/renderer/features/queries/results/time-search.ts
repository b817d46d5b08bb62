/** A search for a time as grids and profiles show it, or for the beginning of one, on the chosen clock. Pure. */
import { type ClockSetting, gridTime, instantOfWall, zoneAt } from '#shared/model/clock.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import type { Condition, ConditionGroup } from '#shared/query/tree.ts';

const SHOWN = /^(?:(\d{4})-)?(\d\d)-(\d\d)(?: (\d\d)(?::(\d\d)(?::(\d\d))?)?)?(?: (UTC(?:[+-]\d\d:\d\d)?))?$/;
const [DAY, HOUR, MINUTE, SECOND] = [86_400_000, 3_600_000, 60_000, 1000];

type Span = readonly [from: number, to: number];

/** The spans that such a text may mean: without a year, of every year that grids leave out. */
export function spansOf(text: string, clock: ClockSetting, now: number = Date.now()): Span[] {
  const parts = SHOWN.exec(text.trim());
  if (parts === null) return [];
  const [, year, month, day, hour, minute, second, zone] = parts;
  const nowYear = new Date(now).getUTCFullYear();
  const years = year === undefined ? [nowYear - 1, nowYear, nowYear + 1] : [Number(year)];
  const length =
    hour === undefined ? DAY : minute === undefined ? HOUR : second === undefined ? MINUTE : SECOND;
  return years.flatMap((item): Span[] => {
    const date = `${String(item).padStart(4, '0')}-${month}-${day}`;
    const wall = Date.parse(`${date}T${hour ?? '00'}:${minute ?? '00'}:${second ?? '00'}Z`);
    if (Number.isNaN(wall) || new Date(wall).toISOString().slice(0, 10) !== date) return [];
    const from = instantOfWall(wall, clock);
    if (zone !== undefined && zone !== zoneAt(from, clock)) return [];
    if (year === undefined && gridTime(from, clock, now).startsWith(date)) return [];
    return [[from, instantOfWall(wall + length, clock) - 1]];
  });
}

/** The rows with such a time, or with the text itself, or null if the text is no time, or the rows have none. */
export function timeCondition(
  text: string,
  { fields }: QueryConfig,
  clock: ClockSetting,
): ConditionGroup | null {
  const spans = spansOf(text, clock);
  const iso = (instant: number) => new Date(instant).toISOString();
  const times = fields
    .filter(({ type }) => fieldTypeOf(type) === 'date')
    .flatMap(({ id }) =>
      spans.map(
        ([from, to]): Condition => ({ field: id, operator: 'between', values: [iso(from), iso(to)] }),
      ),
    );
  if (times.length === 0) return null;
  const texts = fields
    .filter(({ operators }) => operators.includes('contains_text'))
    .map(({ id }): Condition => ({ field: id, operator: 'contains_text', values: [text.trim()] }));
  return { operator: 'or', conditions: [...times, ...texts] };
}
