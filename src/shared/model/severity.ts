import { SEVERITIES, type Severity } from './enums.ts';

/** "severity is 1 (VeryLow) to 5 (Critical)": the labels between them are ours. */
export const SEVERITY_LABELS: Readonly<Record<Severity, string>> = {
  1: 'Very low',
  2: 'Low',
  3: 'Medium',
  4: 'High',
  5: 'Critical',
};

/** "The server uses the words verylow, low, medium, high, veryhigh." */
const SEVERITY_SERVER_WORDS: Readonly<Record<Severity, string>> = {
  1: 'verylow',
  2: 'low',
  3: 'medium',
  4: 'high',
  5: 'veryhigh',
};

// "lowest" and the label "critical" are accepted beside the server's own words (product.md, section 1).
const BY_WORD: ReadonlyMap<string, Severity> = new Map([
  ...SEVERITIES.map((level): [string, Severity] => [SEVERITY_SERVER_WORDS[level], level]),
  ['lowest', 1],
  ['critical', 5],
]);

/**
 * A severity from anything a server sends: 1 to 5 as number or digit, or a word in any case.
 * null when it is none of these, so that the caller shows the raw value.
 */
export function parseSeverity(value: unknown): Severity | null {
  if (typeof value === 'number') return SEVERITIES.find((level) => level === value) ?? null;
  if (typeof value !== 'string' || value.length > 32) return null;
  const word = value.trim().toLowerCase();
  return (
    BY_WORD.get(word.replace(/[\s_-]/g, '')) ?? SEVERITIES.find((level) => String(level) === word) ?? null
  );
}

/** The most severe first; unknown ones come last. */
export const bySeverity = (a: { severity?: unknown }, b: { severity?: unknown }): number =>
  (parseSeverity(b.severity) ?? 0) - (parseSeverity(a.severity) ?? 0);

/** The word to send for a severity (specification, section 3). */
export function severityToServer(severity: Severity): string {
  return SEVERITY_SERVER_WORDS[severity];
}

/** The word to show: the label, or the server's own word when it is unknown, or "Unknown" when there is none. */
export function severityLabel(value: unknown): string {
  const severity = parseSeverity(value);
  if (severity) return SEVERITY_LABELS[severity];
  return typeof value === 'string' && value.trim() !== '' ? value : 'Unknown';
}
