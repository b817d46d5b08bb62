import { Button } from '@blueprintjs/core';
import type { JSX } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useCall } from '#renderer/bridge/use-call.ts';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { CommandButton } from '#renderer/commands/command.tsx';
import { WINDOW } from '#renderer/commands/window-commands.ts';
import { countOf, LOUD, mailPayload } from '#renderer/entity/mail-payload.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { blankQuery } from '#renderer/state/drafts.ts';
import { isActiveJob, useJobs } from '#renderer/state/jobs.ts';
import { openPivot, openScreen } from '#renderer/state/navigation.ts';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { Skeleton } from '#renderer/ui/skeleton.tsx';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import { whyIncomplete } from '#shared/model/evidence.ts';
import { exact, formatTile } from '#shared/model/format.ts';
import { NOTHING_FOUND } from '#shared/model/verdict.ts';
import { Campaigns } from './campaigns.tsx';
import { Hunts } from './hunts.tsx';
import { NewestMail } from './newest-mail.tsx';
import { Jobs, RecentQueries, SavedHere } from './side-panels.tsx';
import { WorstMail } from './worst-mail.tsx';

const ALL = countOf();
const FLAGGED = { body: mailPayload(LOUD, 0) };
const NOTHING = countOf({ field: 'verdict', operator: 'is', values: [NOTHING_FOUND] });
const UNSCANNED = countOf({ field: 'verdict', operator: 'is', values: ['not-scanned'] });
const ATTACHED = countOf({ field: 'attachments_count', operator: 'greater_than', values: [0] });
const LINKED = countOf({ field: 'links_count', operator: 'greater_than', values: [0] });

interface CountTileProps {
  label: string;
  note: string;
  count: number | undefined;
  failed?: boolean;
  /** What a press of the figure does, for its label: "Open as query". */
  opens: string;
  onOpen: () => void;
}

function CountTile({ label, note, count, failed, opens, onOpen }: CountTileProps): JSX.Element {
  const missing = failed ? <span className="pp-t3">–</span> : <Skeleton width={64} tall />;
  return (
    <div className="pp-tile" data-tile={label}>
      <div className="pp-tile-label">{label}</div>
      {count === undefined ? (
        <div className="pp-figure">{missing}</div>
      ) : (
        <button
          type="button"
          className="pp-figure pp-figure-link"
          title={exact(count)}
          aria-label={`${label}: ${exact(count)}. ${opens}`}
          onClick={onOpen}
        >
          {formatTile(count)}
        </button>
      )}
      <div className="pp-caption pp-t3 pp-ellipsis">
        {failed && count === undefined ? 'Count unavailable' : note}
      </div>
    </div>
  );
}

const NOT_KNOWN = 'It is unknown whether all of the evidence was read.';

interface QueryTileProps {
  label: string;
  note: string;
  read: Read<'query.execute'>;
  query: { body: ExecutePayload };
}

function QueryTile({ label, note, read, query }: QueryTileProps): JSX.Element {
  return (
    <CountTile
      label={label}
      note={note}
      count={read.data?.total_rows}
      failed={read.error !== null}
      opens="Open as query"
      onOpen={() => openPivot({ ...blankQuery('email'), name: label, filter: query.body.condition })}
    />
  );
}

/** What became of the emails that are not flagged, as far as counted; nothing found is not clean. */
function othersNote(
  total: number | undefined,
  flagged: number | undefined,
  nothing: number | undefined,
  unscanned: number | undefined,
): string {
  if (nothing === undefined) return 'by the checks of each email';
  const others = (total ?? 0) - (flagged ?? 0) - nothing - (unscanned ?? 0);
  const isCounted = total !== undefined && flagged !== undefined && unscanned !== undefined;
  return [
    `${exact(nothing)} with nothing found`,
    ...(unscanned ? [`${exact(unscanned)} not scanned`] : []),
    // Spam, or a verdict that is not recognised.
    ...(isCounted && others > 0 ? [`${exact(others)} other`] : []),
  ].join(', ');
}

/** Home of an evidence connection: the worst emails, hunts, counts of imported mail and of import problems. */
export function EvidenceHome({ name }: { name: string }): JSX.Element {
  const { short } = useBreakpoint();
  const { state } = useConnection();
  const all = useRead('query.execute', ALL);
  const flagged = useRead('query.execute', FLAGGED);
  const attached = useRead('query.execute', ATTACHED);
  const linked = useRead('query.execute', LINKED);
  const importing = useJobs().some((job) => job.kind === 'evidence-import' && isActiveJob(job));
  const { run: look, pending: looking } = useCall('evidence.read');
  const bridge = useBridge();
  const connectionId = state.phase === 'starting' ? null : state.connectionId;
  // Both are asked again whenever an import ends.
  const question = connectionId === null || importing ? null : { connectionId };
  const { last: report } = useAnswer(question, (signal) =>
    bridge.call('evidence.problems', { connectionId: connectionId ?? '' }, { signal }),
  );
  const { last, error } = useAnswer(question, (signal) =>
    bridge.call('evidence.state', { connectionId: connectionId ?? '' }, { signal }),
  );
  const incomplete = last?.state && error === null ? whyIncomplete(last.state) : NOT_KNOWN;
  const unscanned = useRead('query.execute', UNSCANNED).data?.total_rows;
  const nothing = useRead('query.execute', NOTHING).data?.total_rows;
  const isPartial = importing || incomplete !== null;
  const hasMail = all.data?.total_rows !== 0;
  return (
    <>
      <PageHeader
        title={name}
        freshness={
          <FreshnessMark freshness={all.freshness} loading={all.loading} error={all.error} prefix="Counted" />
        }
        actions={
          <>
            <Button
              text="Read again"
              title="Reads what is new, changed or not read yet"
              disabled={importing || looking || state.connectionId === null}
              onClick={() => state.connectionId !== null && void look({ connectionId: state.connectionId })}
            />
            <Button text="Import report" onClick={() => openScreen('activity')} />
            <CommandButton command={WINDOW.newQuery} isPrimary />
          </>
        }
      />
      <div className="pp-home">
        <section className="pp-tiles" aria-label="Key figures">
          <QueryTile label="Emails" note="imported on this machine" read={all} query={ALL} />
          <QueryTile
            label="Found or suspicious"
            note={othersNote(all.data?.total_rows, flagged.data?.total_rows, nothing, unscanned)}
            read={flagged}
            query={FLAGGED}
          />
          <QueryTile label="With attachments" note="hashed, never opened" read={attached} query={ATTACHED} />
          <QueryTile label="With links" note="never followed" read={linked} query={LINKED} />
          <CountTile
            label="Import problems"
            note="in the import report"
            count={report?.problems.length}
            opens="Open the import report"
            onOpen={() => openScreen('activity')}
          />
        </section>
        <div className="pp-home-body">
          <div className="pp-home-main pp-home-one">
            {hasMail ? (
              <WorstMail total={all.data?.total_rows} importing={importing} incomplete={incomplete} />
            ) : null}
            {hasMail ? <Campaigns isPartial={isPartial} /> : null}
            <NewestMail importing={importing} incomplete={incomplete} />
          </div>
          <div className="pp-home-side">
            {hasMail ? <Hunts isPartial={isPartial} /> : null}
            <RecentQueries shown={short ? 4 : 6} />
            <Jobs shown={short ? 4 : 6} />
            <SavedHere />
          </div>
        </div>
      </div>
    </>
  );
}
