import { Button } from '@blueprintjs/core';
import { SearchText } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { panelMenu } from '#renderer/entity/panel-menu.tsx';
import { panelState } from '#renderer/entity/panel-state.ts';
import { openPivot, openProfile } from '#renderer/state/navigation.ts';
import { type NeighbourSource, setListPlace } from '#renderer/state/neighbours.ts';
import { activeTab } from '#renderer/state/tabs.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import type { EmptyInfo } from '#renderer/ui/empty-state.tsx';
import { ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import type { ReadEndpoint } from '#shared/api/catalogue.ts';
import { zoneLabel } from '#shared/model/clock.ts';
import type { NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { QUERY_ROWS } from './labels.ts';
import { queryColumns, resultColumns, runPayload, sortOf, wantedColumns } from './query-run.ts';
import { columnIndex, gridColumns, type ResultRow } from './results/result-columns.tsx';
import { profileOf } from './results/use-peek.ts';

/** Number of first rows listed; a query shows all. */
const FIRST = 100;

function useRows(query: NewQuery | null, config: QueryConfig | undefined) {
  const clock = useClock();
  const plan = useMemo(() => {
    if (config === undefined || query === null) return null;
    const declared = queryColumns(query, config);
    const ids = wantedColumns(query, config, null);
    const columns = resultColumns(ids, config, query);
    const visible = new Set(declared.map(({ id }) => id));
    const payload = runPayload({ query }, ids, sortOf(query, config, null));
    return {
      query,
      ids,
      index: columnIndex(columns),
      columns: gridColumns(columns, config, { declared, visible, zone: zoneLabel(clock) }),
      request: { body: { ...payload, size: FIRST, count_only: false } },
    };
  }, [query, config, clock]);
  const read = useRead('query.execute', plan?.request ?? null);
  const rows = useMemo(
    () =>
      read.data?.rows.map(
        (row): ResultRow => ({
          id: String(row['entity_id'] ?? ''),
          cells: (plan?.ids ?? []).map((id) => row[id] ?? null),
        }),
      ),
    [read.data, plan?.ids],
  );
  return { plan, read, rows };
}

interface QueryRowsProps {
  title: string;
  /** "newest", "worst": what the first rows are. */
  first: string;
  /** Null if not known, or not yet. */
  query: NewQuery | null;
  config: Read<'query.config'>;
  /** What the query is made of, whose state is shown while there is no query; by default that of the fields. */
  source?: Omit<Read<ReadEndpoint>, 'data'>;
  /** Why there can be no query. */
  lacks?: EmptyInfo | null;
  layoutKey: string;
}

/** The first rows of a query; Enter opens one, and J and K continue from it. */
export function QueryRows(props: QueryRowsProps): JSX.Element {
  const { title, first, query, config, source = config, lacks = null, layoutKey } = props;
  const { plan, read, rows } = useRows(query, config.data);
  const total = read.data?.total_rows ?? null;
  const state = query === null ? source : config.data ? read : config;
  const open = (row: ResultRow) => {
    if (!plan || !rows) return;
    const profile = profileOf(row, plan.query, plan.index);
    if (profile === null) return;
    const list: NeighbourSource = {
      label: plan.query.name,
      tabId: activeTab()?.id,
      count: rows.length,
      rows: async (start, end) => rows.slice(start, end).map((row) => profileOf(row, plan.query, plan.index)),
    };
    setListPlace(openProfile(profile), { source: list, index: rows.indexOf(row) });
  };
  return (
    <Panel
      title={title}
      {...(total === null
        ? {}
        : {
            count:
              rows && rows.length < total
                ? `${first} ${exact(rows.length)} of ${exact(total)}`
                : exact(total),
          })}
      {...panelState(state)}
      rows={6}
      noScroll
      className="en-fill"
      shownInstead={QUERY_ROWS.shownInstead}
      notKnown={QUERY_ROWS.notKnown}
      menu={panelMenu(state.refresh)}
      actions={
        plan ? (
          <Button
            size="small"
            variant="minimal"
            icon={<SearchText size={12} />}
            text={QUERY_ROWS.open}
            onClick={() => openPivot(plan.query)}
          />
        ) : null
      }
      empty={
        lacks ??
        (rows?.length === 0
          ? { title: `No ${title.toLowerCase()}`, reason: 'The service reports none.' }
          : null)
      }
    >
      {rows && rows.length > 0 && plan ? (
        <ListGrid
          label={title}
          columns={plan.columns}
          rows={rows}
          rowId={({ id }) => id}
          selectable={false}
          layoutKey={layoutKey}
          onRowOpened={open}
        />
      ) : null}
    </Panel>
  );
}
