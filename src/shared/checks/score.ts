/** The score and verdict that findings add up to. */
import { CHECK_TOOLS, type CheckTool } from '../model/enums.ts';

export const SUSPICIOUS_FROM = 4.5;
const FOUND_FROM = 8;
/** The most that the findings of one kind weigh: SPF, DKIM and DMARC fail together. */
const MOST_OF: Readonly<Partial<Record<CheckTool, number>>> = { authentication: 3 };

interface Weighed {
  check: string;
  tool: CheckTool;
  weight: number;
}

/** `mostOf`: the most that the findings of one check weigh together; undefined: no limit. To a tenth. */
export function scoreOf(findings: readonly Weighed[], mostOf: (check: string) => number | undefined): number {
  const sums = new Map<string, { tool: CheckTool; sum: number }>();
  for (const { check, tool, weight } of findings)
    sums.set(check, { tool, sum: (sums.get(check)?.sum ?? 0) + weight });
  const totals = new Map<CheckTool, number>();
  for (const [check, { tool, sum }] of sums)
    totals.set(tool, (totals.get(tool) ?? 0) + Math.min(sum, mostOf(check) ?? sum));
  const score = CHECK_TOOLS.reduce(
    (all, tool) => all + Math.min(totals.get(tool) ?? 0, MOST_OF[tool] ?? Infinity),
    0,
  );
  return Math.round(score * 10) / 10;
}

/** null: too little, which proves nothing. */
export const verdictOfScore = (score: number): 'found' | 'suspicious' | null =>
  score >= FOUND_FROM ? 'found' : score >= SUSPICIOUS_FROM ? 'suspicious' : null;
