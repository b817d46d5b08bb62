import type { JSX } from 'react';
import type { RecentQuery } from '#renderer/state/recent.ts';
import { useResultSet } from '#renderer/state/results.ts';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { GlyphArc, GlyphSaved } from '#renderer/ui/glyphs.tsx';
import { columnsFor, type GridColumn, optional } from '#renderer/ui/grid/grid-columns.tsx';
import { SeverityMark } from '#renderer/ui/severity.tsx';
import type { Query } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';
import { parseSeverity } from '#shared/model/severity.ts';
import { DomainIcon } from '../../../ui/domain-icon.tsx';
import { kindLabel, progressText } from '../labels.ts';
import { kindOf, scheduleWords } from './library-facets.ts';

/** A saved query with its last run on this machine. */
export interface LibraryRow {
  query: Query;
  recent: RecentQuery | null;
  app: string;
}

const { sorted } = columnsFor<LibraryRow>();

/** When it last ran on this machine; distinguishes running from never run. */
function LastRun({ recent, offline }: { recent: RecentQuery | null; offline: boolean }): JSX.Element {
  const set = useResultSet(recent?.resultId ?? null);
  if (recent === null)
    return (
      <span className="pp-fresh" title="Never run on this machine">
        <GlyphSaved />
        not run here
      </span>
    );
  if (set?.state === 'filling')
    return (
      <span className="pp-fresh pp-fresh-loading" title={`Running: ${progressText(set)}`}>
        <GlyphArc />
        running
      </span>
    );
  return (
    <FreshnessMark
      short
      freshness={{ fetchedAt: recent.ranAt, source: 'cache', offline: offline && recent.resultId === null }}
    />
  );
}

/** Columns of the library's grid; words beside the severity, app and schedule on wide windows. */
export function libraryColumns(wide: boolean, offline: boolean): GridColumn<LibraryRow>[] {
  return [
    sorted('name', 'Name', 'name', [1, 180], ({ query }) => query.name, {
      tooltip: ({ query }) => (query.description ? `${query.name}\n${query.description}` : query.name),
      render: ({ query }) => (
        <>
          <DomainIcon domain={query.domain} />
          <span className="pp-library-name">{visibleText(query.name)}</span>
          {wide && query.description ? (
            <span className="pp-library-description">{visibleText(query.description)}</span>
          ) : null}
        </>
      ),
    }),
    sorted('kind', 'Kind', 'text', wide ? 92 : 82, ({ query }) => kindLabel(kindOf(query))),
    sorted(
      'severity',
      'Severity',
      'text',
      wide ? 108 : 68,
      ({ query }) => parseSeverity(query.severity) ?? 0,
      { render: ({ query }) => <SeverityMark severity={query.severity} compact={!wide} /> },
    ),
    ...(wide ? [sorted('app', 'App', 'text', 160, ({ app }) => app)] : []),
    sorted('status', 'Status', 'status', 104, ({ query }) => query.status ?? 'unknown'),
    ...(wide
      ? [
          optional(
            sorted('schedule', 'Schedule (server time)', 'text', 172, ({ query }) =>
              scheduleWords(query.scheduledExport),
            ),
          ),
        ]
      : []),
    sorted('total', 'Total', 'count', 72, ({ recent }) => recent?.total ?? null, {
      headerTooltip: 'Rows of the last run on this machine',
      notApplicable: ({ recent }) => recent === null || recent.total === null,
    }),
    sorted('age', 'Last run', 'text', 112, ({ recent }) => recent?.ranAt ?? 0, {
      headerTooltip: 'Last run on this machine',
      tooltip: () => null,
      render: ({ recent }) => <LastRun recent={recent} offline={offline} />,
    }),
  ];
}
