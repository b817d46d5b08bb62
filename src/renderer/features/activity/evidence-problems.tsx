import type { JSX } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useConnection } from '#renderer/state/connection.ts';
import { useJobs } from '#renderer/state/jobs.ts';
import { scrollStop } from '#renderer/ui/grid/scroll-stop.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import type { OutputOf } from '#shared/bridge/operations.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';

type Report = OutputOf<'evidence.problems'>;
/** A longer list would not be read; the count above states the total. */
const SHOWN = 1000;

function placeOf({ file, offset }: Report['problems'][number]): string {
  return offset === null ? visibleText(file) : `${visibleText(file)} at byte ${exact(offset)}`;
}

function wordsOf({ imported, problems, notMail }: Report): string {
  const read = `${plural(imported, 'message', 'messages')} read, ${plural(problems.length, 'problem', 'problems')}`;
  return notMail === 0
    ? read
    : `${read}, of which ${plural(notMail, 'is a file', 'are files')} that ${notMail === 1 ? 'is' : 'are'} not mail`;
}

function List({ report }: { report: Report }): JSX.Element {
  return (
    <div ref={scrollStop} className="pp-evidence-problems">
      {report.problems.slice(0, SHOWN).map((problem) => (
        <div key={`${problem.file} ${problem.offset}`} className="pp-panel-row pp-evidence-problem">
          <span className="pp-mono pp-ellipsis" title={placeOf(problem)}>
            {placeOf(problem)}
          </span>
          <span className="pp-t2">{visibleText(problem.reason)}</span>
        </div>
      ))}
      {report.problems.length > SHOWN ? (
        <div className="pp-panel-row pp-t3">and {exact(report.problems.length - SHOWN)} more</div>
      ) : null}
    </div>
  );
}

/** Files of the current evidence that could not be read, each with its reason; nothing for other connections. */
export function EvidenceProblems(): JSX.Element | null {
  const { connection, reach } = useConnection();
  const bridge = useBridge();
  const connectionId = connection?.kind === 'evidence' ? connection.id : null;
  const imports = useJobs().filter(({ kind }) => kind === 'evidence-import');
  const ended = imports.filter(({ endedAt }) => endedAt !== null).length;
  const ready = connectionId !== null && reach !== 'starting';
  // A finished import creates a new report.
  const {
    last: report,
    error,
    isAsking,
    again,
  } = useAnswer(ready ? [connectionId, ended] : null, (signal) =>
    bridge.call('evidence.problems', { connectionId: connectionId ?? '' }, { signal }),
  );
  if (connectionId === null) return null;
  const words = report ? wordsOf(report) : '';
  return (
    <Panel
      title="Evidence"
      count={words}
      loading={isAsking && report === null}
      error={error}
      onRetry={again}
      empty={
        report && report.problems.length === 0 && ended === imports.length
          ? { title: 'All messages imported', reason: `Imported: ${plural(report.imported, 'message')}.` }
          : null
      }
    >
      {report ? <List report={report} /> : null}
    </Panel>
  );
}
