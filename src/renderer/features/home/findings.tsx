import type { JSX } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { SeverityMark } from '#renderer/ui/severity.tsx';
import { useNow } from '#renderer/ui/use-now.ts';
import { toInstant } from '#shared/model/clock.ts';
import { shortAge, visibleText } from '#shared/model/format.ts';

/** Open findings of the security posture. A service without them has no such panel (see Home). */
export function Findings({ read, wide }: { read: Read<'findings.list'>; wide: boolean }): JSX.Element {
  const now = useNow();
  const rows = read.data?.rows ?? [];
  return (
    <Panel
      title="Findings"
      count={read.data ? `${rows.length} open` : ''}
      freshness={read.freshness}
      loading={read.loading}
      error={read.error}
      onRetry={read.refresh}
      empty={
        read.data && rows.length === 0
          ? { title: 'No open findings', reason: 'The service lists none.' }
          : null
      }
    >
      {read.data
        ? rows.map((finding) => (
            <div key={finding.id} className="pp-panel-row pp-finding">
              <SeverityMark severity={finding.severity} />
              <span className="pp-ellipsis pp-spacer" title={visibleText(finding.title)}>
                {visibleText(finding.title)}
                {wide && finding.detail ? (
                  <span className="pp-t3"> {visibleText(finding.detail)}</span>
                ) : null}
              </span>
              <span className="pp-ellipsis">{visibleText(finding.affected ?? '')}</span>
              <span className="pp-t3 pp-num">{shortAge(toInstant(finding.time), now)}</span>
            </div>
          ))
        : null}
    </Panel>
  );
}
