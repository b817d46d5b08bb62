/** The results of the kinds of checks, as the stack of a mail of evidence shows them, from its findings. */
import type { StoredFinding } from '#shared/checks/assess.ts';
import { CHECK_TOOLS, type CheckTool, checkToolId } from '#shared/model/enums.ts';
import { NOTHING_FOUND, verdictRank } from '#shared/model/verdict.ts';
import type { ScanRecord } from './records.ts';
import { verdictOf } from './verdicts.ts';

/** The weight from which the findings of one kind are shown as suspicious, once the whole mail is. */
const NOTABLE = 3;
/** Sentences of a kind's summary. */
const MAX_SENTENCES = 3;

export interface Assessed {
  verdict: 'found' | 'suspicious' | null;
  /** Heaviest first. */
  findings: readonly Pick<StoredFinding, 'tool' | 'sentence' | 'weight'>[];
}

/** One result for each kind of check. The heaviest bears the verdict of the whole mail, unless a gateway gave it already. */
export function checkScans({ verdict, findings }: Assessed, provider: ScanRecord): ScanRecord[] {
  const against = findings.filter(({ weight }) => weight > 0);
  const weightOf = (tool: CheckTool): number =>
    against.reduce((sum, finding) => sum + (finding.tool === tool ? finding.weight : 0), 0);
  const others = CHECK_TOOLS.filter((tool) => tool !== 'provider');
  const heaviest = others.reduce((first, tool) => (weightOf(tool) > weightOf(first) ? tool : first));
  const isGiven = verdict !== null && verdictRank(verdictOf(provider).verdict) <= verdictRank(verdict);
  const codeOf = (tool: CheckTool): string => {
    if (verdict === null) return NOTHING_FOUND;
    if (tool === heaviest && !isGiven) return verdict;
    return weightOf(tool) >= NOTABLE ? 'suspicious' : NOTHING_FOUND;
  };
  const checked = others.map((tool): ScanRecord => {
    const sentences = against.filter((finding) => finding.tool === tool).map(({ sentence }) => sentence);
    const summary = sentences.slice(0, MAX_SENTENCES).join('. ');
    return { tool: checkToolId(tool), code: codeOf(tool), ...(summary === '' ? {} : { summary }) };
  });
  return [provider, ...checked];
}
