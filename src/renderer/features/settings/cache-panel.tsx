import { Button } from '@blueprintjs/core';
import { type JSX, useCallback, useEffect, useRef, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useCall } from '#renderer/bridge/use-call.ts';
import { loadCacheStats, useAppInfo, useFreshCacheStats } from '#renderer/state/app-info.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { ConfirmDialog } from '#renderer/ui/dialog.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { bytes, plural } from '#shared/model/format.ts';
import { budgetReason } from '#shared/model/policy.ts';
import { CacheBudget } from './cache-budget.tsx';
import { type CacheContents, type CachedResult, CacheList } from './cache-list.tsx';

type Question =
  | { act: 'wipe'; connectionId: string | null; what: string }
  | { act: 'remove'; result: CachedResult };

/** The cache contents, reloaded when its size changes. */
function useContents(stamp: string) {
  const bridge = useBridge();
  const [contents, setContents] = useState<CacheContents | null>(null);
  const load = useCallback(() => {
    bridge.call('cache.list', {}).then(setContents, () => undefined);
  }, [bridge]);
  const lastStamp = useRef('');
  useEffect(() => {
    if (lastStamp.current === stamp) return;
    lastStamp.current = stamp;
    load();
  }, [load, stamp]);
  return { contents, load };
}

function ConfirmRemoval(props: {
  question: Question;
  onCancel: () => void;
  onConfirm: () => void;
}): JSX.Element {
  const { question, onCancel, onConfirm } = props;
  return (
    <ConfirmDialog
      size="narrow"
      title={question.act === 'wipe' ? 'Wipe cached data' : 'Remove saved results'}
      onClose={onCancel}
      onConfirm={onConfirm}
      confirm={{
        intent: 'danger',
        text: question.act === 'wipe' ? 'Wipe' : `Remove ${plural(question.result.rows, 'row')}`,
      }}
    >
      <p className="pp-flat">
        {question.act === 'wipe'
          ? `${question.what} will no longer be available offline and is erased from disk. Connections, drafts, layouts and credentials stay.`
          : `The rows of “${question.result.label ?? 'this query'}” will no longer be available offline or for comparison. The query itself stays.`}{' '}
        Nothing changes on the service.
      </p>
    </ConfirmDialog>
  );
}

export function CachePanel(): JSX.Element {
  const { connection, connections } = useConnection();
  const stats = useFreshCacheStats();
  const { contents, load } = useContents(`${stats?.bytes} ${stats?.resultSets} ${stats?.answers}`);
  const wipe = useCall('cache.wipe');
  const evict = useCall('cache.evict');
  const pin = useCall('cache.pin');
  const budget = useCall('cache.budget');
  const managed = useAppInfo()?.managed ?? null;
  const managedBudget = managed !== null && managed.cacheBudgetBytes !== null ? budgetReason(managed) : null;
  const [question, setQuestion] = useState<Question | null>(null);
  const changed = () => {
    load();
    void loadCacheStats();
  };
  const confirm = async () => {
    if (question === null) return;
    setQuestion(null);
    if (question.act === 'wipe') {
      if ((await wipe.run({ connectionId: question.connectionId })) === null) return;
      showToast({ intent: 'success', title: `${question.what} removed from this machine` });
    } else {
      const freed = await evict.run({ resultId: question.result.resultId });
      if (freed === null) return;
      showToast({ intent: 'success', title: `Removed; ${bytes(freed.freedBytes)} freed` });
    }
    changed();
  };
  const onPin = async ({ resultId, pinned }: CachedResult) => {
    await pin.run({ resultId, pinned: !pinned });
    load();
  };
  const onBudget = async (size: number) => {
    if ((await budget.run({ bytes: size })) !== null) changed();
  };
  return (
    <Panel
      title="Offline data"
      count={stats ? plural(stats.resultSets, 'result set') : undefined}
      error={wipe.error ?? evict.error ?? pin.error ?? budget.error}
      actions={
        <>
          {connection ? (
            <Button
              size="small"
              text="Wipe this connection"
              onClick={() =>
                setQuestion({
                  act: 'wipe',
                  connectionId: connection.id,
                  what: `Cached data of ${connection.name}`,
                })
              }
            />
          ) : null}
          <Button
            size="small"
            text="Wipe all"
            onClick={() => setQuestion({ act: 'wipe', connectionId: null, what: 'All cached data' })}
          />
        </>
      }
    >
      {stats ? (
        <>
          <CacheBudget
            used={stats.bytes}
            budget={stats.budgetBytes}
            pending={budget.pending}
            managed={managedBudget}
            onApply={(budget) => void onBudget(budget)}
          />
          {contents && contents.results.length + contents.answers.length > 0 ? (
            <CacheList
              contents={contents}
              connections={connections}
              onPin={(result) => void onPin(result)}
              onRemove={(result) => setQuestion({ act: 'remove', result })}
            />
          ) : (
            <p className="pp-setting-note">No cached data.</p>
          )}
        </>
      ) : null}
      {question ? (
        <ConfirmRemoval
          question={question}
          onCancel={() => setQuestion(null)}
          onConfirm={() => void confirm()}
        />
      ) : null}
    </Panel>
  );
}
