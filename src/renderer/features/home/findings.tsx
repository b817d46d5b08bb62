import { type JSX, useMemo, useState } from 'react';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import { ListGrid } from '#renderer/ui/data-grid.tsx';
import { Drawer } from '#renderer/ui/drawer.tsx';
import type { GridColumn } from '#renderer/ui/grid-columns.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { SeverityMark } from '#renderer/ui/severity.tsx';
import type { AnswerOf } from '#shared/api/catalogue.ts';
import type { Finding } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { parseSeverity } from '#shared/model/severity.ts';

type Widget = AnswerOf<'findings.widgets'>['rows'][number];

const COLUMNS: readonly GridColumn<Finding>[] = [
  {
    id: 'affected',
    label: 'Affected',
    value: ({ affected }) => affected,
    sortId: 'affected',
    flex: 1,
    minWidth: 160,
  },
  { id: 'app', label: 'App', value: ({ app }) => app, sortId: 'app', width: 120 },
  { id: 'time', label: 'Since', type: 'time', value: ({ time }) => time, sortId: 'time', width: 124 },
];

/** The findings of one widget, and where each can be put right. */
function WidgetFindings({ widget, onClose }: { widget: Widget; onClose: () => void }): JSX.Element {
  const findings = useRead('findings.list', { query: { widget: widget.id } });
  const rows = findings.data?.rows ?? [];
  const [focused, setFocused] = useState<string | null>(null);
  const chosen = rows.find(({ id }) => id === focused) ?? rows[0];
  const links = useRead('findings.links', chosen ? { query: { ids: chosen.id } } : null);
  const url = links.data?.rows.find(({ id }) => id === chosen?.id)?.url;
  return (
    <Drawer
      isOpen
      title={visibleText(widget.label)}
      subtitle={findings.data ? `${exact(rows.length)} open` : ''}
      onClose={onClose}
      footNote={
        url ? (
          <button
            type="button"
            className="pp-link pp-small"
            onClick={() => void copyText(url, 'Link copied')}
          >
            Copy remediation link{chosen?.affected ? ` for ${visibleText(chosen.affected)}` : ''}
          </button>
        ) : null
      }
    >
      <p className="pp-t2">{visibleText(chosen?.detail ?? '')}</p>
      <div className="pp-findings-grid">
        <ListGrid
          label={widget.label}
          columns={COLUMNS}
          rows={rows}
          rowId={({ id }) => id}
          selectable={false}
          onRowFocused={({ id }) => setFocused(id)}
          loading={findings.loading}
          error={findings.error}
          errorTitle="The findings could not be loaded"
          onRetry={findings.refresh}
          empty={
            findings.data && rows.length === 0
              ? { title: 'No open findings', reason: 'The service reports none.' }
              : null
          }
        />
      </div>
    </Drawer>
  );
}

/** Findings of the security posture by kind, most severe first; a kind opens its list. */
export function Findings({ read }: { read: Read<'findings.widgets'> }): JSX.Element {
  const [open, setOpen] = useState<Widget | null>(null);
  const widgets = useMemo(
    () =>
      [...(read.data?.rows ?? [])].sort(
        (a, b) => (parseSeverity(b.severity) ?? 0) - (parseSeverity(a.severity) ?? 0),
      ),
    [read.data],
  );
  const all = widgets.reduce((sum, { count }) => sum + (count ?? 0), 0);
  const isWhole = widgets.every(({ count }) => typeof count === 'number');
  return (
    <Panel
      title="Findings"
      count={read.data ? `${isWhole ? '' : 'at least '}${exact(all)} open` : ''}
      freshness={read.freshness}
      loading={read.loading}
      error={read.error}
      onRetry={read.refresh}
      empty={
        read.data && widgets.length === 0
          ? { title: 'No open findings', reason: 'The service reports none.' }
          : null
      }
    >
      {read.data
        ? widgets.map((widget) => (
            <button
              key={widget.id}
              type="button"
              className="pp-panel-row pp-home-recent pp-finding"
              onClick={() => setOpen(widget)}
            >
              <SeverityMark severity={widget.severity} />
              <span className="pp-ellipsis pp-spacer" title={visibleText(widget.label)}>
                {visibleText(widget.label)}
              </span>
              <b className={widget.count === 0 ? 'pp-t3' : undefined}>{exact(widget.count)}</b>
            </button>
          ))
        : null}
      {open ? <WidgetFindings widget={open} onClose={() => setOpen(null)} /> : null}
    </Panel>
  );
}
