import type { JSX } from 'react';
import type { RecentQuery } from '#renderer/state/recent.ts';
import { useResultSet } from '#renderer/state/results.ts';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { GlyphArc, GlyphSaved } from '#renderer/ui/glyphs.tsx';
import type { GridColumn } from '#renderer/ui/grid-columns.tsx';
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
    {
      id: 'name',
      label: 'Name',
      type: 'name',
      value: ({ query }) => query.name,
      sortId: 'name',
      flex: 1,
      minWidth: 180,
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
    },
    {
      id: 'kind',
      label: 'Kind',
      value: ({ query }) => kindLabel(kindOf(query)),
      sortId: 'kind',
      width: wide ? 92 : 82,
    },
    {
      id: 'severity',
      label: 'Severity',
      value: ({ query }) => parseSeverity(query.severity) ?? 0,
      sortId: 'severity',
      width: wide ? 108 : 68,
      render: ({ query }) => <SeverityMark severity={query.severity} compact={!wide} />,
    },
    ...(wide
      ? [
          {
            id: 'app',
            label: 'App',
            value: ({ app }: LibraryRow) => app,
            sortId: 'app',
            width: 160,
          } satisfies GridColumn<LibraryRow>,
        ]
      : []),
    {
      id: 'status',
      label: 'Status',
      type: 'status',
      value: ({ query }) => query.status ?? 'unknown',
      sortId: 'status',
      width: 104,
    },
    ...(wide
      ? [
          {
            id: 'schedule',
            label: 'Schedule (server time)',
            value: ({ query }: LibraryRow) => scheduleWords(query.scheduledExport),
            notApplicable: ({ query }: LibraryRow) => !query.scheduledExport,
            sortId: 'schedule',
            width: 172,
          } satisfies GridColumn<LibraryRow>,
        ]
      : []),
    {
      id: 'total',
      label: 'Total',
      headerTooltip: 'Rows of the last run on this machine',
      type: 'count',
      value: ({ recent }) => recent?.total ?? null,
      notApplicable: ({ recent }) => recent === null || recent.total === null,
      sortId: 'total',
      width: 72,
    },
    {
      id: 'age',
      label: 'Last run',
      headerTooltip: 'Last run on this machine',
      value: ({ recent }) => recent?.ranAt ?? 0,
      sortId: 'age',
      width: 112,
      tooltip: () => null,
      render: ({ recent }) => <LastRun recent={recent} offline={offline} />,
    },
  ];
}
