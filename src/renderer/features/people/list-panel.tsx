import { Button, MenuItem } from '@blueprintjs/core';
import { Refresh, SearchText } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { panelState } from '#renderer/entity/panel-state.ts';
import { openPivot, openProfile } from '#renderer/state/navigation.ts';
import { type NeighbourSource, setListPlace } from '#renderer/state/neighbours.ts';
import { activeTab } from '#renderer/state/tabs.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { ListGrid } from '#renderer/ui/data-grid.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { zoneLabel } from '#shared/model/clock.ts';
import { exact } from '#shared/model/format.ts';
import { queryColumns, resultColumns, runPayload, sortOf, wantedColumns } from '../queries/query-run.ts';
import { columnIndex, gridColumns, type ResultRow } from '../queries/results/result-columns.tsx';
import { profileOf } from '../queries/results/use-peek.ts';
import { useQueryConfig } from '../queries/use-config.ts';
import { LIST_WORDS, TAB_LABELS } from './labels.ts';
import { LISTS, type ListKind, listQuery } from './lists.ts';

/** Number of newest rows listed; a query shows all. */
const NEWEST = 100;

/** The rows of one kind for an address, rendered like results. */
function useList(kind: ListKind, email: string | null) {
  const clock = useClock();
  const config = useQueryConfig(email === null ? null : LISTS[kind].domain, null);
  const plan = useMemo(() => {
    if (!config.data || email === null) return null;
    const query = listQuery(kind, email, config.data);
    if (query === null) return null;
    const declared = queryColumns(query, config.data);
    const ids = wantedColumns(query, config.data, null);
    const own = resultColumns(ids, config.data, query);
    const visible = new Set(declared.map(({ id }) => id));
    const payload = runPayload({ query }, ids, sortOf(query, config.data, null));
    return {
      query,
      ids,
      index: columnIndex(own),
      columns: gridColumns(own, config.data, { declared, visible, zone: zoneLabel(clock) }),
      request: { body: { ...payload, size: NEWEST, count_only: false } },
    };
  }, [kind, email, config.data, clock]);
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
  return { config, plan, read, rows };
}

interface ListPanelProps {
  kind: ListKind;
  /** null: not known, or not yet. */
  email: string | null;
  /** The profile with the address; without an address, the profile's state is shown. */
  profile: Read<'entity.get'>;
}

/** The newest rows; Enter opens one, and J and K continue from it. */
export function ListPanel({ kind, email, profile }: ListPanelProps): JSX.Element {
  const { config, plan, read, rows } = useList(kind, email);
  const title = TAB_LABELS[kind];
  const total = read.data?.total_rows ?? null;
  const state = email === null ? profile : config.data ? read : config;
  const open = (row: ResultRow) => {
    if (!plan || !rows) return;
    const profile = profileOf(row, plan.query, plan.index);
    if (profile === null) return;
    const source: NeighbourSource = {
      label: plan.query.name,
      tabId: activeTab()?.id,
      count: rows.length,
      rows: async (start, end) => rows.slice(start, end).map((one) => profileOf(one, plan.query, plan.index)),
    };
    setListPlace(openProfile(profile), { source, index: rows.indexOf(row) });
  };
  const lacks = email === null ? profile.data !== undefined : config.data !== undefined && plan === null;
  return (
    <Panel
      title={title}
      {...(total === null
        ? {}
        : {
            count:
              rows && rows.length < total ? `newest ${exact(rows.length)} of ${exact(total)}` : exact(total),
          })}
      {...panelState(state)}
      rows={6}
      noScroll
      className="en-fill"
      shownInstead={LIST_WORDS.shownInstead}
      notKnown={LIST_WORDS.notKnown}
      menu={<MenuItem text="Refresh" icon={<Refresh size={14} />} onClick={state.refresh} />}
      actions={
        plan ? (
          <Button
            size="small"
            variant="minimal"
            icon={<SearchText size={12} />}
            text={LIST_WORDS.open}
            onClick={() => openPivot(plan.query)}
          />
        ) : null
      }
      empty={
        lacks
          ? { title, reason: email === null ? LIST_WORDS.noAddress : LIST_WORDS.noField }
          : rows?.length === 0
            ? { title: `No ${title.toLowerCase()}`, reason: 'The service reports none.' }
            : null
      }
    >
      {rows && rows.length > 0 && plan ? (
        <ListGrid
          label={title}
          columns={plan.columns}
          rows={rows}
          rowId={({ id }) => id}
          selectable={false}
          layoutKey={`person-${kind}`}
          onRowOpened={open}
        />
      ) : null}
    </Panel>
  );
}
