/** The one line that says what an entity is: derived from the tools' answers, never from the service's roll-up. */
import { exact, form, plural } from '#shared/model/format.ts';
import {
  type DerivedVerdict,
  NOTHING_FOUND,
  parseVerdictCode,
  type ReadVerdict,
  VERDICT_CODE_LABELS,
  VERDICT_LABELS,
} from '#shared/model/verdict.ts';
import { isOfChecks, type Stack } from './stack-rows.ts';

export interface LinePart {
  text: string;
  /** `caution` if something is not known or could not be done, `danger` if users can still reach it. */
  tone: 'plain' | 'caution' | 'danger';
}

export interface VerdictLine {
  verdict: ReadVerdict;
  /** The words in the chip, e.g. "Found: phishing". */
  word: string;
  code: string | null;
  error: boolean;
  /** Parts to be read one after another, with their own spaces. */
  parts: LinePart[];
}

export const HARMFUL: readonly ReadVerdict[] = ['found', 'suspicious', 'found-no-click'];

/** "phishing" for phsh and hphsh, "malware" for malw; null for words that add nothing. */
function kindWord({ verdict, rawCode }: DerivedVerdict): string | null {
  if (verdict !== 'found' && verdict !== 'spam') return null;
  const code = parseVerdictCode(rawCode);
  if (code === null || code === 'clean' || code === 'error') return null;
  return VERDICT_CODE_LABELS[code].replace(/, high confidence$/, '');
}

const SAYING: Readonly<Partial<Record<ReadVerdict, (isSingle: boolean) => string>>> = {
  found: () => 'found it',
  suspicious: (isSingle) => `${isSingle ? 'calls' : 'call'} it suspicious`,
  'found-no-click': () => 'matched after delivery, no clicks',
  spam: (isSingle) => `${isSingle ? 'calls' : 'call'} it spam`,
  unknown: () => 'gave a verdict Parapet doesn’t recognise',
  clean: () => 'found nothing',
  [NOTHING_FOUND]: () => 'found nothing that decides, which does not make it clean',
};

/** Counts the tools, or the kinds of checks, by verdict, in one sentence. */
function toolParts(stack: Stack, noun: string): LinePart[] {
  const { rows, total, isWhole } = stack;
  const all = rows.length;
  const ofChecks = isOfChecks(stack);
  const every = ofChecks ? plural(all, 'kind of check', 'kinds of checks') : plural(all, 'tool');
  if (all === 0 && !isWhole) return [{ text: 'The results of the tools are missing.', tone: 'caution' }];
  if (all === 0) return [{ text: `No tool has scanned this ${noun}.`, tone: 'caution' }];
  const failed = rows.filter(({ derived }) => derived.error).length;
  const missing = rows.filter(({ derived }) => derived.verdict === 'not-scanned' && !derived.error).length;
  if (missing === all) {
    const silent = ofChecks ? 'It has not been checked' : `None of ${every} has scanned it`;
    return [{ text: `${silent}: this is not a clean result.`, tone: 'caution' }];
  }
  const saying = rows.filter(({ derived }) => derived.verdict === total.verdict).length;
  const words = saying === 0 ? undefined : SAYING[total.verdict]?.(saying === 1);
  const parts: LinePart[] = [];
  // The first part names the total: "9 of 10 tools have no result".
  const of = () => (parts.length === 0 ? ` of ${every}` : '');
  if (words) parts.push({ text: `${exact(saying)}${of()} ${words}`, tone: 'plain' });
  if (failed > 0) parts.push({ text: `${exact(failed)}${of()} could not scan`, tone: 'caution' });
  if (missing > 0)
    parts.push({
      text: `${exact(missing)}${of()} ${form(missing, 'has', 'have')} no result`,
      tone: 'caution',
    });
  if (!isWhole)
    parts.push({
      text: parts.length === 0 ? 'Results of other tools are missing' : 'results of other tools are missing',
      tone: 'caution',
    });
  const isUnknown =
    failed + missing === all || total.verdict === 'not-scanned' || (!isWhole && total.verdict === 'unknown');
  const end = isUnknown ? ': this is not a clean result.' : '.';
  return parts.flatMap((part, index) => [
    part,
    { text: index === parts.length - 1 ? end : ', ', tone: 'plain' as const },
  ]);
}

/** The chip and the tools' verdict, with entity-specific text around it. */
export function stackLine(
  stack: Stack,
  noun: string,
  around: { before?: LinePart[]; after?: LinePart[] },
): VerdictLine {
  const { verdict, rawCode, error } = stack.total;
  const kind = kindWord(stack.total);
  const label = VERDICT_LABELS[verdict];
  return {
    verdict,
    word: kind === null || kind === label.toLowerCase() ? label : `${label}: ${kind}`,
    // The checks’ own code is the verdict’s word.
    code: rawCode === verdict ? null : rawCode,
    error,
    parts: [
      ...(around.before ?? []),
      ...toolParts(stack, noun),
      ...(isOfChecks(stack)
        ? [{ text: ` No security tool has seen this ${noun}.`, tone: 'plain' as const }]
        : []),
      ...(around.after ?? []),
    ],
  };
}
