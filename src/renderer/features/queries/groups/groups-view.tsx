import { type JSX, lazy, Suspense, useMemo, useRef, useSyncExternalStore } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { ErrorState } from '#renderer/ui/error-bar.tsx';
import { useScrollStop } from '#renderer/ui/grid/scroll-stop.ts';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import { onThemeChange, token } from '#renderer/ui/theme.ts';
import type { Groups, ResultSet } from '#shared/bridge/operations.ts';
import type { GroupView } from '#shared/bridge/workspace.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';
import { isMissingRows, totalText } from '../labels.ts';
import { fieldsById, timeField } from '../query-run.ts';
import type { FilterState } from '../results/use-filter.ts';
import { type Figure, figureOf, type Place } from './figure.ts';
import { type GroupRow, groupRows, type NamedAxis, namedAxis, severalOf, shareText } from './group-rows.ts';
import { type GroupBy, isTime, narrowedTo } from './group-view.ts';
import { GroupsBar } from './groups-bar.tsx';
import { GroupsTable } from './groups-table.tsx';
import { countedText } from './labels.ts';
import { useGroups } from './use-groups.ts';

const Plot = lazy(() => import('./plot.tsx'));

/** Approximate number of time spans that fit into a chart. */
const SPANS = 60;
/** Number of distinguishable series in a chart. */
const SERIES = 8;
/** Maximum number of time spans for a chosen length. */
const MOST_SPANS = 200;

let version = 0;
const subscribe = (tell: () => void) =>
  onThemeChange(() => {
    version += 1;
    tell();
  });
/** Changes with the theme, to redraw what depends on its tokens. */
const useThemeVersion = (): number => useSyncExternalStore(subscribe, () => version);

/** Number of groups per column; series of lines and bars are limited further. */
function questionOf({ by, most, shape }: GroupView, columns: ResultSet['columns']) {
  const [first, second] = by;
  const overTime = first !== undefined && isTime(columns, first.column);
  const mostOf = (by: GroupBy, index: number) => {
    if (isTime(columns, by.column)) return by.every === undefined ? SPANS : MOST_SPANS;
    const isSeries =
      second !== undefined && (shape === 'bars' || shape === 'line') && (index === 1 || overTime);
    return isSeries ? Math.min(most, SERIES) : most;
  };
  return by.map((axis, index) => ({ ...axis, most: mostOf(axis, index) }));
}

function filterFor(filter: FilterState, row: Pick<GroupRow, 'filters'>): boolean {
  if (row.filters === null) return false;
  const { facets, tree } = narrowedTo({ facets: filter.filter.facets, tree: filter.tree }, row.filters);
  filter.editTree(() => tree);
  filter.setFacets(facets);
  return true;
}

/** The chart of the groups in the colours of the theme, or null for a table alone. */
function useFigure(
  groups: Groups | null,
  axes: readonly NamedAxis[],
  shape: GroupView['shape'],
): Figure | null {
  const theme = useThemeVersion();
  return useMemo(() => {
    const fits = groups !== null && groups.cells.length > 0 && theme >= 0;
    if (!fits || shape === 'table' || (shape === 'heat' && axes.length < 2)) return null;
    return figureOf(shape, { groups, axes, palette: token });
  }, [groups, axes, shape, theme]);
}

/** The groups of a result as chart and table. `onFiltered` is called once the rows were narrowed to a group. */
export function GroupsView(props: {
  name: string;
  result: ResultSet;
  config: QueryConfig;
  filter: FilterState;
  view: GroupView;
  onView: (view: GroupView) => void;
  onFiltered: () => void;
  /** The view was opened by a key, so the table takes the focus. */
  takesFocus: boolean;
  /** Why the query cannot keep the groups, or null if it can. */
  unsavable: string | null;
  onSave: () => void;
}): JSX.Element {
  const { name, result, config, filter, view, onView, onFiltered } = props;
  const clock = useClock();
  const box = useRef<HTMLDivElement>(null);
  const chart = useScrollStop(box);
  const time = timeField(config);
  const { groups, error, retry } = useGroups(result, {
    by: questionOf(view, result.columns),
    ...(time !== null && result.columns.some(({ id }) => id === time.id) ? { time: time.id } : {}),
    clock,
    filter: filter.filter,
  });
  const fields = useMemo(() => fieldsById(config), [config]);
  const axes = useMemo(
    () =>
      (groups?.axes ?? []).map((axis) => {
        const label = result.columns.find(({ id }) => id === axis.column)?.label ?? axis.column;
        return namedAxis(axis, label, fields.get(axis.column), clock);
      }),
    [groups, fields, clock, result.columns],
  );
  const rows = useMemo(() => (groups === null ? [] : groupRows(groups, axes)), [groups, axes]);
  const figure = useFigure(groups, axes, view.shape);
  const pick = (row: GroupRow | undefined) => {
    if (row !== undefined && filterFor(filter, row)) onFiltered();
  };
  const rowAt = (place: Place) => rows.find(({ id }) => id === place.join(' '));
  const partial = isMissingRows(result);
  const counted = groups === null ? '' : countedText(groups, totalText(result), partial);
  return (
    <section className="pp-groups" aria-label="Groups">
      <GroupsBar
        {...props}
        name={name}
        axes={axes}
        rows={rows}
        figure={figure}
        size={() => ({ width: box.current?.clientWidth ?? 0, height: box.current?.clientHeight ?? 0 })}
        counted={counted}
        partial={partial}
        onView={onView}
      />
      {groups !== null && severalOf(groups) ? (
        <p className="pp-groups-note pp-t3">A row with several values counts once for each of them.</p>
      ) : null}
      {error !== null ? (
        <ErrorState
          title="Groups could not be counted"
          error={error}
          notKnown="The rows are unaffected."
          onRetry={retry}
        />
      ) : groups === null ? (
        <SkeletonRows rows={10} labelWidth={160} />
      ) : rows.length === 0 ? (
        <EmptyState
          title="Nothing to group"
          reason={`No row of ${exact(groups.loaded)} matches the filter.`}
        />
      ) : (
        <div className="pp-groups-body" data-shape={view.shape}>
          {figure === null ? null : (
            <div ref={chart} className="pp-groups-chart">
              <Suspense fallback={<SkeletonRows rows={6} labelWidth={160} />}>
                <Plot
                  figure={figure}
                  label={`${axes.map(({ label }) => label).join(' and ')}: ${plural(rows.length, 'group')}. The table lists them.`}
                  tipOf={(place) => {
                    const row = rowAt(place);
                    const text = `${plural(row?.count ?? 0, 'row')} · ${shareText(row?.share ?? 0)}`;
                    return { title: row?.names.join(' · ') ?? '', text };
                  }}
                  onPick={(place) => pick(rowAt(place))}
                />
              </Suspense>
            </div>
          )}
          <GroupsTable axes={axes} rows={rows} onPick={pick} takesFocus={props.takesFocus} />
        </div>
      )}
    </section>
  );
}
