import { type JSX, useEffect, useMemo, useRef, useState } from 'react';
import { reachOf, useConnection } from '#renderer/state/connection.ts';
import { isDraftDirty, useDraft } from '#renderer/state/drafts.ts';
import { useLayout } from '#renderer/state/layout.ts';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { setTabDirty, setTabTitle } from '#renderer/state/tabs.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { focusRows } from '#renderer/ui/focus.ts';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import { Conditions } from './builder/conditions.tsx';
import { useQueryCommands } from './builder/query-commands.ts';
import { type QueryDialog, QueryDialogs } from './builder/query-dialogs.tsx';
import { QueryHeader } from './builder/query-header.tsx';
import { useLiveCount } from './builder/use-count.ts';
import { editTree } from './draft-edit.ts';
import { NEW_QUERY } from './labels.ts';
import { fieldsById, layoutKey, runPayload, showsReport } from './query-run.ts';
import { useQuerySummary } from './query-summary.tsx';
import { QueryResults } from './results/query-results.tsx';
import { type Run, useRun } from './results/use-run.ts';
import { conditionProblem, useSaveProblem } from './save-problems.ts';
import { useNewestVersion } from './saved-version.ts';
import { useQueryConfig } from './use-config.ts';
import './queries.css';
import { conditionFor, registerFilterTarget } from '#renderer/state/entity-actions.ts';
import type { EntityRef } from '#renderer/ui/entity-value.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { filterFor, filterOut } from './tree-edit.ts';

/** Value actions of the window filter this query while its tab is in front; `run` then refreshes the rows. */
function useFilterTarget(
  tabId: string,
  draftId: string,
  config: QueryConfig | undefined,
  run: () => void,
): void {
  const runs = useRef(run);
  runs.current = run;
  useEffect(() => {
    if (!config) return undefined;
    const act = (entity: EntityRef, negate: boolean) => {
      const fields = fieldsById(config);
      const field =
        fields.get(entity.field ?? '') ?? fields.get(conditionFor(config, entity, negate)?.field ?? '');
      const change = negate ? filterOut : filterFor;
      let isChanged = false;
      if (field)
        editTree(draftId, (tree) => {
          const next = change(tree, field, entity.value);
          isChanged = next !== null;
          return next ?? tree;
        });
      if (isChanged) runs.current();
      else
        showToast({
          intent: 'caution',
          title: field
            ? `${field.label} can’t be filtered by this value`
            : 'This query has no field for this value',
        });
    };
    return registerFilterTarget(tabId, {
      filterFor: (entity) => act(entity, false),
      filterOut: (entity) => act(entity, true),
    });
  }, [tabId, draftId, config]);
}

function focusFirstProblem(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.pp-qb [aria-invalid="true"]')?.focus());
}

/** Automatic runs. `onFirst` is called before the run of a query that has just been opened. */
function useOwnRuns(draft: Draft, run: Run, canRun: boolean, onFirst: () => void): void {
  // Saved queries and queries opened from a value run when they are opened; a new one waits for Run, also once saved.
  const tried = useRef(false);
  const [runsItself] = useState(draft.savedId !== null || draft.origin !== undefined);
  useEffect(() => {
    if (tried.current || !run.idle || !canRun || !runsItself) return;
    tried.current = true;
    onFirst();
    void run.run();
  });

  // A query and its report have different columns, so switching between them runs again.
  const report = showsReport(draft);
  const ran = useRef(report);
  useEffect(() => {
    if (ran.current === report || !canRun) return;
    ran.current = report;
    if (!run.idle) void run.run();
  });
}

function QueryView({ draft, tabId }: { draft: Draft; tabId: string }): JSX.Element {
  const { query } = draft;
  const { short, low } = useBreakpoint();
  const offline = reachOf(useConnection().state) === 'offline';
  const config = useQueryConfig(query.domain, query.saas);
  const [layout, setLayout] = useLayout(layoutKey(draft));
  const [open, setOpen] = useState(true);
  const run = useRun(draft, config.data, layout ?? null);
  const { segments, fullSummary, report, problems: summaryProblems } = useQuerySummary(draft, config.data);
  const refused = useSaveProblem(draft.id, query);
  const problems = useMemo(() => {
    const refusedCondition = refused && conditionProblem(refused);
    return refusedCondition ? [...summaryProblems, refusedCondition] : summaryProblems;
  }, [summaryProblems, refused]);
  const [dialog, setDialog] = useState<QueryDialog | null>(null);
  const payload = runPayload(draft, [], []);
  const canRun = config.data !== undefined && summaryProblems.length === 0;
  const count = useLiveCount(payload, canRun);
  const dirty = isDraftDirty(draft);
  useNewestVersion(draft, dirty);
  useEffect(() => setTabDirty(tabId, dirty), [tabId, dirty]);
  useEffect(() => setTabTitle(tabId, query.name || NEW_QUERY), [tabId, query.name]);

  // Run was pressed before the query config arrived, so it runs once that is loaded.
  const runsLater = useRef(false);
  const start = () => {
    runsLater.current = config.data === undefined;
    if (runsLater.current) return;
    if (!canRun) {
      setOpen(true);
      focusFirstProblem();
      return;
    }
    if (short) setOpen(false);
    void run.run({ refresh: true });
    focusRows();
  };
  useFilterTarget(tabId, draft.id, config.data, () => void run.run());

  useEffect(() => {
    if (runsLater.current && config.data !== undefined) start();
  });

  useOwnRuns(draft, run, canRun && layout !== undefined, () => low && setOpen(false));

  const commands = useQueryCommands(draft, {
    onOpen: setDialog,
    onRun: start,
    onToggle: () => setOpen((is) => !is),
  });

  return (
    <div className="pp-query">
      <QueryHeader
        draft={draft}
        tabId={tabId}
        dirty={dirty}
        running={run.running}
        problem={refused}
        commands={commands}
        onOpen={setDialog}
        onStop={run.stop}
      />
      <Conditions
        draftId={draft.id}
        tree={query.filter ?? NO_CONDITIONS}
        config={config}
        problems={problems}
        segments={[...segments, ...report.segments]}
        fullSummary={fullSummary + report.full}
        reportTree={query.reportCondition ?? NO_CONDITIONS}
        onReport={() => setDialog('report')}
        count={count}
        isOpen={open}
        onOpen={setOpen}
      />
      <QueryResults
        draft={draft}
        config={config.data}
        run={run}
        payload={payload}
        layout={layout}
        setLayout={setLayout}
        offline={offline}
        canRun={canRun}
        of={count.of}
        onRun={start}
      />
      <QueryDialogs open={dialog} draft={draft} config={config.data} onOpen={setDialog} />
    </div>
  );
}

const NO_CONDITIONS = emptyGroup();

export default function QueryScreen({ route, tabId }: ScreenProps<'query'>): JSX.Element {
  const { draft, missing } = useDraft(route.draftId);
  if (missing)
    return (
      <EmptyState
        title="This query is no longer available"
        reason="It was removed, or saved by another version of Parapet. Saved queries are in the library."
      />
    );
  if (!draft) return <SkeletonRows rows={8} labelWidth={120} />;
  return <QueryView key={draft.id} draft={draft} tabId={tabId} />;
}
