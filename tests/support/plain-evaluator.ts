/** Evaluates conditions over plain rows, written only from their description; shares no code with the product. */
import type { Row } from '#shared/model/entities.ts';
import { type Condition, type ConditionGroup, type ConditionValue, isGroup } from '#shared/query/tree.ts';
import { plainFold } from './plain-fold.ts';

const DAY = 86_400_000;
const NEGATIVE: Readonly<Record<string, string>> = {
  is_not: 'is',
  not_contains: 'contains_text',
  not_in_list: 'in_list',
  is_empty: 'is_not_empty',
  is_false: 'is_true',
};
const ALONE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** A run of letters, digits and marks is a word; in scripts without spaces each character is one. */
export function plainWords(text: string): string[] {
  const out: string[] = [];
  let current = '';
  const end = () => {
    if (current !== '') out.push(current);
    current = '';
  };
  for (const char of plainFold(text)) {
    if (ALONE.test(char)) {
      end();
      out.push(char);
    } else if (/[\p{L}\p{N}\p{M}]/u.test(char)) current += char;
    else end();
  }
  end();
  return out;
}

const hasRun = (all: readonly string[], words: readonly string[]): boolean =>
  words.length > 0 && all.some((_, number) => words.every((word, index) => all[number + index] === word));

/** A search text without words is only used if it is an emoji, literally. */
function hasPart(part: string, text: string): boolean {
  const words = plainWords(part);
  if (words.length > 0) return hasRun(plainWords(text), words);
  return (
    !/\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(part) ||
    plainFold(text).includes(plainFold(part))
  );
}

/** Tests one text with one operator. Throws for an operator that does not apply to texts. */
export function fulfilsText(operator: string, values: readonly string[], text: string): boolean {
  const folded = plainFold(text);
  const [first = ''] = values.map(plainFold);
  switch (operator) {
    case 'is':
      return folded === first;
    case 'contains_text':
      return folded.includes(first);
    case 'starts_with':
      return folded.startsWith(first);
    case 'ends_with':
      return folded.endsWith(first);
    case 'in_list':
    case 'contains_any':
      return values.some((value) => plainFold(value) === folded);
    case 'contains_words':
      return values.flatMap((value) => value.split(/\s+/)).every((part) => hasPart(part, text));
    case 'contains_phrase':
      return hasPart(values[0] ?? '', text);
    default:
      throw new Error(`Not read here: ${operator}`);
  }
}

export function fulfilsNumber(
  operator: string,
  [first = 0, second = 0]: readonly number[],
  value: number,
): boolean {
  if (operator === 'greater_than') return value > first;
  if (operator === 'less_than') return value < first;
  if (operator === 'between') return value >= Math.min(first, second) && value <= Math.max(first, second);
  return value === first;
}

/** A date without a time is the whole day in UTC. */
const spanOf = (value: ConditionValue | undefined): [from: number, to: number] => {
  const text = String(value);
  const from = Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text);
  return [from, text.length === 10 ? from + DAY - 1 : from];
};

function fulfilsDate(
  operator: string,
  values: readonly ConditionValue[],
  time: number,
  now: number,
): boolean {
  if (operator === 'in_the_last') {
    const from = values[1] === 'months' ? monthsAgo(now, Number(values[0])) : now - Number(values[0]) * DAY;
    return time >= from && time <= now;
  }
  const spans = values.map(spanOf).sort((a, b) => a[0] - b[0]);
  const [first = [0, 0], second = first] = spans;
  if (operator === 'before') return time < first[0];
  if (operator === 'after') return time > first[1];
  return time >= first[0] && time <= (operator === 'between' ? second[1] : first[1]);
}

/** By the calendar: back to the same day of an earlier month, or to its last day. */
function monthsAgo(now: number, months: number): number {
  const time = new Date(now);
  const index = time.getUTCFullYear() * 12 + time.getUTCMonth() - months;
  const [year, month] = [Math.floor(index / 12), index % 12];
  for (let day = time.getUTCDate(); ; day -= 1) {
    const then = Date.UTC(year, month, day) + (now % DAY);
    if (new Date(then).getUTCMonth() === month) return then;
  }
}

function fulfils(node: Condition, row: Row, now: number): boolean {
  const { field, operator, values } = node;
  const positive = NEGATIVE[operator];
  if (positive !== undefined) return !fulfils({ ...node, operator: positive }, row, now);
  if (operator === 'contains_all')
    return values.every((value) => fulfils({ ...node, operator: 'is', values: [value] }, row, now));
  const cell = row[field];
  const all = Array.isArray(cell) ? cell : [cell];
  return all.some((value) => {
    if (value === null || value === undefined) return false;
    if (operator === 'is_not_empty') return value !== '';
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number') return fulfilsNumber(operator, values.map(Number), value);
    const text = String(value);
    const dated =
      operator === 'in_the_last' || operator === 'before' || operator === 'after' || operator === 'between';
    if (dated || /^\d{4}-\d\d-\d\d(?:$|T)/.test(String(values[0])))
      return fulfilsDate(operator, values, Date.parse(text), now);
    return fulfilsText(operator, values.map(String), text);
  });
}

/** Whether a row fulfils a tree. A group without conditions matches everything. */
export function plainlyHolds(group: ConditionGroup, row: Row, now: number): boolean {
  const parts = group.conditions.map((node) =>
    isGroup(node) ? plainlyHolds(node, row, now) : fulfils(node, row, now),
  );
  if (parts.length === 0) return true;
  const whole = group.operator === 'or' ? parts.some(Boolean) : parts.every(Boolean);
  return group.negate ? !whole : whole;
}
