/** The saved query behind an open tab, which someone else may change meanwhile. */
import { useEffect } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { updateDraft } from '#renderer/state/drafts.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { NewQuery, Query } from '#shared/model/entities.ts';
import { changesBetween } from '#shared/query/import-plan.ts';

const timeOf = ({ updateTime }: NewQuery): number => Date.parse(updateTime ?? '');

/** Whether `current` was saved after `saved` and differs from it. false if either has no time. */
export const isNewerVersion = (saved: NewQuery, current: Query): boolean =>
  timeOf(current) > timeOf(saved) && changesBetween({ ...saved, id: current.id }, current, null).length > 0;

/** A tab without edits shows the newest version of its query. With edits, saving compares the versions. */
export function useNewestVersion({ id, saved, savedId }: Draft, isDirty: boolean): void {
  const { data } = useRead('query.get', savedId === null ? null : { params: { id: savedId } });
  useEffect(() => {
    if (!isDirty && data !== undefined && saved !== null && isNewerVersion(saved, data))
      updateDraft(id, { query: structuredClone(data), saved: structuredClone(data) });
  }, [id, saved, data, isDirty]);
}
