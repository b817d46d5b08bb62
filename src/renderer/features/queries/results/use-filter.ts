import { useEffect, useMemo, useState } from 'react';
import { currentDraft, updateDraft } from '#renderer/state/drafts.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { type LocalFilter, SEARCH_MOST } from '#shared/bridge/operations.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import { refang } from '#shared/model/defang.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { withListValues } from '#shared/query/custom-lists.ts';
import { type ConditionGroup, effective, emptyGroup, walkConditions } from '#shared/query/tree.ts';
import { type Problem, validate } from '#shared/query/validate.ts';
import { nodeAt, toggleDisabled } from '../tree-edit.ts';
import { timeCondition } from './time-search.ts';

const SEARCH_MS = 150;

export type DraftView = NonNullable<Draft['view']>;
const NO_FILTER: LocalFilter = { text: '', facets: {} };
const NEW_VIEW: DraftView = { filter: NO_FILTER, filterOpen: false, row: 0 };

/** Changes the view (filter, top row) of a draft; it survives a restart. */
export function updateView(draftId: string, change: Partial<DraftView>): void {
  const view = currentDraft(draftId)?.view ?? NEW_VIEW;
  updateDraft(draftId, { view: { ...view, ...change } });
}

export interface FilterState {
  /** Text of the search box; the filter follows after a debounce. */
  typed: string;
  setTyped: (text: string) => void;
  text: string;
  /** The effective filter: complete conditions only. */
  filter: LocalFilter;
  setFacets: (facets: LocalFilter['facets']) => void;
  tree: ConditionGroup;
  /** The same with incomplete conditions disabled: what filters. */
  complete: ConditionGroup;
  editTree: (change: (tree: ConditionGroup) => ConditionGroup) => void;
  problems: readonly Problem[];
  conditions: number;
  isOpen: boolean;
  setOpen: (open: boolean) => void;
  clear: () => void;
}

/**
 * A filter on the loaded rows: search text, facet values and conditions. `config` is the fields of the
 * result alone. `draftId` is where the filter survives a restart, or null if it does not.
 */
export function useFilter(
  config: QueryConfig,
  start: DraftView | undefined,
  draftId: string | null,
): FilterState {
  const first = start?.filter ?? NO_FILTER;
  const [typed, setTyped] = useState(first.text);
  const [text, setText] = useState(first.text);
  const [facets, setFacets] = useState<LocalFilter['facets']>(first.facets);
  const [tree, setTree] = useState<ConditionGroup>(() => first.condition ?? emptyGroup());
  const [isOpen, setOpen] = useState(start?.filterOpen ?? false);
  useEffect(() => {
    const timer = setTimeout(() => setText(refang(typed).slice(0, SEARCH_MOST)), SEARCH_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const problems = useMemo(() => validate(tree, config), [tree, config]);
  const complete = useMemo(
    () =>
      problems.reduce(
        (root, { path }) => (nodeAt(root, path)?.disabled ? root : toggleDisabled(root, path)),
        tree,
      ),
    [tree, problems],
  );
  const active = useMemo(() => effective(complete), [complete]);
  const conditions = [...walkConditions(active)].length;
  const [condition, setCondition] = useState<ConditionGroup | null>(() =>
    active.conditions.length > 0 ? active : null,
  );
  useEffect(() => {
    const timer = setTimeout(() => setCondition(active.conditions.length > 0 ? active : null), SEARCH_MS);
    return () => clearTimeout(timer);
  }, [active]);
  const clock = useClock();
  const times = useMemo(() => timeCondition(text, config, clock), [text, config, clock]);
  const filter = useMemo<LocalFilter>(() => {
    const conditions = condition === null ? [] : [withListValues(condition, config.lists)];
    const all = times === null ? conditions : [...conditions, times];
    const [only, second] = all;
    const both = second === undefined ? only : { operator: 'and' as const, conditions: all };
    return { text: times === null ? text : '', facets, ...(both === undefined ? {} : { condition: both }) };
  }, [text, facets, condition, times, config.lists]);
  useEffect(() => {
    if (draftId === null) return;
    const hasTree = tree.conditions.length > 0;
    const before = currentDraft(draftId)?.view;
    const next = { text, facets, ...(hasTree ? { condition: tree } : {}) };
    if (
      JSON.stringify([before?.filter ?? NO_FILTER, before?.filterOpen ?? false]) !==
      JSON.stringify([next, isOpen])
    )
      updateView(draftId, { filter: next, filterOpen: isOpen });
  }, [draftId, text, facets, tree, isOpen]);
  return {
    typed,
    setTyped,
    text,
    filter,
    setFacets,
    tree,
    complete,
    editTree: setTree,
    problems,
    conditions,
    isOpen,
    setOpen,
    clear: () => {
      setTyped('');
      setText('');
      setFacets({});
      setTree(emptyGroup());
      setCondition(null);
    },
  };
}
