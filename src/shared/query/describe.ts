/** A query in plain words, as segments that a view can style: "Emails in … received in the last 7 days, where …". */
import { type ClockSetting, profileTime } from '../model/clock.ts';
import { domainTitle } from '../model/domains.ts';
import type { FieldConfig, OperatorConfig, QueryConfig } from '../model/entities.ts';
import { fieldTypeOf } from './operators.ts';
import {
  type Condition,
  type ConditionGroup,
  type ConditionValue,
  depthOf,
  effective,
  emptyGroup,
  isGroup,
  MAX_DEPTH,
} from './tree.ts';
import { parseNumber, parseTime, parseTimeUnit, textOf } from './values.ts';

export interface Segment {
  text: string;
  /** value: an address, hash, domain … in a monospaced font. or: the word that joins alternatives. */
  kind: 'text' | 'strong' | 'value' | 'or';
}

export interface DescribeOptions {
  condition: ConditionGroup;
  config: Pick<QueryConfig, 'fields' | 'operators'>;
  /** The query's domain; names what is asked for. */
  domain: string;
  /** Label of the SaaS; omitted: every app. */
  saas?: string | null;
  /** Every value complete and quoted, every group bracketed, so that different trees have different words. */
  exact?: boolean;
  /** The clock of times; omitted: as the condition has them, in UTC. */
  clock?: ClockSetting | undefined;
}

const VALUES_SHOWN = 4;
const LONGEST_VALUE = 60;

const text = (words: string): Segment => ({ text: words, kind: 'text' });
const strong = (words: string): Segment => ({ text: words, kind: 'strong' });

/** The whole query as a sentence. Disabled parts are omitted, as when it runs. */
export function describeQuery(options: DescribeOptions): Segment[] {
  const { condition, domain, saas } = options;
  const out: Segment[] = [strong(domainTitle(domain)), text(' in ')];
  out.push(saas ? strong(saas) : strong('all apps'));
  if (depthOf(condition) > MAX_DEPTH)
    return [...out, text(`, where groups nest more than ${MAX_DEPTH} deep.`)];
  const root = effective(condition);
  const names = namesOf(options.config, options.exact ?? false, options.clock);
  const lead = leadingSpan(root);
  if (lead) out.push(text(` ${names.field(lead)} `), strong(spanWords(lead, 'in the last ', names.exact)));
  const rest = { ...root, conditions: root.conditions.filter((node) => node !== lead) };
  if (rest.conditions.length > 0) {
    out.push(text(', where '), ...groupWords(rest, names, 0));
  }
  out.push(text('.'));
  return merged(out);
}

/** The condition tree alone, without the subject; an empty tree: []. */
export function describeCondition(
  condition: ConditionGroup,
  config: Pick<QueryConfig, 'fields' | 'operators'>,
  { exact = false, clock }: Pick<DescribeOptions, 'exact' | 'clock'> = {},
): Segment[] {
  if (depthOf(condition) > MAX_DEPTH) return [text(`groups nest more than ${MAX_DEPTH} deep`)];
  const root = effective(condition);
  return root.conditions.length === 0 ? [] : merged(groupWords(root, namesOf(config, exact, clock), 0));
}

/** The sentence about what a report requires beside its query; without a condition: []. */
export function describeReport(
  condition: ConditionGroup | null | undefined,
  config: Pick<QueryConfig, 'fields' | 'operators'>,
  options: Pick<DescribeOptions, 'exact' | 'clock'> = {},
): Segment[] {
  const words = describeCondition(condition ?? emptyGroup(), config, options);
  return words.length === 0 ? [] : [text(' Its report: only where '), ...words, text('.')];
}

/** The text alone. */
export const plainWords = (segments: readonly Segment[]): string =>
  segments.map((segment) => segment.text).join('');

interface Names {
  /** Its form inside a sentence. */
  field(condition: Condition): string;
  fieldConfig(condition: Condition): FieldConfig | undefined;
  operator(condition: Condition): OperatorConfig | undefined;
  /** Added after the words of an operator that are ambiguous. */
  aside(condition: Condition): string;
  exact: boolean;
  clock: ClockSetting | undefined;
}

/** Words that occur more than once. */
function doubles(words: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  return new Set(words.filter((word) => names.has(word) || !names.add(word)));
}

function namesOf(
  config: Pick<QueryConfig, 'fields' | 'operators'>,
  exact: boolean,
  clock: ClockSetting | undefined,
): Names {
  const fields = new Map(config.fields.map((field) => [field.id, field]));
  const operators = new Map(config.operators.map((operator) => [operator.id, operator]));
  const sameLabel = doubles(config.fields.map(({ label }) => sentenceLabel(label)));
  const sameWords = doubles(config.operators.map(({ template }) => template));
  return {
    field({ field: id }) {
      const field = fields.get(id);
      const label = sentenceLabel(field?.label ?? id);
      // Two fields with the same label are distinguished by their ids.
      return field && sameLabel.has(label) ? `${label} [${id}]` : label;
    },
    fieldConfig: ({ field }) => fields.get(field),
    operator: ({ operator }) => operators.get(operator),
    aside: ({ operator: id }) => {
      const operator = operators.get(id);
      return operator && sameWords.has(operator.template) ? ` (${operator.label})` : '';
    },
    exact,
    clock,
  };
}

function groupWords(group: ConditionGroup, names: Names, depth: number): Segment[] {
  const only = group.conditions.length === 1 && !group.negate ? group.conditions[0] : undefined;
  if (only) return isGroup(only) ? groupWords(only, names, depth) : conditionWords(only, names);
  const parts = group.conditions.map((node) =>
    isGroup(node) ? groupWords(node, names, depth + 1) : conditionWords(node, names),
  );
  const isOr = group.operator === 'or';
  const several = parts.length > 1;
  const inside = depth > 0;
  // Two simple conditions read well as "both … and …"; anything larger needs brackets.
  const plain = parts.length === 2 && group.conditions.every((node) => !isGroup(node)) && !names.exact;
  const bracketed = group.negate === true || (inside && !plain);
  const out: Segment[] = [];
  if (group.negate) out.push(text('not '));
  if (several && inside) out.push(text(plain ? (isOr ? 'either ' : 'both ') : isOr ? 'any of ' : 'all of '));
  if (bracketed) out.push(text('('));
  for (const [index, part] of parts.entries()) {
    if (index > 0) {
      const last = index === parts.length - 1;
      if (isOr)
        out.push(text(!inside || parts.some(isLong) ? ', ' : ' '), { text: 'or', kind: 'or' }, text(' '));
      else out.push(text(last ? ' and ' : ', '));
    }
    out.push(...part);
  }
  if (bracketed) out.push(text(')'));
  return out;
}

const isLong = (part: readonly Segment[]): boolean => plainWords(part).length > 30;

function conditionWords(condition: Condition, names: Names): Segment[] {
  const field = names.fieldConfig(condition);
  const operator = names.operator(condition);
  const label = names.field(condition);
  if (!operator)
    return [text(`${label} ${condition.operator} `), ...valueList(condition, field, 'or', names)];
  const values =
    condition.operator === 'in_the_last'
      ? [strong(spanWords(condition, '', names.exact))]
      : valueList(condition, field, joinOf(operator), names);
  const out: Segment[] = [];
  for (const piece of operator.template.split(/(\{field\}|\{value\})/)) {
    if (piece === '{field}') out.push(text(label));
    else if (piece === '{value}') out.push(...values);
    else if (piece !== '') out.push(text(piece));
  }
  if (operator.analyzer === 'words' && condition.values.length > 1) out.push(text(' in any order'));
  out.push(text(names.aside(condition)));
  return out;
}

/** Two values are the ends of a range, unless the operator says otherwise; a list of any length is a choice. */
const joinOf = ({ join, arity }: OperatorConfig): 'and' | 'or' =>
  join === 'and' || (join === undefined && arity > 1) ? 'and' : 'or';

function valueList(
  condition: Condition,
  field: FieldConfig | undefined,
  join: 'and' | 'or',
  { exact, clock }: Names,
): Segment[] {
  const shown = exact ? condition.values : condition.values.slice(0, VALUES_SHOWN);
  const more = condition.values.length - shown.length;
  const out: Segment[] = [];
  for (const [index, value] of shown.entries()) {
    if (index > 0) out.push(text(more === 0 && index === shown.length - 1 ? ` ${join} ` : ', '));
    out.push(exact ? strong(exactValue(value, field)) : valueSegment(value, field, clock));
  }
  if (more > 0) out.push(text(` ${join} ${more} more`));
  return out;
}

/** A bare day says that it is one of UTC. */
function exactValue(value: ConditionValue, field: FieldConfig | undefined): string {
  const span = fieldTypeOf(field?.type ?? 'text') === 'date' ? parseTime(value) : null;
  return `${JSON.stringify(value)}${span === null || span.from === span.to ? '' : ' UTC'}`;
}

/** What must not appear in an unquoted value, which would read as a list or as part of the sentence. */
const LIST_SIGNS = /[,"()[\]]|\b(?:and|or|not)\b/i;
const MONO: readonly string[] = ['email', 'domain', 'url', 'ip', 'hash'];

/** An instant on the clock, with its fraction of a second if it has one. Bare days are days of UTC. */
function timeWords(value: ConditionValue, clock: ClockSetting): string | null {
  const span = parseTime(value);
  if (span === null) return null;
  if (span.from !== span.to) return `${textOf(value)?.trim()} UTC`;
  const fraction = new Date(span.from).toISOString().slice(19, 23);
  const words = profileTime(span.from, clock);
  return fraction === '.000' ? words : words.replace(/:\d\d(?= )/, `$&${fraction}`);
}

function valueSegment(
  value: ConditionValue,
  field: FieldConfig | undefined,
  clock: ClockSetting | undefined,
): Segment {
  const type = fieldTypeOf(field?.type ?? 'text');
  const allowedValue = field?.allowedValues?.find((allowed) => String(allowed.value) === String(value));
  if (allowedValue)
    return strong(
      LIST_SIGNS.test(allowedValue.label) ? JSON.stringify(allowedValue.label) : allowedValue.label,
    );
  if (type === 'bytes') return strong(bytesWords(value));
  const time = type === 'date' && clock !== undefined ? timeWords(value, clock) : null;
  if (time !== null) return strong(time);
  const words = textOf(value) ?? 'nothing';
  if (words === '') return strong('(empty)');
  if (type === 'hash' && /^[0-9a-f]{20,}$/i.test(words))
    return { text: `${words.slice(0, 4)}…${words.slice(-4)}`, kind: 'value' };
  const short = shorten(words);
  const isPlain = !/[\s…]/.test(words) && !LIST_SIGNS.test(words) && words !== 'nothing';
  return { text: isPlain ? short : JSON.stringify(short), kind: MONO.includes(type) ? 'value' : 'strong' };
}

function shorten(words: string): string {
  const characters = [...words];
  return characters.length > LONGEST_VALUE ? `${characters.slice(0, LONGEST_VALUE - 1).join('')}…` : words;
}

function bytesWords(value: ConditionValue): string {
  const bytes = parseNumber(value);
  if (bytes === null) return textOf(value) ?? '';
  if (bytes < 1024) return `${bytes} bytes`;
  const units = ['KB', 'MB', 'GB'] as const;
  // What would round to 1024 of a unit is 1 of the next.
  const power = [1024, 1024 ** 2].filter((size) => bytes / size >= 1023.95).length;
  return `${Number((bytes / 1024 ** (power + 1)).toFixed(1))} ${units[power]}`;
}

function spanWords(condition: Condition, lead: string, exact: boolean): string {
  const [first, second] = condition.values;
  const count = parseNumber(first);
  const unit = parseTimeUnit(second) ?? textOf(second) ?? '';
  if (exact) return `${lead}${JSON.stringify(first ?? null)} ${unit}`;
  if (count === 1) return `${lead}${unit.replace(/s$/, '')}`;
  return `${lead}${count ?? '?'} ${unit}`;
}

/** A label inside a sentence: lower case, except words with capitals or digits inside (SHA-256, IP). */
function sentenceLabel(label: string): string {
  const [first = '', ...rest] = label.split(' ');
  return [/[A-Z0-9]/.test(first.slice(1)) ? first : first.toLowerCase(), ...rest].join(' ');
}

/** "received in the last 7 days" reads best directly after the subject. */
function leadingSpan(root: ConditionGroup): Condition | null {
  const first = root.conditions[0];
  const leads = root.operator === 'and' && !root.negate && first && !isGroup(first);
  return leads && first.operator === 'in_the_last' ? first : null;
}

function merged(segments: readonly Segment[]): Segment[] {
  const out: Segment[] = [];
  for (const segment of segments) {
    const last = out.at(-1);
    if (segment.text === '') continue;
    if (last && last.kind === segment.kind && segment.kind === 'text') last.text += segment.text;
    else out.push({ ...segment });
  }
  return out;
}
