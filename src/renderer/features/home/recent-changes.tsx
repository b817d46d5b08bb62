import type { JSX } from 'react';
import { useConnection } from '#renderer/state/connection.ts';
import { isActiveJob, useJobs } from '#renderer/state/jobs.ts';
import { journalSentence, OUTCOME_LABELS, OUTCOME_LOOKS } from '#renderer/state/journal-words.ts';
import { openScreen } from '#renderer/state/navigation.ts';
import { useTab } from '#renderer/state/tab-context.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import { useNow } from '#renderer/ui/use-now.ts';
import { shortAge } from '#shared/model/format.ts';

/** The latest journal entries, reloaded when Home comes to the front and when an action progresses. */
function useLastChanges(most: number) {
  const { connection } = useConnection();
  const { isShown } = useTab();
  const connectionId = connection?.id ?? null;
  const actions = useJobs().filter(({ kind }) => kind === 'action');
  const moved = `${actions.length} ${actions.filter(isActiveJob).length}`;
  const { last, error, again } = useAnswer(
    isShown && connectionId !== null ? [connectionId, moved, most] : null,
    async (signal) => {
      const { entries } = await windowBridge().call(
        'journal.list',
        { connectionId, limit: most },
        { signal },
      );
      return { connectionId, entries };
    },
  );
  return { entries: last?.connectionId === connectionId ? last.entries : null, error, retry: again };
}

export function RecentChanges({ shown }: { shown: number }): JSX.Element {
  const now = useNow();
  const { entries, error, retry } = useLastChanges(shown);
  return (
    <Panel
      title="Recent changes"
      error={error}
      onRetry={retry}
      actions={
        <LinkButton className="pp-small" onClick={() => openScreen('activity')}>
          Journal
        </LinkButton>
      }
      empty={
        entries?.length === 0 && !error
          ? { title: 'No changes yet', reason: 'Actions sent to the service appear here.' }
          : null
      }
    >
      {entries?.length
        ? entries.map((entry) => {
            const words = journalSentence(entry);
            const outcome = OUTCOME_LABELS[entry.outcome];
            return (
              <button
                type="button"
                key={entry.id}
                className="pp-panel-row pp-home-recent"
                title={`${words}\n${outcome}${entry.message ? `: ${entry.message}` : ''}`}
                onClick={() => openScreen('activity')}
              >
                <span className="pp-ellipsis pp-spacer">{words}</span>
                {entry.outcome === 'done' ? null : (
                  <span className={`pp-small ${OUTCOME_LOOKS[entry.outcome]}`}>
                    {entry.outcome === 'unknown' ? 'Unknown' : outcome}
                  </span>
                )}
                <span className="pp-t3 pp-small pp-num">{shortAge(entry.at, now)}</span>
              </button>
            );
          })
        : null}
    </Panel>
  );
}
