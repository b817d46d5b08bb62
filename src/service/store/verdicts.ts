/** Verdicts of an email from its tools' results, in the stored forms. */

import { CHECK_TOOLS, checkToolId, SECURITY_TOOLS } from '#shared/model/enums.ts';
import {
  type DerivedVerdict,
  deriveVerdict,
  NOTHING_FOUND,
  rollUp,
  verdictRank,
} from '#shared/model/verdict.ts';
import { type Branding, expandProduct } from '#shared/model/white-label.ts';
import type { ScanRecord } from './records.ts';

/** The value of `{product}` in this service's ids. */
export const PRODUCT = 'guard';
/** Its display name: the white-label name of the console. */
export const BRANDING: Branding = { product: PRODUCT, name: 'Mail security' };

/** The ids of a service's tools in stack order; those that are not enabled scan nothing. */
export const STACK: readonly string[] = [
  'ap_{product}',
  'checkpoint_te',
  'checkpoint_url',
  'clicktime_protection',
  'ms_defender',
  'lastline_av_file',
  'checkpoint_av',
  'dlp_checkpoint',
  'anomaly_detection',
  'checkpoint2_files_behind_links',
].map((tool) => expandProduct(tool, PRODUCT));

/** The same for evidence: the kinds of checks. */
export const CHECK_STACK: readonly string[] = CHECK_TOOLS.map(checkToolId);

const CANONICAL: ReadonlyMap<string, string> = new Map(
  SECURITY_TOOLS.map((tool) => [expandProduct(tool, PRODUCT), tool]),
);
/** Words of the checks that say no more than their verdicts. */
const OWN_WORDS: ReadonlySet<string | null> = new Set(['found', 'suspicious', NOTHING_FOUND]);
export const canonicalOf = (tool: string): string => CANONICAL.get(tool) ?? tool;

export function verdictOf(scan: ScanRecord): DerivedVerdict {
  return deriveVerdict({
    tool: canonicalOf(scan.tool),
    applicable: true,
    status: scan.status,
    verdict_code: scan.code,
    matches: scan.matches,
    clicks: scan.clicks,
    suspicious: scan.suspicious,
    error: scan.error,
  });
}

export interface StoredVerdict {
  /** JSON of the scans. */
  scans: string;
  /** `|tool:verdict|tool:verdict|` in stack order. */
  stack: string;
  verdict: string;
  rank: number;
  code: string | null;
}

const MAX_REMEMBERED = 20_000;
const remembered = new Map<string, StoredVerdict>();

/**
 * The scans of one email, rolled up. `evidence` is the checks of a mail, of which only those named in the scans ran.
 */
export function storedVerdict(scans: readonly ScanRecord[], evidence: boolean): StoredVerdict {
  const json = JSON.stringify(scans);
  const key = evidence ? `e${json}` : json;
  const verdict = remembered.get(key);
  if (verdict) return verdict;
  const byTool = new Map(scans.map((scan) => [scan.tool, verdictOf(scan)]));
  const tools = evidence ? CHECK_STACK : STACK;
  const missing = evidence ? 'not-scanned' : 'hidden';
  const stack = tools.map((id) => `${id}:${byTool.get(id)?.verdict ?? missing}`);
  const silent: DerivedVerdict[] = tools.some((id) => evidence && !byTool.has(id))
    ? [{ verdict: 'not-scanned', rawCode: null, error: false }]
    : [];
  const total = rollUp([...byTool.values(), ...silent]);
  const stored: StoredVerdict = {
    scans: json,
    stack: `|${stack.join('|')}|`,
    verdict: total.verdict,
    rank: verdictRank(total.verdict),
    code: OWN_WORDS.has(total.rawCode) ? null : total.rawCode,
  };
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(key, stored);
  return stored;
}
