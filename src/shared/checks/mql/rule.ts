/** Rules in MQL as files: one rule in YAML, as Sublime Security publishes them, or the condition alone. */
import { isScalar, LineCounter, parseDocument } from 'yaml';
import type { Severity } from '../../model/enums.ts';
import { parseSeverity } from '../../model/severity.ts';
import { compileMql, type MqlLists, type MqlProgram } from './compile.ts';
import { MqlError, type Place } from './tokens.ts';
import { LACKS } from './values.ts';

export interface MqlRule {
  /** null, like what follows: the file does not say it. */
  name: string | null;
  description: string | null;
  severity: Severity | null;
  /** The condition, and the line of the file on which it begins, from 1. */
  source: string;
  firstLine: number;
}

const MAX_FILE = 500_000;
const MAX_NAME = 500;
const MAX_DESCRIPTION = 5_000;

const textOf = (value: unknown, most: number): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, most) : null;

/** Throws `MqlError` with the line and column in the file. */
function readMqlRule(file: string): MqlRule {
  if (file.length > MAX_FILE)
    throw new MqlError(`A file with a rule has at most ${MAX_FILE} characters`, { line: 1, column: 1 });
  // A condition alone is no mapping, and need not be YAML.
  if (!/^source\s*:/m.test(file))
    return { name: null, description: null, severity: null, source: file, firstLine: 1 };
  const lines = new LineCounter();
  const document = parseDocument(file, { lineCounter: lines, maxAliasCount: 0, logLevel: 'silent' } as never);
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new MqlError(`This is no YAML: ${error.message.split('\n', 1)[0]}`, { line, column: col });
  }
  const node = document.get('source', true);
  const source = isScalar(node) ? textOf(node.value, MAX_FILE) : null;
  if (!isScalar(node) || source === null)
    throw new MqlError('“source” is not a condition', { line: 1, column: 1 });
  const { line } = lines.linePos(node.range?.[0] ?? 0);
  const isBlock = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED';
  return {
    name: textOf(document.get('name'), MAX_NAME),
    description: textOf(document.get('description'), MAX_DESCRIPTION),
    severity: parseSeverity(document.get('severity')),
    source: String(node.value),
    firstLine: isBlock ? line + 1 : line,
  };
}

const within = ({ line, column }: Place, { firstLine }: MqlRule): Place => ({
  line: line + firstLine - 1,
  column,
});

/** A rule that can be run. Throws `MqlError`, with places in the file. */
export function compileMqlRule(file: string, lists: MqlLists): { rule: MqlRule; program: MqlProgram } {
  const rule = readMqlRule(file);
  try {
    const program = compileMql(rule.source, lists);
    return {
      rule,
      program: { ...program, missing: program.missing.map((lack) => ({ ...lack, ...within(lack, rule) })) },
    };
  } catch (error) {
    if (error instanceof MqlError) throw new MqlError(error.message, within(error.place, rule));
    throw error;
  }
}

/** Names that a sentence lists of each kind. */
const MAX_NAMES = 4;

/** What a rule needs and this machine does not have, as a sentence; '' if nothing. */
export function missingWords({ missing, isIdle }: MqlProgram): string {
  if (missing.length === 0) return '';
  const kinds = [...Map.groupBy(missing, ({ lack }) => lack)].map(([lack, all]) => {
    const names = all.slice(0, MAX_NAMES).map(({ name }) => name);
    const more = all.length > names.length ? ` and ${all.length - names.length} more` : '';
    return `${LACKS[lack]} (${names.join(', ')}${more})`;
  });
  const needs = `Needs ${kinds.join('; ')}`;
  return isIdle ? `Never matches here. ${needs}` : `Matches only in part. ${needs}`;
}
