import { Button } from '@blueprintjs/core';
import { Clipboard } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { SeverityMark } from '#renderer/ui/severity.tsx';
import { profileTime } from '#shared/model/clock.ts';
import { defangUrl } from '#shared/model/defang.ts';
import type { Finding } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { bySeverity } from '#shared/model/severity.ts';
import { listState } from './list-state.ts';
import './entity.css';

const EVERY = { query: {} } as const;

/** A service may ignore the filter and list every finding. */
function sameFindings(some: readonly Finding[], all: readonly Finding[]): boolean {
  const ids = new Set(some.map(({ id }) => id));
  return some.length === all.length && all.every(({ id }) => ids.has(id));
}

/** More ids would not fit into a URL. */
const LINKED = 200;

function Row({ finding, link }: { finding: Finding; link: string | undefined }): JSX.Element {
  const clock = useClock();
  return (
    <li className="en-finding">
      <SeverityMark severity={finding.severity} />
      <span className="en-finding-text">
        <b>{visibleText(finding.title)}</b>
        {finding.detail ? <span className="pp-t2 en-line">{visibleText(finding.detail)}</span> : null}
        {finding.affected ? <span className="pp-t3 en-line">{visibleText(finding.affected)}</span> : null}
        {link === undefined ? null : (
          <span className="en-line">
            <span className="pp-t3">Fixed at </span>
            <EntityValue entity={{ kind: 'url', value: link }} />
          </span>
        )}
      </span>
      <span className="pp-t3 en-nowrap pp-num">
        {finding.time ? profileTime(finding.time, clock) : 'Time not recorded'}
      </span>
    </li>
  );
}

/** Posture findings about this entity, with links to fix them. */
export function FindingsPanel({ entityId, noun }: { entityId: string; noun: string }): JSX.Element {
  const read = useRead(
    'findings.list',
    useMemo(() => ({ query: { entity_id: entityId } }), [entityId]),
  );
  const every = useRead('findings.list', EVERY);
  const widgets = useRead('findings.widgets', {});
  const rows = useMemo(() => [...(read.data?.rows ?? [])].sort(bySeverity), [read.data]);
  const ids = rows.slice(0, LINKED).map(({ id }) => id);
  const idList = ids.join(',');
  const links = useRead(
    'findings.links',
    useMemo(() => (idList === '' ? null : { query: { ids: idList } }), [idList]),
  );
  const isOfAll = rows.length > 0 && every.data !== undefined && sameFindings(rows, every.data.rows);
  const linkOf = new Map(links.data?.rows.map(({ id, url }) => [id, url]));
  const kinds = widgets.data?.rows;
  return (
    <Panel
      title="Findings"
      {...(read.data ? { count: exact(rows.length) } : {})}
      rows={4}
      shownInstead="Showing older findings."
      notKnown="Findings are unknown."
      className="en-fill"
      actions={
        links.data?.rows.length ? (
          <Button
            size="small"
            variant="minimal"
            icon={<Clipboard size={12} />}
            text="Copy links"
            onClick={() =>
              void copyText(
                (links.data?.rows ?? []).map(({ url }) => defangUrl(url)).join('\n'),
                `${exact(links.data?.rows.length ?? 0)} links copied, defanged`,
              )
            }
          />
        ) : null
      }
      empty={
        read.data && rows.length === 0
          ? {
              title: kinds?.length === 0 ? 'No findings source' : 'No findings',
              reason:
                kinds?.length === 0
                  ? 'This service doesn’t report posture findings.'
                  : kinds
                    ? `The service looks for ${exact(kinds.length)} weaknesses and lists 0 for this ${noun}: ${kinds
                        .map(({ label }) => visibleText(label).toLowerCase())
                        .join('; ')}.`
                    : `The service lists 0 for this ${noun}.`,
            }
          : null
      }
      {...listState(read)}
    >
      {isOfAll ? (
        <p className="pp-caution pp-flat pp-small">
          The service lists the same findings without naming this {noun}: they may be about others.
        </p>
      ) : null}
      {rows.length > 0 ? (
        <ol className="en-findings">
          {rows.map((finding) => (
            <Row key={finding.id} finding={finding} link={linkOf.get(finding.id)} />
          ))}
        </ol>
      ) : null}
    </Panel>
  );
}
