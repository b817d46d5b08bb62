import { useCallback, useEffect, useRef, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { whileWaiting } from '#renderer/bridge/read-store.ts';
import { currentDraft, isDraftDirty, updateDraft } from '#renderer/state/drafts.ts';
import { currentRecent, recordRecent } from '#renderer/state/recent.ts';
import { putResultSet, useResultSet } from '#renderer/state/results.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { type BridgeError, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { InputOf, ResultSet } from '#shared/bridge/operations.ts';
import type { Draft, GridLayout } from '#shared/bridge/workspace.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import { negationRefusal } from '#shared/query/validate.ts';
import { NEW_QUERY } from '../labels.ts';
import {
  isServiceSort,
  questionOf,
  resultColumns,
  runPayload,
  shownQuery,
  sortOf,
  takenBy,
  wantedColumns,
} from '../query-run.ts';
import { afterFirstRows, askFirstRows } from './first-rows.ts';

export type FillAction = InputOf<'results.fill'>['action'];

export interface Run {
  result: ResultSet | null;
  running: boolean;
  error: BridgeError | null;
  /** Never run, or the result is no longer on this machine. */
  idle: boolean;
  /** What the visible rows were asked for (`questionOf`), or null if unknown. */
  asked: number | null;
  /** `refresh` bypasses the cache. */
  run: (options?: { refresh?: boolean; layout?: GridLayout | null }) => Promise<void>;
  /** Stops waiting for a run that has not been answered. */
  stop: () => void;
  /** Resumes, pauses or stops fetching; without a `pageSize` it is automatic. */
  fill: (action: FillAction, pageSize?: number | null) => Promise<void>;
}

const RUNS_KEPT = 8;
const NO_ANSWER: readonly string[] = ['offline', 'not-cached'];

/** Adds the run to the recent queries with its predecessors. A cached answer counts as the run it came from. */
function record({ savedId, query }: Draft, { id, total, freshness }: ResultSet): void {
  const name = query.name || NEW_QUERY;
  const ranAt = freshness.fetchedAt ?? Date.now();
  const before = currentRecent().find((entry) =>
    savedId === null ? entry.queryId === null && entry.name === name : entry.queryId === savedId,
  );
  const runs = [{ ranAt, total }, ...(before?.runs ?? []).filter((run) => run.ranAt !== ranAt)];
  recordRecent({
    queryId: savedId,
    name,
    domain: query.domain,
    total,
    ranAt,
    resultId: id,
    runs: runs.slice(0, RUNS_KEPT),
  });
}

/** Result of the last run of an unedited saved query, or null if there is none on this machine. */
async function earlierRun(bridge: Bridge, draft: Draft): Promise<ResultSet | null> {
  if (draft.savedId === null || draft.resultId || isDraftDirty(draft)) return null;
  const resultId = currentRecent().find(({ queryId }) => queryId === draft.savedId)?.resultId ?? null;
  return resultId === null ? null : bridge.call('results.get', { resultId }).catch(() => null);
}

/** Runs a draft and follows its result set; a newer run cancels the one before. */
export function useRun(draft: Draft, config: QueryConfig | undefined, layout: GridLayout | null): Run {
  const bridge = useBridge();
  const { id, connectionId, resultId } = draft;
  const result = useResultSet(resultId ?? null);
  const [state, setState] = useState<{ running: boolean; error: BridgeError | null }>({
    running: false,
    error: null,
  });
  const [gone, setGone] = useState<string | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  // A result of an earlier window: the main process may still have it.
  useEffect(() => {
    if (!resultId || result !== null) return undefined;
    const abort = new AbortController();
    bridge.call('results.get', { resultId }, { signal: abort.signal }).then(
      (set) => (set ? putResultSet(set) : setGone(resultId)),
      (error: unknown) => {
        if (toBridgeError(error).code !== 'cancelled') setGone(resultId);
      },
    );
    return () => abort.abort();
  }, [bridge, resultId, result]);

  const run = useCallback<Run['run']>(
    async (options = {}) => {
      const now = currentDraft(id);
      if (!now || !config) return;
      controller.current?.abort();
      const mine = new AbortController();
      controller.current = mine;
      const used = options.layout === undefined ? layout : options.layout;
      const query = shownQuery(now);
      const columns = wantedColumns(query, config, used);
      // The service cannot sort by this, so sorting happens on this machine.
      const serviceLayout = used?.sort && !isServiceSort(used.sort, config) ? null : used;
      const payload = runPayload(now, columns, sortOf(now.query, config, serviceLayout));
      const label = now.query.name || NEW_QUERY;
      setState({ running: true, error: null });
      try {
        // A report's own condition is edited elsewhere, so the builder has not refused it.
        const refusal = negationRefusal(query.filter ?? emptyGroup(), config);
        if (refusal !== null) throw new ParapetError('invalid-input', `${refusal}.`);
        const opened = await whileWaiting(
          bridge.call(
            'results.open',
            {
              connectionId,
              payload,
              columns: resultColumns(columns, config, query),
              refresh: options.refresh ?? false,
              label: label.slice(0, 300),
            },
            { signal: mine.signal },
          ),
        );
        // Set before the rows are requested, because events that arrive meanwhile are newer.
        putResultSet(opened);
        await askFirstRows(bridge, opened);
        if (mine.signal.aborted) return;
        updateDraft(id, { resultId: opened.id, asked: questionOf(payload), ran: takenBy(now) });
        setState({ running: false, error: null });
        void afterFirstRows(opened.id).then(() => record(now, opened));
      } catch (reason) {
        const error = toBridgeError(reason);
        if (controller.current !== mine) return;
        // Offline, the previous run is shown even with another sort or other columns.
        const earlier = NO_ANSWER.includes(error.code) ? await earlierRun(bridge, now) : null;
        if (earlier !== null && controller.current === mine) {
          putResultSet(earlier);
          updateDraft(id, { resultId: earlier.id, asked: null, ran: takenBy(now) });
          setState({ running: false, error: null });
          return;
        }
        setState({ running: false, error: error.code === 'cancelled' ? null : error });
      }
    },
    [bridge, config, connectionId, id, layout],
  );

  const stop = useCallback(() => {
    controller.current?.abort();
    controller.current = null;
    setState({ running: false, error: null });
  }, []);

  const fill = useCallback<Run['fill']>(
    async (action, pageSize) => {
      if (!result) return;
      await bridge
        .call('results.fill', {
          resultId: result.id,
          action,
          ...(pageSize === undefined ? {} : { pageSize }),
        })
        .then(putResultSet, (reason: unknown) => setState({ running: false, error: toBridgeError(reason) }));
    },
    [bridge, result],
  );
  const idle = !resultId || (result === null && gone === resultId);
  return { result, ...state, idle, asked: draft.asked ?? null, run, stop, fill };
}
