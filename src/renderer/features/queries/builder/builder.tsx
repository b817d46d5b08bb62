import { type JSX, useMemo, useRef } from 'react';
import type { QueryConfig } from '#shared/model/entities.ts';
import { type ConditionGroup, depthOf, MAX_DEPTH } from '#shared/query/tree.ts';
import type { Problem } from '#shared/query/validate.ts';
import { editTree } from '../draft-edit.ts';
import { fieldsById } from '../query-run.ts';
import type { Path } from '../tree-edit.ts';
import { BuilderContext, type BuilderValue, pathText } from './builder-context.ts';
import { GroupEditor } from './group-editor.tsx';

/** The conditions of a draft, edited in place; what can be asked comes from the query config alone. */
export function Builder(props: {
  draftId: string;
  tree: ConditionGroup;
  config: QueryConfig;
  problems: readonly Problem[];
}): JSX.Element {
  const { draftId, tree, config, problems } = props;
  const dragged = useRef<Path | null>(null);
  const focus = useRef<BuilderValue['focus']['current']>(null);
  const value = useMemo<BuilderValue>(
    () => ({
      config,
      fields: fieldsById(config),
      operators: new Map(config.operators.map((operator) => [operator.id, operator])),
      problems: new Map(problems.map((problem) => [pathText(problem.path), problem.message])),
      edit: (change, merge) => editTree(draftId, change, merge ?? null),
      dragged,
      focus,
    }),
    [config, problems, draftId],
  );
  if (depthOf(tree) > MAX_DEPTH)
    return (
      <p className="pp-caution-bar">Groups nest more than {MAX_DEPTH} deep; this tree cannot be edited.</p>
    );
  return (
    <BuilderContext value={value}>
      <div className="pp-qb">
        <GroupEditor group={tree} path={[]} />
      </div>
    </BuilderContext>
  );
}
