/** Query files, and files that the service makes of queries: dialogs, then the work in main. */

import { isDraftDirty } from '#renderer/state/drafts.ts';
import { showExported } from '#renderer/state/saving.ts';
import { attempt, showFailure } from '#renderer/state/show-failure.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import type { EventOf, InputOf, OutputOf } from '#shared/bridge/operations.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import { bytes, plural } from '#shared/model/format.ts';
import { connectionId } from './query-send.ts';

export type ImportPlan = OutputOf<'queries.inspect'>;
export type ImportChoices = InputOf<'queries.import'>['choices'];
export type ImportOutcome = OutputOf<'queries.import'>;

/** A name that every file system takes. */
export const fileNameOf = (name: string, extension: string): string =>
  `${
    name
      .replace(/[^\p{L}\p{N} ._-]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, 80) || 'queries'
  }.${extension}`;

export async function exportQueries(queries: readonly { id: string; name: string }[]): Promise<void> {
  const [first] = queries;
  if (!first) return;
  await attempt('Queries not exported', async () => {
    const bridge = windowBridge();
    const name = fileNameOf(queries.length === 1 ? first.name : 'queries', 'json');
    const grant = await bridge.call('dialogs.save', { suggestedName: name, kind: 'json' });
    if (grant === null) return;
    const written = await bridge.call('queries.export', {
      connectionId: connectionId(),
      ids: queries.map(({ id }) => id),
      grantId: grant.grantId,
    });
    showExported(plural(written.count, 'query', 'queries'), written);
  });
}

/** Exports the saved query of a draft; `ask` tells which version that is where the draft differs. */
export function exportDraft(draft: Draft, ask: () => void): void {
  if (draft.savedId === null) return;
  if (isDraftDirty(draft)) ask();
  else void exportQueries([{ id: draft.savedId, name: draft.query.name }]);
}

/** Saved queries read so far, to compare them with those of a file. */
export interface Comparing extends EventOf<'queries.inspect'> {
  cancel(): void;
}

/**
 * Asks for a file, unless it was handed over (`offeredGrant`), and compares its queries with the saved ones; null when
 * cancelled or failed (after a toast). `onComparing` is called repeatedly if that takes many requests, or null if it
 * failed.
 */
export async function inspectQueryFile(
  onComparing: (comparing: Comparing | null) => void,
  offeredGrant?: { grantId: string },
): Promise<ImportPlan | null> {
  const stop = new AbortController();
  const cancel = () => stop.abort();
  try {
    const bridge = windowBridge();
    const grant = offeredGrant ?? (await bridge.call('dialogs.open', { kind: 'query-file' }));
    if (grant === null) return null;
    return await bridge.stream(
      'queries.inspect',
      { connectionId: connectionId(), grantId: grant.grantId },
      (progress) => {
        if (!stop.signal.aborted) onComparing({ ...progress, cancel });
      },
      { signal: stop.signal },
    );
  } catch (error) {
    if (!stop.signal.aborted) onComparing(null);
    showFailure('File not imported', error);
    return null;
  }
}

/** Sends the chosen queries of an inspected file. Rejects with a ParapetError. */
export const importQueries = (importId: string, choices: ImportChoices): Promise<ImportOutcome> =>
  windowBridge().call('queries.import', { connectionId: connectionId(), importId, choices });

/** Formats of the files that the service makes, as far as the save dialog knows them. */
export const SERVICE_FORMATS = [
  { value: 'csv', label: 'CSV' },
  { value: 'json', label: 'JSON' },
  { value: 'xlsx', label: 'XLSX' },
] as const;
export type ServiceFormat = (typeof SERVICE_FORMATS)[number]['value'];

type Written = { name: string; bytes: number };

const saved = (
  suggestedName: string,
  kind: ServiceFormat,
  what: string,
  write: (grantId: string) => Promise<Written>,
): Promise<boolean | null> =>
  attempt(`Not saved: ${what}`, async () => {
    const grant = await windowBridge().call('dialogs.save', { suggestedName, kind });
    if (grant === null) return false;
    const written = await write(grant.grantId);
    showToast({
      intent: 'success',
      title: `Saved ${what}`,
      detail: `${written.name}, ${bytes(written.bytes)}`,
    });
    return true;
  });

/** The results of a saved query as the service makes them, to a file that the analyst chooses. */
export const exportServiceResults = (
  id: string,
  name: string,
  format: ServiceFormat,
): Promise<boolean | null> =>
  saved(fileNameOf(name, format), format, `the results of “${name}”`, (grantId) =>
    windowBridge().call('queries.export-results', { connectionId: connectionId(), id, format, grantId }),
  );

/** The active users of a SaaS as the service lists them, to a file that the analyst chooses. */
export const exportActiveUsers = (
  saas: string,
  label: string,
  format: ServiceFormat,
): Promise<boolean | null> =>
  saved(fileNameOf(`Active users ${label}`, format), format, `the active users of ${label}`, (grantId) =>
    windowBridge().call('queries.export-active-users', {
      connectionId: connectionId(),
      saas,
      format,
      grantId,
    }),
  );
