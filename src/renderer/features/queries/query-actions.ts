/** What is done to saved queries: save, delete, export, import. Each says how it went in a toast. */

import { currentConnection } from '#renderer/state/connection.ts';
import { createDraft, currentDraft, updateDraft } from '#renderer/state/drafts.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import type { AnswerOf, WriteEndpoint } from '#shared/api/catalogue.ts';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { OutputOf } from '#shared/bridge/operations.ts';
import type { NewQuery, Query } from '#shared/model/entities.ts';
import { bytes, exact } from '#shared/model/format.ts';

const connectionId = (): string => {
  const connection = currentConnection();
  if (!connection) throw new ParapetError('no-connection', 'No connection is open.');
  return connection.id;
};

async function send<N extends WriteEndpoint>(
  endpoint: N,
  request: { params?: Record<string, unknown>; body?: unknown },
): Promise<AnswerOf<N>> {
  const { data } = await windowBridge().call('service.send', {
    connectionId: connectionId(),
    endpoint,
    ...request,
  });
  return data as AnswerOf<N>;
}

const failed = (title: string, error: unknown) => {
  const { code, message } = toBridgeError(error);
  if (code !== 'cancelled') showToast({ intent: 'error', title, detail: message });
};

/** Saves a draft: over the query it came from, or as a new one. Answers whether it was saved. */
export async function saveDraft(draftId: string): Promise<boolean> {
  const draft = currentDraft(draftId);
  if (!draft) return false;
  const name = draft.query.name.trim();
  if (name === '') {
    showToast({ intent: 'caution', title: 'Give the query a name first' });
    return false;
  }
  const body: NewQuery = { ...draft.query, name };
  try {
    const saved =
      draft.savedId === null
        ? await send('query.save', { body: { ...body, id: undefined } })
        : await send('query.update', { params: { id: draft.savedId }, body: { ...body, id: draft.savedId } });
    updateDraft(draftId, { query: saved, savedId: saved.id, saved: structuredClone(saved) });
    showToast({ intent: 'success', title: `Saved “${saved.name}”` });
    return true;
  } catch (error) {
    failed('The query was not saved', error);
    return false;
  }
}

/** Opens a copy of a draft as a new, unsaved query. */
export function saveAs(draftId: string): void {
  const draft = currentDraft(draftId);
  if (!draft) return;
  const copy = createDraft({ ...draft.query, name: `${draft.query.name || 'Query'} (copy)` }, { copy: true });
  openQuery(copy);
}

export const duplicateQuery = (query: Query): string =>
  openQuery({ ...query, name: `${query.name} (copy)` }, { copy: true });

/** Back to what is saved, or to nothing for a new query; what was there can be undone. */
export const revertedQuery = (draftId: string): NewQuery | null => {
  const saved = currentDraft(draftId)?.saved;
  return saved ? structuredClone(saved) : null;
};

/** Deletes saved queries; the toast's Undo saves them again, under new ids. */
export async function deleteQueries(queries: readonly Query[]): Promise<void> {
  const gone: Query[] = [];
  try {
    for (const query of queries) {
      await send('query.delete', { params: { id: query.id } });
      gone.push(query);
    }
  } catch (error) {
    failed(`Deleted ${gone.length} of ${queries.length} queries`, error);
  }
  if (gone.length === 0) return;
  showToast({
    intent: 'success',
    title: gone.length === 1 ? `Deleted “${gone[0]?.name ?? ''}”` : `Deleted ${exact(gone.length)} queries`,
    action: { label: 'Undo', run: () => void restoreQueries(gone) },
  });
}

async function restoreQueries(queries: readonly Query[]): Promise<void> {
  try {
    for (const { id: _, ...query } of queries) await send('query.save', { body: query });
    showToast({ intent: 'success', title: 'Saved again', detail: 'The service gave new ids.' });
  } catch (error) {
    failed('Not everything was saved again', error);
  }
}

/** Asks where to, and writes saved queries to a file. */
export async function exportQueries(ids: readonly string[], name: string): Promise<void> {
  if (ids.length === 0) return;
  try {
    const bridge = windowBridge();
    const grant = await bridge.call('dialogs.save', { suggestedName: name, kind: 'json' });
    if (grant === null) return;
    const written = await bridge.call('queries.export', {
      connectionId: connectionId(),
      ids: [...ids],
      grantId: grant.grantId,
    });
    showToast({
      intent: 'success',
      title: `Exported ${exact(written.count)} ${written.count === 1 ? 'query' : 'queries'}`,
      detail: `${written.name}, ${bytes(written.bytes)}`,
    });
  } catch (error) {
    failed('The queries were not exported', error);
  }
}

/** Asks for a file and imports its queries; null when cancelled or failed (a toast said so). */
export async function importQueries(): Promise<OutputOf<'queries.import'> | null> {
  try {
    const bridge = windowBridge();
    const grant = await bridge.call('dialogs.open', { kind: 'query-file' });
    if (grant === null) return null;
    return await bridge.call('queries.import', { connectionId: connectionId(), grantId: grant.grantId });
  } catch (error) {
    failed('The file was not imported', error);
    return null;
  }
}

/** A name that every file system takes. */
export const fileNameOf = (name: string, extension: string): string =>
  `${
    name
      .replace(/[^\p{L}\p{N} ._-]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, 80) || 'queries'
  }.${extension}`;
