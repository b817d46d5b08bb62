import { type JSX, useState } from 'react';
import { Segmented } from '#renderer/ui/segmented.tsx';
import type { QueryConfig } from '#shared/model/entities.ts';
import { type ConditionGroup, depthOf, MAX_DEPTH } from '#shared/query/tree.ts';
import type { Problem } from '#shared/query/validate.ts';
import { editTree } from '../draft-edit.ts';
import { TreeEditor } from '../tree-editor.tsx';
import { RawEditor } from './raw-editor.tsx';
import './builder.css';

const MODES = [
  { value: 'rows', label: 'Rows' },
  { value: 'json', label: 'JSON' },
] as const;

/** The conditions of a draft, edited in place; what can be asked comes from the query config alone. */
export function Builder(props: {
  draftId: string;
  tree: ConditionGroup;
  config: QueryConfig;
  problems: readonly Problem[];
}): JSX.Element {
  const { draftId, tree, config, problems } = props;
  const [mode, setMode] = useState<'rows' | 'json'>('rows');
  const tooDeep = depthOf(tree) > MAX_DEPTH;
  const edit = (change: (tree: ConditionGroup) => ConditionGroup, merge?: string) =>
    editTree(draftId, change, merge ?? null);
  return (
    <>
      <div className="pp-query-mode">
        <Segmented compact label="Edit the conditions as" options={MODES} value={mode} onChange={setMode} />
      </div>
      {mode === 'json' ? (
        <RawEditor tree={tree} onEdit={edit} />
      ) : tooDeep ? (
        <p className="pp-caution-bar">
          Groups nest more than {MAX_DEPTH} deep; this tree can be edited as JSON only.
        </p>
      ) : (
        <TreeEditor key={draftId} config={config} tree={tree} problems={problems} onEdit={edit} />
      )}
    </>
  );
}
