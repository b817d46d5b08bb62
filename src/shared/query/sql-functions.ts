/** SQL functions that compiled conditions call, to be registered on the connection (better-sqlite3: db.function). */
import { toInstant } from '../model/clock.ts';
import { inNetwork, type Network, parseNetwork } from './network.ts';
import { compilePattern, type Pattern } from './pattern.ts';
import { foldText, mailboxOf, wordsOf } from './text.ts';

type Value = string | number | bigint | Uint8Array | null;

const asText = (value: Value): string | null =>
  value === null ? null : typeof value === 'string' ? value : String(value);

/** Time that one statement may spend on patterns before it fails. */
const MATCH_BUDGET_MS = 4000;

/** Size of the cache of compiled patterns: a condition with more recompiles them for each row, within the budget. */
const MOST_PATTERNS = 64;

export class MatchBudgetError extends Error {
  constructor() {
    super('The pattern takes too long on this much data: make it simpler or add another condition.');
    this.name = 'MatchBudgetError';
  }
}

export interface SqlFunctions {
  /** By name; all deterministic. */
  functions: Readonly<Record<string, (...args: Value[]) => Value>>;
  /** Call before each statement to restart the time budget of patterns. */
  begin(): void;
}

/**
 * pp_fold(text) · pp_mailbox(address) · pp_words(text) · pp_instant(text) · pp_match(pattern, text) ·
 * pp_in_network(ip, network). null for null. `clock`: milliseconds, for the budget. `probe`: called regularly within
 * patterns; throwing ends the statement.
 */
export function sqlFunctions(clock: () => number = Date.now, probe?: () => void): SqlFunctions {
  let started = clock();
  const look = (): void => {
    probe?.();
    if (clock() - started > MATCH_BUDGET_MS) throw new MatchBudgetError();
  };
  const patterns = new Map<string, Pattern>();
  const compiled = (source: string): Pattern => {
    const known = patterns.get(source);
    if (known !== undefined) return known;
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
    functions: {
      pp_fold: (value) => {
        const text = asText(value ?? null);
        return text === null ? null : foldText(text);
      },
      pp_mailbox: (value) => {
        const text = asText(value ?? null);
        return text === null ? null : mailboxOf(text);
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
        const at = typeof value === 'string' || typeof value === 'number' ? toInstant(value) : null;
        return at === null ? null : new Date(at).toISOString();
      },
      pp_in_network: (ip, source) => {
        const text = asText(ip ?? null);
        if (text === null || typeof source !== 'string') return null;
        if (network?.source !== source) network = { source, parsed: parseNetwork(source) };
        return network.parsed !== null && inNetwork(text, network.parsed) ? 1 : 0;
      },
    },
  };
}
