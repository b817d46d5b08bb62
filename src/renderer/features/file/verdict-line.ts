/** The summary line of a file: the tools' verdict, and who still has access. */
import type { Stack } from '#renderer/entity/stack-rows.ts';
import { HARMFUL, type LinePart, stackLine, type VerdictLine } from '#renderer/entity/verdict-line.ts';
import type { FileProfile } from '#shared/model/entities.ts';
import { plural } from '#shared/model/format.ts';

interface Reach {
  held: boolean;
  /** Number of permission entries, or null if unknown. */
  people: number | null;
}

function reachPart(profile: FileProfile, harmful: boolean, { held, people }: Reach): LinePart | null {
  const shared = harmful ? 'danger' : 'caution';
  if (profile.is_deleted) return { text: ' Deleted: no longer accessible.', tone: 'plain' };
  if (held) return { text: ' In quarantine.', tone: 'plain' };
  if (profile.is_shared_publicly) return { text: ' Anyone with the link can open it.', tone: shared };
  if (profile.is_shared_externally) return { text: ' Shared outside the organisation.', tone: shared };
  if (!harmful) return null;
  const who =
    people === null ? '' : `: ${plural(people, 'permission entry has', 'permission entries have')} access`;
  return { text: ` Not in quarantine${who}.`, tone: 'danger' };
}

/** The chip and the sentence of the profile's header. `profile` is undefined while it is not known. */
export function fileVerdictLine(stack: Stack, profile: FileProfile | undefined, reach: Reach): VerdictLine {
  const last = profile ? reachPart(profile, HARMFUL.includes(stack.total.verdict), reach) : null;
  return stackLine(stack, 'file', { after: last ? [last] : [] });
}
