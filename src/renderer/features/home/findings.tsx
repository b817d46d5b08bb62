import { type JSX, useEffect, useMemo, useRef, useState } from 'react';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { useCommands } from '#renderer/commands/command.tsx';
import { CLOSE } from '#renderer/commands/keys.ts';
import { quietState } from '#renderer/entity/panel-state.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Drawer } from '#renderer/ui/drawer.tsx';
import { ErrorState } from '#renderer/ui/error-bar.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import { columnsFor, type GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import { useZoned } from '#renderer/ui/grid/zoned-columns.ts';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { SeverityMark } from '#renderer/ui/severity.tsx';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import { useNow } from '#renderer/ui/use-now.ts';
import type { AnswerOf } from '#shared/api/catalogue.ts';
import { profileTime, toInstant } from '#shared/model/clock.ts';
import type { Finding } from '#shared/model/entities.ts';
import { exact, shortAge, visibleText } from '#shared/model/format.ts';
import { bySeverity } from '#shared/model/severity.ts';

const { sorted } = columnsFor<Finding>();

type Widget = AnswerOf<'findings.widgets'>['rows'][number];

const COLUMNS: readonly GridColumn<Finding>[] = [
  sorted('affected', 'Affected', 'text', [1, 160], ({ affected }) => affected),
  sorted('app', 'App', 'text', 120, ({ app }) => app),
  sorted('time', 'Since', 'time', 124, ({ time }) => time),
];

/** The findings of one widget, with links to fix them. */
function WidgetFindings({ widget, onClose }: { widget: Widget; onClose: () => void }): JSX.Element {
  const findings = useRead('findings.list', { query: { widget: widget.id } });
  const rows = findings.data?.rows ?? [];
  const [focused, setFocused] = useState<string | null>(null);
  const chosen = rows.find(({ id }) => id === focused) ?? rows[0];
  const links = useRead('findings.links', chosen ? { query: { ids: chosen.id } } : null);
  const columns = useZoned(COLUMNS);
  // For Escape pressed outside the drawer.
  useCommands([{ ...CLOSE, run: onClose }]);
  const url = links.data?.rows.find(({ id }) => id === chosen?.id)?.url;
  return (
    <Drawer
      title={visibleText(widget.label)}
      subtitle={findings.data ? `${exact(rows.length)} open` : ''}
      onClose={onClose}
      footNote={
        url ? (
          <LinkButton className="pp-small" onClick={() => void copyText(url, 'Link copied')}>
            Copy remediation link{chosen?.affected ? ` for ${visibleText(chosen.affected)}` : ''}
          </LinkButton>
        ) : null
      }
    >
      <p className="pp-t2">{visibleText(chosen?.detail ?? '')}</p>
      <div className="pp-findings-grid">
        <ListGrid
          label={widget.label}
          columns={columns}
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

/** Number of findings listed individually; the rest is grouped by kind. */
const SHOWN = 30;

type Order = 'severity' | 'latest';

const byTime = (a: Finding, b: Finding) => (toInstant(b.time) ?? 0) - (toInstant(a.time) ?? 0);
const ORDERS: Readonly<Record<Order, (a: Finding, b: Finding) => number>> = {
  severity: (a, b) => bySeverity(a, b) || byTime(a, b),
  latest: (a, b) => byTime(a, b) || bySeverity(a, b),
};

/** Findings of all kinds: how severe, what, who, in which app, since when. */
function EachFinding(props: { order: Order; turn: number; onKinds: () => void }): JSX.Element {
  const { order, turn, onKinds } = props;
  const now = useNow();
  const clock = useClock();
  const list = useRead('findings.list', { query: {} });
  const apps = useRead('apps.list', {});
  const appName = (app: string | null | undefined) =>
    app ? (apps.data?.rows.find(({ name }) => name === app)?.label ?? app) : null;
  const { refresh } = list;
  const lastTurn = useRef(turn);
  useEffect(() => {
    if (lastTurn.current === turn) return;
    lastTurn.current = turn;
    refresh();
  }, [turn, refresh]);
  const rows = useMemo(
    () => [...(list.data?.rows ?? [])].sort(ORDERS[order]).slice(0, SHOWN),
    [list.data, order],
  );
  if (list.error && !list.data)
    return (
      <ErrorState
        title="Findings could not be loaded"
        error={list.error}
        notKnown="This does not mean that there are none."
        onRetry={refresh}
      />
    );
  if (!list.data) return <SkeletonRows rows={5} labelWidth={120} />;
  return (
    <>
      {rows.map((finding) => {
        const time = toInstant(finding.time);
        return (
          <button
            key={finding.id}
            type="button"
            className="pp-panel-row pp-home-recent pp-finding-line"
            title={visibleText(finding.detail ?? finding.title)}
            onClick={onKinds}
          >
            <SeverityMark severity={finding.severity} />
            <span className="pp-finding-words">
              <span className="pp-ellipsis">{visibleText(finding.title)}</span>
              <span className="pp-ellipsis pp-t3 pp-small">
                {visibleText([finding.affected, appName(finding.app)].filter(Boolean).join(' · ')) ||
                  'No one named'}
              </span>
            </span>
            <span
              className="pp-t3 pp-small pp-num"
              title={time === null ? undefined : profileTime(time, clock)}
            >
              {time === null ? 'Unknown' : shortAge(time, now)}
            </span>
          </button>
        );
      })}
    </>
  );
}

const VIEWS: { value: Order | 'kinds'; label: string }[] = [
  { value: 'severity', label: 'Severity' },
  { value: 'latest', label: 'Latest' },
  { value: 'kinds', label: 'By kind' },
];

/** Findings of the security posture: the most severe, the latest, or by kind; a kind opens its list. */
export function Findings({ read, turn }: { read: Read<'findings.widgets'>; turn: number }): JSX.Element {
  const [open, setOpen] = useState<Widget | null>(null);
  const [view, setView] = useState<Order | 'kinds'>('severity');
  const widgets = useMemo(() => [...(read.data?.rows ?? [])].sort(bySeverity), [read.data]);
  const all = widgets.reduce((sum, { count }) => sum + (count ?? 0), 0);
  const isWhole = widgets.every(({ count }) => typeof count === 'number');
  return (
    <Panel
      className="pp-home-findings"
      title="Findings"
      count={read.data ? `${isWhole ? '' : 'at least '}${exact(all)} open` : ''}
      {...quietState(read)}
      actions={<Segmented compact label="Findings shown" options={VIEWS} value={view} onChange={setView} />}
      empty={
        read.data && widgets.length === 0
          ? { title: 'No open findings', reason: 'The service reports none.' }
          : null
      }
    >
      {read.data && view !== 'kinds' && widgets.length > 0 ? (
        <EachFinding order={view} turn={turn} onKinds={() => setView('kinds')} />
      ) : null}
      {read.data && view === 'kinds'
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
