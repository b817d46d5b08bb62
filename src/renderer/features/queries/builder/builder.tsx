import type { JSX } from 'react';
import type { QueryConfig } from '#shared/model/entities.ts';
import { type ConditionGroup, depthOf, MAX_DEPTH } from '#shared/query/tree.ts';
import type { Problem } from '#shared/query/validate.ts';
import { editTree } from '../draft-edit.ts';
import { TreeEditor } from '../tree-editor.tsx';
import { RawEditor } from './raw-editor.tsx';
import './builder.css';

/** The conditions of a draft, edited in place; what can be asked comes from the query config alone. */
export function Builder(props: {
  draftId: string;
  tree: ConditionGroup;
  config: QueryConfig;
  problems: readonly Problem[];
  /** As JSON instead of rows. */
  raw: boolean;
}): JSX.Element {
  const { draftId, tree, config, problems, raw } = props;
  const edit = (change: (tree: ConditionGroup) => ConditionGroup, merge?: string) =>
    editTree(draftId, change, merge ?? null);
  if (raw) return <RawEditor tree={tree} onEdit={edit} />;
  if (depthOf(tree) > MAX_DEPTH)
    return (
      <p className="pp-caution-bar">
        Groups nest more than {MAX_DEPTH} deep; this tree can be edited as JSON only.
      </p>
    );
  return <TreeEditor key={draftId} config={config} tree={tree} problems={problems} onEdit={edit} />;
}
