import { Button } from '@blueprintjs/core';
import { Cross, GroupedBarChart } from '@blueprintjs/icons';
import { type JSX, useCallback, useState } from 'react';
import { type Command, useCommands } from '#renderer/commands/command.tsx';
import { RESULTS } from '#renderer/commands/keys.ts';
import { useBranding } from '#renderer/entity/use-entity-stack.ts';
import { useFollowedLayout } from '#renderer/state/layout.ts';
import { useTabStatus } from '#renderer/state/tab-context.ts';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { Draft, GridLayout, GroupView } from '#shared/bridge/workspace.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { editQuery } from '../draft-edit.ts';
import { groupViewOf, unsavable, withGroups } from '../groups/group-view.ts';
import { GroupsView } from '../groups/groups-view.tsx';
import { Timeline } from '../groups/timeline.tsx';
import { afterWords, RESULT_HINTS } from '../labels.ts';
import { layoutKey } from '../query-run.ts';
import { useQuerySummary } from '../query-summary.tsx';
import { ActMenu, DirectActions, startServiceExceptions } from './act-menu.tsx';
import { ColumnsChooser } from './columns-chooser.tsx';
import { CompareMenu } from './compare-menu.tsx';
import { rowsOnScreen, useExporting } from './export-dialog.tsx';
import { FetchBar, hasFetchBar } from './fetch-bar.tsx';
import { Filters } from './filter-bar.tsx';
import { ResultsBar } from './results-bar.tsx';
import { ResultsBody } from './results-body.tsx';
import { useSelect } from './select-menu.tsx';
import { type AfterAction, useAfterAction } from './use-after-action.ts';
import { type Browse, useBrowse } from './use-browse.ts';
import type { Columns } from './use-columns.ts';
import { updateView } from './use-filter.ts';
import type { Run } from './use-run.ts';

const namesOf = (columns: Columns['absent']): string => columns.map(({ label }) => label).join(', ');

/** Columns that should be visible but have no values; exports of these rows lack them, too. */
function AbsentColumns(props: {
  absent: Columns['absent'];
  running: boolean;
  onRun: () => void;
}): JSX.Element | null {
  const { absent, running, onRun } = props;
  const later = absent.filter(({ isKnown }) => isKnown);
  const unknown = absent.filter(({ isKnown }) => !isKnown);
  if (running || absent.length === 0) return null;
  return (
    <div className="pp-caution-bar pp-absent-columns" role="status">
      <span>
        Without values here and in exports:{' '}
        {later.length > 0 ? `${namesOf(later)} (not fetched with these rows). ` : ''}
        {unknown.length > 0 ? `${namesOf(unknown)} (the service no longer has this field).` : ''}
      </span>
      {later.length > 0 ? <Button size="small" text="Run again" onClick={onRun} /> : null}
    </div>
  );
}

function ChangedRows(props: {
  after: AfterAction;
  canRun: boolean;
  onRun: () => void;
  onDismiss: () => void;
}): JSX.Element {
  const { after, canRun, onRun, onDismiss } = props;
  return (
    <div className="pp-changed-rows" role="status" data-after={after.state}>
      <span className="pp-changed-mark" aria-hidden="true" />
      <span className="pp-ellipsis">{visibleText(afterWords(after))}</span>
      <span className="pp-spacer" />
      {after.state === 'outdated' ? (
        <Button size="small" text="Run again" disabled={!canRun} onClick={onRun} />
      ) : null}
      <IconButton small icon={<Cross size={12} />} label="Dismiss" onClick={onDismiss} />
    </div>
  );
}

function statusText({ peek: { peeked }, total, selected }: Browse): string {
  const row = peeked ? `Row ${exact(peeked.index + 1)} of ` : '';
  return `${row}${plural(total, 'row')}${selected > 0 ? ` · ${exact(selected)} selected` : ''}`;
}

export interface ResultsProps {
  draft: Draft;
  config: QueryConfig;
  result: ResultSet;
  run: Run;
  layout: GridLayout | null;
  setLayout: (layout: GridLayout | null) => void;
  offline: boolean;
  /** The conditions have changed since this run. */
  changed: boolean;
  noMatches: JSX.Element;
  onCompare: (baseId: string) => void;
}

/** Between the bar and the rows: what the rows lack, and what changed since they were fetched. */
function ResultNotes(props: {
  browse: Browse;
  run: Run;
  after: AfterAction | null;
  offline: boolean;
  onDismiss: () => void;
}): JSX.Element {
  const { browse, run, after, offline, onDismiss } = props;
  const refresh = () => void run.run({ refresh: true });
  return (
    <>
      {after === null ? null : (
        <ChangedRows after={after} canRun={!offline} onRun={refresh} onDismiss={onDismiss} />
      )}
      <AbsentColumns absent={browse.columns.absent} running={run.running} onRun={() => void run.run()} />
      <Filters browse={browse} />
      {run.error ? (
        <ErrorBar error={run.error} shownInstead="Showing rows of the previous run." onRetry={refresh} />
      ) : null}
    </>
  );
}

/** Columns that these rows lack are fetched by another run. */
function ResultColumnsChooser(
  props: Pick<ResultsProps, 'config' | 'layout' | 'setLayout' | 'run'> & { columns: Columns },
): JSX.Element {
  const { config, columns, layout, setLayout, run } = props;
  return (
    <ColumnsChooser
      config={config}
      columns={columns.all}
      onChange={(next) => {
        const chosen = { ...layout, columns: next };
        setLayout(chosen);
        if (columns.apply(next)) void run.run({ layout: chosen });
      }}
      onReset={() => {
        columns.reset();
        setLayout(layout?.groups ? { columns: [], groups: layout.groups } : null);
      }}
      onSaveToQuery={columns.saveToQuery}
    />
  );
}

/** Whether the rows are shown as groups, and how; kept with the layout. */
function useGroupView({ draft, config, result, layout, setLayout }: ResultsProps) {
  const view = groupViewOf(layout, draft.query, result.columns, config);
  const setView = (groups: GroupView) => setLayout({ columns: [], ...layout, groups });
  const [takesFocus, setTakesFocus] = useState(false);
  return { view, setView, takesFocus, setTakesFocus };
}
type GroupState = ReturnType<typeof useGroupView>;

/** Switches between rows and groups. When a key opens the groups, their table takes the focus. */
function useGroupToggle({ view, setView, setTakesFocus }: GroupState, grid: Browse['grid']) {
  const showRows = () => {
    setView({ ...view, open: false });
    requestAnimationFrame(() => grid.current?.focusRow(grid.current.focusedIndex() ?? 0));
  };
  const command: Command = {
    ...RESULTS.groups,
    label: 'Group',
    title: view.open ? 'Show rows' : 'Group rows',
    icon: GroupedBarChart,
    run: (event) => {
      if (event) setTakesFocus(true);
      if (view.open) showRows();
      else setView({ ...view, open: true });
    },
  };
  useCommands([command]);
  return { showRows, command };
}

export function Results(props: ResultsProps): JSX.Element {
  const { draft, config, result, run, layout, setLayout, offline, onCompare } = props;
  const [start] = useState(draft.view);
  const groups = useGroupView(props);
  const { view, setView } = groups;
  const browse = useBrowse({
    ...props,
    question: `${run.asked ?? ''}`,
    persistIn: draft.id,
    start,
    rowsShown: !view.open,
  });
  const { filter, columns, filtering } = browse;
  useFollowedLayout(layoutKey(draft), columns.follow);
  const on = { browse, draft, config };
  const branding = useBranding();
  const { short } = useBreakpoint();
  const { showRows, command } = useGroupToggle(groups, browse.grid);
  const { waiting, select } = useSelect(browse, run);
  const { fullSummary } = useQuerySummary(draft, config);
  const { after, dismiss } = useAfterAction(result, run, offline || props.changed);
  const exporting = useExporting(offline);
  const { id: draftId } = draft;
  const keepRow = useCallback((row: number) => updateView(draftId, { row }), [draftId]);

  useTabStatus({ message: statusText(browse), hints: RESULT_HINTS });

  return (
    <>
      <ResultsBar
        browse={browse}
        running={run.running}
        offline={offline}
        outdated={after !== null && after.state !== 'renewed'}
        changed={props.changed}
        waiting={waiting}
        onSelect={select}
        onRefresh={() => void run.run({ refresh: true })}
        exportRows={exporting.command}
        act={
          <>
            <DirectActions {...on} />
            <ActMenu {...on} />
          </>
        }
        onByService={
          browse.domain === 'email' || browse.domain === 'file'
            ? () => startServiceExceptions(on, branding)
            : undefined
        }
        groups={{ isOpen: view.open, command }}
        compare={<CompareMenu result={result} onCompare={onCompare} />}
        chooser={
          <ResultColumnsChooser
            config={config}
            columns={columns}
            layout={layout}
            setLayout={setLayout}
            run={run}
          />
        }
      />
      <ResultNotes browse={browse} run={run} after={after} offline={offline} onDismiss={dismiss} />
      {view.open && short ? null : <Timeline result={result} config={config} filter={filter} />}
      <ResultsBody
        instead={
          view.open ? (
            <GroupsView
              name={draft.query.name}
              result={result}
              config={config}
              filter={filter}
              view={view}
              onView={setView}
              onFiltered={showRows}
              takesFocus={groups.takesFocus}
              unsavable={unsavable(draft.query)}
              onSave={() => editQuery(draft.id, (query) => withGroups(query, view.by, result.columns))}
            />
          ) : null
        }
        draft={draft}
        config={config}
        browse={browse}
        layout={layout}
        setLayout={setLayout}
        startRow={start?.row ?? 0}
        onFirstRow={keepRow}
        noMatches={result.total === 0 && !filtering ? props.noMatches : null}
      />
      {/* Below the rows: above them it would shift the rows under the pointer whenever it appears. */}
      {hasFetchBar(result) ? (
        <FetchBar key={result.id} result={result} offline={offline} onFill={run.fill} />
      ) : null}
      {exporting.parts(() => ({
        ...rowsOnScreen(browse, config),
        name: draft.query.name,
        columns: columns.shown,
        words: fullSummary,
      }))}
    </>
  );
}
