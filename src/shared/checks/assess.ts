/** All checks, and the verdict that their findings add up to. */

import type { CheckTool } from '../model/enums.ts';
import { ATTACHMENTS_CHECKS } from './attachments.ts';
import { AUTHENTICATION_CHECKS } from './authentication.ts';
import type { Check, Finding } from './check.ts';
import { CONTENT_CHECKS } from './content.ts';
import { LINKS_CHECKS } from './links.ts';
import { type CheckedMail, prepareMail } from './prepared-mail.ts';
import { PROVIDER_CHECKS } from './provider.ts';
import { scoreOf, verdictOfScore } from './score.ts';
import { SENDER_CHECKS } from './sender.ts';

/** In the order of the tools. */
export const CHECKS: readonly Check[] = [
  ...PROVIDER_CHECKS,
  ...SENDER_CHECKS,
  ...AUTHENTICATION_CHECKS,
  ...LINKS_CHECKS,
  ...ATTACHMENTS_CHECKS,
  ...CONTENT_CHECKS,
];

const MOST: ReadonlyMap<string, number | undefined> = new Map(CHECKS.map(({ id, most }) => [id, most]));
/** The most that the findings of a check weigh together; undefined: no limit. */
export const mostOfCheck = (check: string): number | undefined => MOST.get(check);

/** What a check found in a mail, as stored. */
export interface StoredFinding extends Finding {
  check: string;
  tool: CheckTool;
}

export interface Assessment {
  /** The sum of what speaks against the mail and what speaks for it, to a tenth. */
  score: number;
  /** `found` and `suspicious` by the score; null: the checks found too little, which proves nothing. */
  verdict: 'found' | 'suspicious' | null;
  /** Worst first. */
  findings: StoredFinding[];
  /** What the checks could not look at, as sentences. */
  unchecked: string[];
}

export const CUT_TEXT = 'The end of a very long text was not checked';

/** Findings kept of one check. */
const MAX_FINDINGS = 4;

/** Runs every check over a mail. Pure, linear in the mail; a check that throws is named in `unchecked`. */
export function assess(given: CheckedMail, mail = prepareMail(given)): Assessment {
  const findings: StoredFinding[] = [];
  const unchecked: string[] = [...mail.unsearched];
  for (const { id, tool, label, run } of CHECKS) {
    let hits: Finding[];
    try {
      hits = run(mail).filter(({ weight }) => weight !== 0);
    } catch {
      unchecked.push(`“${label}” could not be checked`);
      continue;
    }
    for (const finding of hits.slice(0, MAX_FINDINGS)) findings.push({ check: id, tool, ...finding });
  }
  if (mail.isCut && !unchecked.includes(CUT_TEXT)) unchecked.push(CUT_TEXT);
  if (mail.isEncrypted) unchecked.push('The text is encrypted and could not be checked');
  const score = scoreOf(findings, mostOfCheck);
  return {
    score,
    verdict: verdictOfScore(score),
    findings: findings.sort((a, b) => b.weight - a.weight),
    unchecked,
  };
}
