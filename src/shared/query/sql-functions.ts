/** SQL functions that compiled conditions call, to be registered on the connection (better-sqlite3: db.function). */
import { spelledAlike } from '../mail/domains.ts';
import { sentInstant } from '../model/clock.ts';
import { exactNumber, numberKey } from '../model/exact-numbers.ts';
import { inNetwork, type Network, parseNetwork } from './network.ts';
import { compilePattern, type Pattern } from './pattern.ts';
import { foldText, mailboxOf, wordsOf } from './text.ts';

type Value = string | number | bigint | Uint8Array | null;

const asText = (value: Value): string | null =>
  value === null ? null : typeof value === 'string' ? value : String(value);

/** The digits of a number, or of a BLOB that holds them. */
const digitsOf = (value: number | bigint | Uint8Array): string =>
  value instanceof Uint8Array ? String.fromCharCode(...value) : String(value);

/** Time that one statement may spend on patterns, or on reading texts without an index, before it fails. */
const MATCH_BUDGET_MS = 4000;

/** Size of the cache of compiled patterns: a condition with more recompiles them for each row, within the budget. */
const MOST_PATTERNS = 64;

export class MatchBudgetError extends Error {
  constructor(
    message = 'The pattern takes too long on this much data: make it simpler or add another condition.',
  ) {
    super(message);
    this.name = 'MatchBudgetError';
  }
}

export interface SqlFunctions {
  /** By name; all deterministic. */
  functions: Readonly<Record<string, (...args: Value[]) => Value>>;
  /** Call before each statement to restart the time budget. */
  begin(): void;
  /** Throws when the budget is spent, with these words, or when the statement is cancelled. */
  look(message?: string): void;
}

/**
 * pp_fold(text) · pp_mailbox(address) · pp_words(text) · pp_instant(text) · pp_match(pattern, text) ·
 * pp_in_network(ip, network) · pp_number(number) · pp_shown(number). null for null. `clock`: milliseconds, for the budget. `probe`: called regularly within
 * patterns; throwing ends the statement.
 */
export function sqlFunctions(clock: () => number = Date.now, probe?: () => void): SqlFunctions {
  let started = clock();
  const look = (message?: string): void => {
    probe?.();
    if (clock() - started > MATCH_BUDGET_MS) throw new MatchBudgetError(message);
  };
  const patterns = new Map<string, Pattern>();
  const compiled = (source: string): Pattern => {
    const existingPattern = patterns.get(source);
    if (existingPattern !== undefined) return existingPattern;
    look();
    if (patterns.size >= MOST_PATTERNS) patterns.clear();
    const pattern = compilePattern(source);
    patterns.set(source, pattern);
    return pattern;
  };
  let network: { source: string; parsed: Network | null } | null = null;
  return {
    begin() {
      started = clock();
    },
    look,
    functions: {
      pp_fold: (value) => {
        const text = asText(value ?? null);
        return text === null ? null : foldText(text);
      },
      pp_mailbox: (value) => {
        const text = asText(value ?? null);
        return text === null ? null : mailboxOf(text);
      },
      pp_domain: (value) => {
        const text = asText(value ?? null);
        return text === null ? null : spelledAlike(text);
      },
      pp_words: (value) => {
        const text = asText(value ?? null);
        return text === null ? null : wordsOf(text);
      },
      pp_match: (source, value) => {
        const text = asText(value ?? null);
        if (text === null || typeof source !== 'string') return null;
        return compiled(source).test(text, look) ? 1 : 0;
      },
      pp_instant: (value) => {
        const instant = sentInstant(value);
        return instant === null ? null : new Date(instant).toISOString();
      },
      // Of a number, or the digits of one as a BLOB; a text sorts after every number.
      pp_number: (value = null) =>
        value === null ? null : typeof value === 'string' ? `t${value}` : numberKey(digitsOf(value)),
      pp_shown: (digits) => (digits instanceof Uint8Array ? exactNumber(digitsOf(digits)) : null),
      pp_in_network: (ip, source) => {
        const text = asText(ip ?? null);
        if (text === null || typeof source !== 'string') return null;
        if (network?.source !== source) network = { source, parsed: parseNetwork(source) };
        return network.parsed !== null && inNetwork(text, network.parsed) ? 1 : 0;
      },
    },
  };
}
