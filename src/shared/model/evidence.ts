/** How much of a folder or file of mail has been read, and what to say about it. */
import { exact, plural } from './format.ts';

export interface EvidenceState {
  /** reading: in progress. read: completed. cancelled, failed: not completed. */
  phase: 'reading' | 'read' | 'cancelled' | 'failed';
  files: number;
  /** Mail files found, or null if not fully counted. */
  totalFiles: number | null;
  /** Files and folders that could not be read completely. */
  unreadable: number;
  /** Emails and sign-ins known from an earlier reading. */
  known: number;
  /** Of these, no longer in the evidence; kept until the analyst decides. */
  gone: number;
  /** Of these, in locations that are currently inaccessible. */
  unreachable: number;
  reason: string | null;
}

const filesRead = ({ files, totalFiles }: EvidenceState): string =>
  totalFiles === null
    ? 'its files were still being counted'
    : `${exact(files)} of ${plural(totalFiles, 'file', 'files')} read`;

const records = (count: number) => plural(count, 'email or login', 'emails and logins');

/** Why what is shown of this evidence is incomplete, or null if it is complete. */
export function whyIncomplete(state: EvidenceState): string | null {
  switch (state.phase) {
    case 'reading':
      return `The evidence is still being read: ${filesRead(state)}.`;
    case 'cancelled':
      return `Reading the evidence was cancelled: ${filesRead(state)}.`;
    case 'failed':
      return [
        state.totalFiles === null
          ? 'The evidence could not be read.'
          : `The evidence could not be read: ${filesRead(state)}.`,
        ...(state.reason === null ? [] : [state.reason]),
        ...(state.known === 0 ? [] : ['What was read earlier is shown.']),
      ].join(' ');
    case 'read': {
      const parts: string[] = [];
      if (state.unreadable > 0)
        parts.push(
          `${plural(state.unreadable, 'file or folder', 'files and folders')} of the evidence could not be read; Activity lists them.`,
        );
      if (state.unreachable > 0)
        parts.push(
          `${records(state.unreachable)} read earlier can’t be checked: their files are not reachable.`,
        );
      if (state.gone > 0)
        parts.push(
          `${exact(state.gone)} of ${records(state.known)} read earlier are no longer in the evidence; they are shown until you decide.`,
        );
      return parts.length === 0 ? null : parts.join(' ');
    }
  }
}

/** What a reading of the evidence found, for its job. If it `verifies`, each email was compared by its hash. */
export function readWords(
  { imported, unchanged, removed }: { imported: number; unchanged: number; removed: number },
  verifies: boolean,
): string {
  if (imported === 0 && removed === 0)
    return verifies
      ? `${plural(unchanged, 'email')} verified by SHA-256, none changed`
      : `Nothing new, ${plural(unchanged, 'email')} known`;
  return [
    ...(imported > 0 ? [`${plural(imported, 'email')} ${verifies ? 'new or changed' : 'read'}`] : []),
    ...(removed > 0 ? [`${exact(removed)} no longer there`] : []),
    ...(unchanged > 0 ? [`${exact(unchanged)} ${verifies ? 'unchanged' : 'known'}`] : []),
  ].join(', ');
}
