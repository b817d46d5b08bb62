/** Runs rules in YARA over the parts of a mail. Only in a thread that can be ended. */
import type { Rules } from '@virustotal/yara-x';
import { MAX_PART, type ScanPart } from './scan-parts.ts';

/** What the scanner reports, of which this reads only a part. */
interface ScanResult {
  valid: boolean;
  matches: {
    identifier: string;
    isPrivate: boolean;
    patterns: { identifier: string; matches: { offset: number; length: number }[] }[];
  }[];
}

export interface YaraMatch {
  rule: string;
  /** The first string of the rule that is there, or null if the rule's condition names none. */
  string: string | null;
  /** In bytes from the beginning of the part. */
  offset: number | null;
}

/** Time for one part. It does not end every condition; the thread is ended if it does not. */
const MAX_MS = 5_000;
const MATCHES_A_STRING = 100;

/** The rules that match a part, or null if it was not looked at to its end. */
export function matchYara(rules: Rules, { bytes }: ScanPart): YaraMatch[] | null {
  if (bytes.length > MAX_PART) return null;
  const scanner = rules.scanner();
  try {
    scanner.setTimeoutMs(MAX_MS);
    scanner.setMaxMatchesPerPattern(MATCHES_A_STRING);
    const { matches } = scanner.scan(bytes) as ScanResult;
    return matches
      .filter(({ isPrivate }) => !isPrivate)
      .map(({ identifier, patterns }) => {
        const first = patterns.find((pattern) => pattern.matches.length > 0);
        return {
          rule: identifier,
          string: first?.identifier ?? null,
          offset: first?.matches[0]?.offset ?? null,
        };
      });
  } catch {
    return null;
  } finally {
    scanner.free();
  }
}
