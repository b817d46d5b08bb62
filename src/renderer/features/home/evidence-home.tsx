import { Button } from '@blueprintjs/core';
import { SearchText } from '@blueprintjs/icons';
import { type JSX, useEffect, useState } from 'react';
import { useCall } from '#renderer/bridge/use-call.ts';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { isActiveJob, useJobs } from '#renderer/state/jobs.ts';
import { openQuery, openScreen } from '#renderer/state/navigation.ts';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { Skeleton } from '#renderer/ui/skeleton.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import type { OutputOf } from '#shared/bridge/operations.ts';
import { exact, formatTile } from '#shared/model/format.ts';
import type { Condition } from '#shared/query/tree.ts';
import { NewestMail } from './newest-mail.tsx';
import { Jobs, RecentQueries, SavedHere } from './side-panels.tsx';

const NEWEST = 30;
const COLUMNS = ['received', 'verdict', 'verdict_code', 'subject', 'from_email', 'saas'];

const payload = (conditions: Condition[], rows: number): ExecutePayload => ({
  query_domain: 'email',
  saas_id: 'all',
  query_entity_type: 'email',
  condition: { operator: 'and', conditions },
  columns: rows > 0 ? COLUMNS : [],
  sort_by: rows > 0 ? [{ dbId: 'received', direction: 'desc' }] : [],
  size: rows,
  include_copies: false,
  count_only: rows === 0,
});
const ALL = { body: payload([], 0) };
const LOUD = {
  body: payload([{ field: 'verdict', operator: 'in_list', values: ['found', 'suspicious'] }], 0),
};
const UNSCANNED = { body: payload([{ field: 'verdict', operator: 'is', values: ['not-scanned'] }], 0) };
const ATTACHED = {
  body: payload([{ field: 'attachments_count', operator: 'greater_than', values: [0] }], 0),
};
const LINKED = { body: payload([{ field: 'links_count', operator: 'greater_than', values: [0] }], 0) };
const LATEST = { body: payload([], NEWEST) };

interface CountTileProps {
  label: string;
  note: string;
  count: number | undefined;
  failed?: boolean;
}

function CountTile({ label, note, count, failed }: CountTileProps): JSX.Element {
  const missing = failed ? <span className="pp-t3">–</span> : <Skeleton width={64} tall />;
  return (
    <div className="pp-tile" data-tile={label}>
      <div className="pp-tile-label">{label}</div>
      <div className="pp-figure" title={count === undefined ? undefined : exact(count)}>
        {count === undefined ? missing : formatTile(count)}
      </div>
      <div className="pp-caption pp-t3 pp-ellipsis">
        {failed && count === undefined ? 'could not be counted' : note}
      </div>
    </div>
  );
}

const counted = (read: Read<'query.execute'>) => ({
  count: read.data?.total_rows,
  failed: read.error !== null,
});

/** How the import went; asked again whenever one ends. */
function useReport(connectionId: string | null, importing: boolean): OutputOf<'evidence.problems'> | null {
  const { run } = useCall('evidence.problems');
  const [report, setReport] = useState<OutputOf<'evidence.problems'> | null>(null);
  useEffect(() => {
    if (connectionId === null || importing) return;
    void run({ connectionId }).then((next) => next && setReport(next));
  }, [connectionId, importing, run]);
  return report;
}

/** Home over mail in hand: what there is and what could not be read, in place of a running day's figures. */
export function EvidenceHome({ name }: { name: string }): JSX.Element {
  const { short } = useBreakpoint();
  const { state } = useConnection();
  const all = useRead('query.execute', ALL);
  const loud = useRead('query.execute', LOUD);
  const attached = useRead('query.execute', ATTACHED);
  const linked = useRead('query.execute', LINKED);
  const latest = useRead('query.execute', LATEST);
  const importing = useJobs().some((job) => job.kind === 'evidence-import' && isActiveJob(job));
  const report = useReport(state.phase === 'starting' ? null : state.connectionId, importing);
  const unscanned = useRead('query.execute', UNSCANNED).data?.total_rows ?? 0;
  return (
    <>
      <PageHeader
        title={name}
        freshness={
          <FreshnessMark freshness={all.freshness} loading={all.loading} error={all.error} prefix="Counted" />
        }
        actions={
          <>
            <Button text="Import report" onClick={() => openScreen('activity')} />
            <Button
              intent="primary"
              icon={<SearchText size={14} />}
              text="Query this mail"
              onClick={() => openQuery()}
            />
          </>
        }
      />
      <div className="pp-home">
        <section className="pp-tiles" aria-label="Figures">
          <CountTile label="Messages" note="read on this machine" {...counted(all)} />
          <CountTile
            label="Found or suspicious"
            note={unscanned > 0 ? `${exact(unscanned)} were not scanned` : 'by what the mail itself says'}
            {...counted(loud)}
          />
          <CountTile label="With attachments" note="hashed, never opened" {...counted(attached)} />
          <CountTile label="With links" note="never followed" {...counted(linked)} />
          <CountTile label="Not imported" note="each with its reason" count={report?.problems.length} />
        </section>
        <div className="pp-home-body">
          <div className="pp-home-main pp-home-one">
            <NewestMail read={latest} rows={NEWEST} importing={importing} />
          </div>
          <div className="pp-home-side">
            <RecentQueries shown={short ? 4 : 6} />
            <Jobs shown={short ? 4 : 6} />
            <SavedHere />
          </div>
        </div>
      </div>
    </>
  );
}
