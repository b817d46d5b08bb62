import { ChevronDown, ChevronUp } from '@blueprintjs/icons';
import { type JSX, useEffect, useMemo, useRef, useState } from 'react';
import { reachOf, useConnection } from '#renderer/state/connection.ts';
import { isDraftDirty, useDraft } from '#renderer/state/drafts.ts';
import { conditionFor, registerFilterTarget } from '#renderer/state/entity-actions.ts';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import { useLayout } from '#renderer/state/layout.ts';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { setTabDirty, setTabTitle } from '#renderer/state/tabs.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import type { EntityRef } from '#renderer/ui/entity-value.tsx';
import { ErrorState } from '#renderer/ui/error-bar.tsx';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { describeQuery, plainWords } from '#shared/query/describe.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import { validate } from '#shared/query/validate.ts';
import { Builder } from './builder/builder.tsx';
import { QueryHeader } from './builder/query-header.tsx';
import { useLiveCount } from './builder/use-count.ts';
import { WordsPanel } from './builder/words-panel.tsx';
import { editTree, redo, undo } from './draft-edit.ts';
import { saveDraft } from './query-actions.ts';
import { EVERY_APP, fieldsById, isEveryApp, runPayload } from './query-run.ts';
import { Results } from './results/results.tsx';
import { NeverRun, NoMatches } from './results/results-empty.tsx';
import { useRun } from './results/use-run.ts';
import { filterFor, filterOut, removeAt } from './tree-edit.ts';
import { useQueryConfig, useSaasChoices } from './use-config.ts';
import './queries.css';

/** Values of the window filter this query while its tab is in front; the rows follow at once. */
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
      const guess = conditionFor(config, entity, negate);
      const field = fieldsById(config).get(entity.field ?? '') ?? fieldsById(config).get(guess?.field ?? '');
      const change = negate ? filterOut : filterFor;
      let done = false;
      if (field)
        editTree(draftId, (tree) => {
          const next = change(tree, field, entity.value);
          done = next !== null;
          return next ?? tree;
        });
      if (done) runs.current();
      else
        showToast({
          intent: 'caution',
          title: field ? `${field.label} cannot be asked so` : 'This query has no field for such a value',
        });
    };
    return registerFilterTarget(tabId, {
      filterFor: (entity) => act(entity, false),
      filterOut: (entity) => act(entity, true),
    });
  }, [tabId, draftId, config]);
}

/** The layout of a query; what was arranged before the first save comes along. */
function useQueryLayout(draft: Draft) {
  const key = draft.savedId ?? draft.id;
  const [layout, setLayout] = useLayout(key);
  const before = useRef({ key, layout });
  useEffect(() => {
    const old = before.current;
    if (old.key !== key && layout === null && old.layout) setLayout(old.layout);
    if (layout !== undefined) before.current = { key, layout };
  });
  return [layout, setLayout] as const;
}

function QueryView({ draft, tabId }: { draft: Draft; tabId: string }): JSX.Element {
  const { query } = draft;
  const { short } = useBreakpoint();
  const { connection, state } = useConnection();
  const offline = reachOf(state) === 'offline';
  const config = useQueryConfig(query.domain, query.saas);
  const [layout, setLayout] = useQueryLayout(draft);
  const [open, setOpen] = useState(true);
  const run = useRun(draft, config.data, layout ?? null);
  const tree = useMemo(() => query.filter ?? emptyGroup(), [query.filter]);
  const problems = useMemo(() => (config.data ? validate(tree, config.data) : []), [tree, config.data]);
  const saas = useSaasChoices(query.saas).find(({ value }) => value === (query.saas || EVERY_APP));
  const segments = useMemo(
    () =>
      config.data
        ? describeQuery({
            condition: tree,
            config: config.data,
            domain: query.domain,
            saas: isEveryApp(query.saas) ? null : (saas?.label ?? query.saas),
          })
        : [],
    [tree, config.data, query.domain, query.saas, saas?.label],
  );
  const payload = runPayload(draft, [], []);
  const canRun = config.data !== undefined && problems.length === 0;
  const count = useLiveCount(payload, canRun && !offline);
  const dirty = isDraftDirty(draft);
  useEffect(() => setTabDirty(tabId, dirty), [tabId, dirty]);
  useEffect(() => setTabTitle(tabId, query.name || 'New query'), [tabId, query.name]);

  const start = (refresh: boolean) => {
    if (!canRun) {
      setOpen(true);
      requestAnimationFrame(() =>
        document.querySelector<HTMLElement>('.pp-qb [aria-invalid="true"]')?.focus(),
      );
      return;
    }
    if (short) setOpen(false);
    void run.run({ refresh });
  };
  useFilterTarget(tabId, draft.id, config.data, () => void run.run());

  // A saved query shows its rows when it is opened; a new one waits for Run.
  const tried = useRef(false);
  useEffect(() => {
    if (tried.current || !run.idle || !canRun || layout === undefined || draft.savedId === null) return;
    tried.current = true;
    void run.run();
  });

  useHotkeys([
    { keys: ['Ctrl+Enter'], text: 'Run the query', inInputs: true, run: () => start(true) },
    { keys: ['Ctrl+S'], text: 'Save the query', inInputs: true, run: () => void saveDraft(draft.id) },
    { keys: ['Ctrl+Z'], text: 'Undo', run: (event) => (typing(event) ? false : undo(draft.id)) },
    {
      keys: ['Ctrl+Shift+Z', 'Ctrl+Y'],
      text: 'Redo',
      run: (event) => (typing(event) ? false : redo(draft.id)),
    },
    { keys: ['E'], text: 'Show or hide the conditions', run: () => setOpen((is) => !is) },
  ]);

  const noMatches = config.data ? (
    <NoMatches
      domain={query.domain}
      payload={payload}
      tree={tree}
      config={config.data}
      of={count.of}
      offline={offline}
      onDrop={(index) => {
        editTree(draft.id, (root) => removeAt(root, [index]));
        void run.run();
      }}
    />
  ) : null;
  return (
    <div className="pp-query">
      <QueryHeader
        draft={draft}
        tabId={tabId}
        dirty={dirty}
        running={run.running}
        canRun={config.data !== undefined}
        onRun={() => start(true)}
      />
      {open ? (
        <section className="pp-query-conditions" aria-label="Conditions">
          <div className="pp-query-builder pp-scroll">
            {config.data ? (
              <Builder draftId={draft.id} tree={tree} config={config.data} problems={problems} />
            ) : config.error ? (
              <ErrorState
                title="The fields of this domain could not be loaded"
                error={config.error}
                notKnown="The conditions are kept as they are."
                onRetry={config.refresh}
              />
            ) : (
              <SkeletonRows rows={4} labelWidth={140} />
            )}
          </div>
          <WordsPanel segments={segments} count={count} problems={problems} offline={offline} />
          <button
            type="button"
            className="pp-query-fold"
            aria-label="Hide the conditions"
            title="Hide the conditions (E)"
            onClick={() => setOpen(false)}
          >
            <ChevronUp size={12} />
          </button>
        </section>
      ) : (
        <button
          type="button"
          className="pp-query-line"
          title="Show the conditions (E)"
          onClick={() => setOpen(true)}
        >
          <ChevronDown size={12} />
          <span className="pp-ellipsis pp-spacer">{plainWords(segments)}</span>
          {count.total === null ? null : <b>{exact(count.total)}</b>}
        </button>
      )}
      {run.result && config.data && layout !== undefined ? (
        <Results
          draft={draft}
          config={config.data}
          result={run.result}
          run={run}
          layout={layout}
          setLayout={setLayout}
          offline={offline}
          product={connection?.product ?? ''}
          changed={run.ranCondition !== null && run.ranCondition !== JSON.stringify(payload.condition)}
          noMatches={noMatches ?? <span />}
        />
      ) : (
        <div className="pp-query-rest">
          {run.running || (!run.idle && !run.error) ? (
            <SkeletonRows rows={12} labelWidth={120} />
          ) : run.error && !offline ? (
            <ErrorState
              title="The query did not run"
              error={run.error}
              notKnown="This does not mean that nothing matches."
              onRetry={() => start(true)}
            />
          ) : (
            <NeverRun
              domain={query.domain}
              offline={offline}
              canRun={canRun}
              error={run.error}
              onRun={() => start(true)}
            />
          )}
        </div>
      )}
    </div>
  );
}

const typing = (event: KeyboardEvent): boolean =>
  event.target instanceof HTMLElement &&
  event.target.matches('input:not([type="checkbox"], [type="radio"]), textarea, [contenteditable="true"]');

/** One query: header, conditions, words and count, results. */
export default function QueryScreen({ route, tabId }: ScreenProps<'query'>): JSX.Element {
  const { draft, missing } = useDraft(route.draftId);
  if (missing)
    return (
      <EmptyState
        title="This query is no longer in the workspace"
        reason="It was removed, or saved by another version. Saved queries are in the library."
      />
    );
  if (!draft) return <SkeletonRows rows={8} labelWidth={120} />;
  return <QueryView key={draft.id} draft={draft} tabId={tabId} />;
}
