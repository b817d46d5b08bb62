import { type JSX, useMemo, useRef } from 'react';
import type { QueryConfig } from '#shared/model/entities.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { Problem } from '#shared/query/validate.ts';
import { BuilderContext, type BuilderValue, pathText } from './builder/builder-context.ts';
import { GroupEditor } from './builder/group-editor.tsx';
import { fieldsById } from './query-run.ts';

/** The builder's rows over a condition tree: of a draft, of a report, of a filter over rows. */
export function TreeEditor(props: {
  config: QueryConfig;
  tree: ConditionGroup;
  problems: readonly Problem[];
  /** `merge`: names what is edited, so that typing can be one step of a history. */
  onEdit: (change: (tree: ConditionGroup) => ConditionGroup, merge?: string) => void;
}): JSX.Element {
  const { config, tree, problems, onEdit } = props;
  const dragged = useRef<BuilderValue['dragged']['current']>(null);
  const focus = useRef<BuilderValue['focus']['current']>(null);
  const latest = useRef(onEdit);
  latest.current = onEdit;
  const value = useMemo<BuilderValue>(
    () => ({
      config,
      fields: fieldsById(config),
      operators: new Map(config.operators.map((operator) => [operator.id, operator])),
      problems: new Map(problems.map((problem) => [pathText(problem.path), problem.message])),
      edit: (change, merge) => latest.current(change, merge),
      dragged,
      focus,
    }),
    [config, problems],
  );
  return (
    <BuilderContext value={value}>
      <div className="pp-qb">
        <GroupEditor group={tree} path={[]} />
      </div>
    </BuilderContext>
  );
}
