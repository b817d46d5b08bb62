/** Rules as files: JSON of Parapet, version 1, or a list of indicators. Everything in a file is checked before it is taken. */

import { exact, plural } from '../model/format.ts';
import { isTooDeep } from '../model/json-depth.ts';
import { isRecord } from '../model/narrow.ts';
import { jsonErrorAt, placeOf } from '../query/json-place.ts';
import { readConditions } from './conditions.ts';
import { type IndicatorList, readIndicators } from './indicator-list.ts';
import {
  MOST_RULES,
  RULE_NAME_MAX,
  RULE_TEXT_MAX,
  type RuleContent,
  type RuleKind,
  ruleContent,
} from './rule.ts';

const VERSION = 1;
/** Bytes of a file of rules or of indicators. */
export const RULE_FILE_MAX = 128 * 1024 * 1024;
const MAX_NESTING = 100;

export interface FileRule {
  name: string;
  /** Null if it cannot be taken, for the reason. */
  content: RuleContent | null;
  reason: string | null;
  /** Where it begins, from 1, if known. */
  line: number | null;
  /** The number of indicators, for a list only. */
  indicators: number | null;
}

export type RuleFile = { ok: true; rules: FileRule[]; notes: string[] } | { ok: false; message: string };

/** What is wrong with the text of a rule, as far as it can be told without evidence. */
export function textProblem({ kind, text }: Pick<RuleContent, 'kind' | 'text'>): string | null {
  if (kind !== 'indicators' && text.length > RULE_TEXT_MAX)
    return `It has more than ${RULE_TEXT_MAX.toLocaleString('en-GB')} characters.`;
  if (kind !== 'conditions') return text.trim() === '' ? 'It is empty.' : null;
  const read = readConditions(text);
  return read.ok ? null : read.message;
}

const listedWords = ({ skipped, problems }: IndicatorList): string[] => {
  if (skipped === 0) return [];
  const named = problems.slice(0, 3).map(({ line, reason }) => `Line ${line}: ${reason}`);
  return [
    `${skipped.toLocaleString('en-GB')} ${skipped === 1 ? 'line was' : 'lines were'} left out, without an indicator. ${named.join(' ')}`,
  ];
};

/** The indicators of a text as the text of a rule. Throws RangeError, as a sentence, if there are too many. */
export function listContent(text: string): { text: string; count: number; notes: string[] } {
  const list = readIndicators(text);
  return { text: list.text, count: list.count, notes: listedWords(list) };
}

/** The lines of the items of the first list in valid JSON, at the second level. */
function itemLines(text: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let level = 0;
  let isText = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '\n') line += 1;
    else if (isText) {
      if (character === '\\') index += 1;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === '[' || character === '{') {
      level += 1;
      if (level === 3) lines.push(line);
    } else if (character === ']' || character === '}') level -= 1;
  }
  return lines;
}

function readItem(value: unknown, index: number, line: number | null): FileRule {
  const named = isRecord(value) && typeof value['name'] === 'string' ? value['name'].trim() : '';
  const name = named.slice(0, RULE_NAME_MAX) || `Rule ${index + 1} of the file`;
  const no = (reason: string): FileRule => ({ name, content: null, reason, line, indicators: null });
  if (!isRecord(value)) return no('It is not a rule.');
  const { conditions, indicators, text, ...rest } = value;
  const body: unknown =
    conditions === undefined
      ? Array.isArray(indicators)
        ? indicators.join('\n')
        : text
      : JSON.stringify(conditions);
  const checked = ruleContent.safeParse({ ...rest, text: body });
  if (!checked.success) {
    const field = String(checked.error.issues[0]?.path[0] ?? '');
    const asWritten = field !== 'text' ? field : value['kind'] === 'conditions' ? 'conditions' : 'text';
    return no(`Its field “${asWritten}” is missing or wrong.`);
  }
  const content = checked.data;
  const problem = textProblem(content);
  if (problem !== null) return no(problem);
  if (content.kind !== 'indicators') return { name, content, reason: null, line, indicators: null };
  try {
    const list = listContent(content.text);
    if (list.count === 0) return no('It holds no indicators.');
    return { name, content: { ...content, text: list.text }, reason: null, line, indicators: list.count };
  } catch (error) {
    if (error instanceof RangeError) return no(error.message);
    throw error;
  }
}

function readRules(text: string): RuleFile {
  const no = (message: string): RuleFile => ({ ok: false, message });
  if (isTooDeep(text, MAX_NESTING)) return no('it nests too deep to be a file of rules.');
  const error = jsonErrorAt(text);
  if (error !== null) {
    const { line, column } = placeOf(text, error);
    return no(`it is not valid JSON: it breaks at line ${line}, column ${column}.`);
  }
  const file: unknown = JSON.parse(text);
  const { parapet_rules: version, rules } = isRecord(file) ? file : {};
  if (version !== VERSION)
    return no(
      `it is of version ${String(version).slice(0, 20)}; this version of Parapet reads version ${VERSION}.`,
    );
  if (!Array.isArray(rules) || rules.length === 0) return no('it holds no rules.');
  if (rules.length > MOST_RULES)
    return no(
      `it holds ${plural(rules.length, 'rule')}; a profile has at most ${exact(MOST_RULES)}. Split it.`,
    );
  const lines = itemLines(text);
  // Without a nested value before its list, the items of the list are those at this level.
  const areLines = lines.length === rules.filter((rule) => typeof rule === 'object' && rule !== null).length;
  return {
    ok: true,
    rules: rules.map((rule, index) => readItem(rule, index, areLines ? (lines[index] ?? null) : null)),
    notes: [],
  };
}

const isRuleFile = (text: string): boolean =>
  /^\s*\{/.test(text) && /"parapet_rules"\s*:/.test(text.slice(0, 4_096));

const stem = (fileName: string): string => fileName.replace(/\.[^.]{1,8}$/, '').trim() || 'List';

/** What the hits of a list show that says nothing of itself. */
export const listSentence = (name: string): string => `On the list “${name}”`;

/** Reads a file of rules, or a list of indicators as one rule. Linear. */
export function readRuleFile(text: string, fileName: string): RuleFile {
  if (isRuleFile(text)) return readRules(text);
  const name = stem(fileName)
    .replace(/[\r\n\0]/g, ' ')
    .slice(0, RULE_NAME_MAX - 20);
  try {
    const list = listContent(text);
    if (list.count === 0)
      return {
        ok: false,
        message:
          'it is neither a file of rules nor a list with indicators: hashes, domains, addresses, URLs or IP addresses, one a line.',
      };
    const content: RuleContent = {
      kind: 'indicators',
      name,
      severity: 4,
      sentence: listSentence(name),
      text: list.text,
    };
    return {
      ok: true,
      rules: [{ name, content, reason: null, line: null, indicators: list.count }],
      notes: list.notes,
    };
  } catch (error) {
    if (error instanceof RangeError) return { ok: false, message: `it cannot be taken. ${error.message}` };
    throw error;
  }
}

/** The indicators of a stored list, without their types. */
export const listedValues = (text: string): string[] =>
  text.split('\n').map((line) => line.slice(line.indexOf(' ') + 1));

/** The field of a file that holds the text of a rule, and its value. */
const written: Readonly<Record<RuleKind, (text: string) => Record<string, unknown>>> = {
  conditions: (text) => ({ conditions: JSON.parse(text) as unknown }),
  indicators: (text) => ({ indicators: listedValues(text) }),
  yara: (text) => ({ text }),
  mql: (text) => ({ text }),
};

export const writeRuleFile = (rules: readonly RuleContent[]): string =>
  `${JSON.stringify(
    {
      parapet_rules: VERSION,
      rules: rules.map(({ kind, name, severity, sentence, text }) => ({
        kind,
        name,
        severity,
        sentence,
        ...written[kind](text),
      })),
    },
    null,
    1,
  )}\n`;
