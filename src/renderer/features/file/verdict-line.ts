/** The one line that says what a file is: derived from the tools' answers, and who can still reach it. */
import type { Stack } from '#renderer/entity/stack-rows.ts';
import type { FileProfile } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import {
  parseVerdictCode,
  type ReadVerdict,
  VERDICT_CODE_LABELS,
  VERDICT_LABELS,
} from '#shared/model/verdict.ts';

export interface LinePart {
  text: string;
  /** caution: something is not known. danger: it is in reach of somebody who should not have it. */
  tone: 'plain' | 'caution' | 'danger';
}

export interface VerdictLine {
  verdict: ReadVerdict;
  /** The words in the chip, e.g. "Found: malware". */
  word: string;
  code: string | null;
  error: boolean;
  parts: LinePart[];
}

const SAYING: Readonly<Partial<Record<ReadVerdict, (one: boolean) => string>>> = {
  found: () => 'found it',
  suspicious: (one) => `${one ? 'is' : 'are'} suspicious of it`,
  'found-no-click': () => 'matched, nobody clicked',
  spam: (one) => `${one ? 'calls' : 'call'} it spam`,
  unknown: () => 'answered with a word Parapet does not know',
  clean: () => 'found nothing',
};

function toolParts({ rows, total }: Stack): LinePart[] {
  const all = rows.length;
  if (all === 0) return [{ text: 'No tool has looked at this file.', tone: 'caution' }];
  const of = (count: number) => `${exact(count)} of ${exact(all)} ${all === 1 ? 'tool' : 'tools'}`;
  const failed = rows.filter(({ derived }) => derived.error).length;
  const missing = rows.filter(({ derived }) => derived.verdict === 'not-scanned' && !derived.error).length;
  if (failed + missing === all)
    return [{ text: `${of(0)} could say anything: that is not a clean result.`, tone: 'caution' }];
  const parts: LinePart[] = [];
  const saying = rows.filter(({ derived }) => derived.verdict === total.verdict).length;
  const words = SAYING[total.verdict]?.(saying === 1);
  if (words) parts.push({ text: `${of(saying)} ${words}.`, tone: 'plain' });
  if (failed > 0) parts.push({ text: `${exact(failed)} could not scan.`, tone: 'caution' });
  if (missing > 0)
    parts.push({ text: `${exact(missing)} ${missing === 1 ? 'has' : 'have'} no result.`, tone: 'caution' });
  return parts;
}

const HARMFUL: readonly ReadVerdict[] = ['found', 'suspicious', 'found-no-click'];

interface Reach {
  held: boolean;
  /** Entries of its list of permissions; null: not known. */
  people: number | null;
}

function reachPart(profile: FileProfile, harmful: boolean, { held, people }: Reach): LinePart | null {
  if (profile.is_deleted) return { text: 'It is deleted: nobody can open it any more.', tone: 'plain' };
  if (held) return { text: 'It is in quarantine.', tone: 'plain' };
  if (profile.is_shared_publicly)
    return { text: 'Anyone with the link can open it.', tone: harmful ? 'danger' : 'caution' };
  if (profile.is_shared_externally)
    return {
      text: 'It is shared outside of the organisation.',
      tone: harmful ? 'danger' : 'caution',
    };
  if (!harmful) return null;
  return {
    text:
      people === null
        ? 'It is not in quarantine.'
        : `It is not in quarantine: ${exact(people)} ${people === 1 ? 'entry' : 'entries'} can reach it.`,
    tone: 'danger',
  };
}

/** The chip and the sentence of the profile's header. `profile` undefined: not known (yet). */
export function fileVerdictLine(stack: Stack, profile: FileProfile | undefined, reach: Reach): VerdictLine {
  const { verdict, rawCode, error } = stack.total;
  const known = parseVerdictCode(rawCode);
  const kind =
    known === null || known === 'clean' || known === 'error' || (verdict !== 'found' && verdict !== 'spam')
      ? null
      : VERDICT_CODE_LABELS[known].replace(/, high confidence$/, '');
  const label = VERDICT_LABELS[verdict];
  const last = profile ? reachPart(profile, HARMFUL.includes(verdict), reach) : null;
  return {
    verdict,
    word: kind === null || kind === label.toLowerCase() ? label : `${label}: ${kind}`,
    code: rawCode,
    error,
    parts: [...toolParts(stack), ...(last ? [last] : [])],
  };
}
