import { Button } from '@blueprintjs/core';
import { Refresh } from '@blueprintjs/icons';
import { type JSX, useContext, useState } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { ageOf } from '#renderer/entity/panel-state.ts';
import { useConnection } from '#renderer/state/connection.ts';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { CountedSpan } from '#renderer/ui/charts/counted-span.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { ToldErrors } from '#renderer/ui/reported-errors.ts';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { AppsTable } from './apps-table.tsx';
import { Detections } from './detections.tsx';
import { EvidenceHome } from './evidence-home.tsx';
import type { Window } from './figures.ts';
import { Findings } from './findings.tsx';
import './home.css';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { CommandButton } from '#renderer/commands/command.tsx';
import { sourceCommands } from '#renderer/commands/window-commands.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { LiveRefresh } from './live.tsx';
import { NewSince } from './new-since.tsx';
import { RecentChanges } from './recent-changes.tsx';
import { Jobs, RecentQueries, SavedHere } from './side-panels.tsx';
import { Tiles } from './tiles.tsx';

/** Home without a connection: the three sources. */
function NoConnection(): JSX.Element {
  const { tenant, folder, demo } = sourceCommands(useBridge());
  return (
    <EmptyState
      title="No connection"
      reason="Connect to a tenant, open a folder of mail, or explore the demo tenant."
      action={
        <>
          <CommandButton command={tenant} isPrimary />
          <CommandButton command={folder} />
          <CommandButton command={demo} />
        </>
      }
    />
  );
}

const WINDOWS: { value: Window; label: string }[] = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
];

/** Errors that mean there are no findings to show, rather than a failure. */
const NO_FINDINGS: ReadonlySet<string> = new Set(['not-implemented', 'not-cached', 'offline']);

/** Statistics, findings, recent queries, jobs, and what is saved; each panel fails by itself. */
function ServiceHome(): JSX.Element {
  const { wide, short } = useBreakpoint();
  const { reach } = useConnection();
  const reportedErrors = useContext(ToldErrors);
  const [window, setWindow] = useState<Window>('24h');
  /** Increases with each refresh, which reloads the latest findings. */
  const [turn, setTurn] = useState(0);
  const statistics = useRead('apps.statistics', { query: { window } });
  const apps = useRead('apps.list', {});
  const findings = useRead('findings.widgets', {});
  const refresh = () => {
    statistics.refresh();
    apps.refresh();
    if (hasFindings) findings.refresh();
    setTurn((before) => before + 1);
  };
  // The panel is hidden if the service does not offer findings or never answered; failures are shown inside it.
  const hasFindings =
    findings.data !== undefined || (findings.error !== null && !NO_FINDINGS.has(findings.error.code));
  return (
    <>
      <PageHeader
        title="Home"
        freshness={<FreshnessMark {...ageOf(statistics)} prefix="Updated" />}
        actions={
          <>
            <Segmented label="Time range" options={WINDOWS} value={window} onChange={setWindow} />
            <LiveRefresh refresh={refresh} paused={reach === 'offline'} />
            <Button
              icon={<Refresh size={14} />}
              text="Refresh"
              disabled={reach === 'offline' || statistics.loading}
              onClick={refresh}
            />
          </>
        }
      />
      <div className="pp-home">
        {statistics.error &&
        statistics.data &&
        reach !== 'offline' &&
        !reportedErrors.has(statistics.error.code) ? (
          <div className="pp-home-error">
            <ErrorBar
              error={statistics.error}
              shownInstead="Showing older figures."
              onRetry={statistics.refresh}
            />
          </div>
        ) : null}
        <CountedSpan statistics={statistics.data} window={window} />
        <Tiles statistics={statistics.data} failed={statistics.error !== null} window={window} />
        <div className={`pp-home-body${hasFindings ? ' pp-home-with-findings' : ''}`}>
          <div className="pp-home-main">
            <Detections read={statistics} window={window} wide={wide || !hasFindings} />
            {hasFindings ? <Findings read={findings} turn={turn} /> : null}
            <AppsTable apps={apps} statistics={statistics} window={window} />
          </div>
          <div className="pp-home-side">
            <NewSince />
            <RecentChanges shown={short ? 3 : 5} />
            <RecentQueries shown={short ? 4 : 6} />
            <Jobs shown={short ? 4 : 6} />
            <SavedHere />
          </div>
        </div>
      </div>
    </>
  );
}

/** Home by connection kind: a service, evidence, or no connection yet. */
export default function HomeScreen(_: ScreenProps<'home'>): JSX.Element {
  const { connection } = useConnection();
  if (connection === null) return <NoConnection />;
  return connection.kind === 'evidence' ? (
    <EvidenceHome key={connection.id} name={connection.name} />
  ) : (
    <ServiceHome />
  );
}
