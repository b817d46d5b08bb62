import type { JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { useFreshCacheStats } from '#renderer/state/app-info.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { isActiveJob, loadJobs, onJobControl, useJobs, useJobsError } from '#renderer/state/jobs.ts';
import { openScreen } from '#renderer/state/navigation.ts';
import { useOfflinePins } from '#renderer/state/offline-pins.ts';
import { openRecent, useRecentQueries } from '#renderer/state/recent.ts';
import { Meter } from '#renderer/ui/charts/sparkbars.tsx';
import { DomainIcon } from '#renderer/ui/domain-icon.tsx';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { JobRow } from '#renderer/ui/job-row.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { useNow } from '#renderer/ui/use-now.ts';
import { bytes, exact, shortAge, visibleText } from '#shared/model/format.ts';

export function RecentQueries({ shown }: { shown: number }): JSX.Element {
  const recent = useRecentQueries();
  const { reach } = useConnection();
  const all = useRead('query.list', { query: {} });
  const count = all.data && !all.error ? exact(all.data.queries.length) : '';
  return (
    <Panel
      title="Recent queries"
      actions={
        <LinkButton className="pp-small" onClick={() => openScreen('queries')}>
          All {count}
        </LinkButton>
      }
      empty={
        recent.length === 0 ? { title: 'No recent queries', reason: 'Queries you run appear here.' } : null
      }
    >
      {recent.slice(0, shown).map((query) => (
        <button
          type="button"
          key={`${query.queryId} ${query.name} ${query.ranAt}`}
          className="pp-panel-row pp-home-recent"
          onClick={() => void openRecent(query)}
        >
          <DomainIcon domain={query.domain} />
          <span className="pp-ellipsis pp-spacer" title={visibleText(query.name)}>
            {visibleText(query.name || 'New query')}
          </span>
          <b>{query.total === null ? '–' : exact(query.total)}</b>
          <FreshnessMark
            freshness={{ fetchedAt: query.ranAt, source: 'cache', offline: reach === 'offline' }}
            short
          />
        </button>
      ))}
    </Panel>
  );
}

export function Jobs({ shown }: { shown: number }): JSX.Element {
  const jobs = useJobs();
  const error = useJobsError();
  const active = jobs.filter(isActiveJob).length;
  return (
    <Panel
      title="Jobs"
      count={active > 0 ? `${exact(active)} active` : ''}
      actions={
        <LinkButton className="pp-small" onClick={() => openScreen('activity')}>
          Activity
        </LinkButton>
      }
      error={error}
      onRetry={() => void loadJobs()}
      empty={
        jobs.length === 0 && error === null
          ? { title: 'No active jobs', reason: 'Exports and imports appear here.' }
          : null
      }
    >
      {jobs.slice(0, shown).map((job) => (
        <JobRow key={job.id} job={job} onControl={onJobControl} />
      ))}
    </Panel>
  );
}

/** The number of profiles saved for offline use, with a link to the list. Evidence is always local and has no list. */
function SavedProfiles(): JSX.Element | null {
  const { connection } = useConnection();
  const kept = useOfflinePins(null);
  if (connection === null || connection.kind === 'evidence') return null;
  return (
    <div>
      <dt>
        <LinkButton onClick={() => openScreen('kept')}>Saved for offline</LinkButton>
      </dt>
      <dd>{kept === null ? 'Unknown' : exact(kept.profiles)}</dd>
    </div>
  );
}

/** Size and age of the data available offline. */
export function SavedHere(): JSX.Element {
  const stats = useFreshCacheStats();
  const now = useNow();
  return (
    <Panel title="Offline data" count={stats ? `${bytes(stats.bytes)} of ${bytes(stats.budgetBytes)}` : ''}>
      {stats ? (
        <div className="pp-home-saved">
          <Meter
            label={`${bytes(stats.bytes)} of ${bytes(stats.budgetBytes)} used`}
            parts={[{ tone: 'accent', value: stats.bytes }]}
            whole={stats.budgetBytes}
          />
          <dl>
            <SavedProfiles />
            <div>
              <dt>Result sets</dt>
              <dd>{exact(stats.resultSets)}</dd>
            </div>
            <div>
              <dt>Cached responses</dt>
              <dd>{exact(stats.answers)}</dd>
            </div>
            <div>
              <dt>Oldest</dt>
              <dd className="pp-t3">{stats.oldestAt === null ? 'No data' : shortAge(stats.oldestAt, now)}</dd>
            </div>
          </dl>
        </div>
      ) : null}
    </Panel>
  );
}
