import { TextArea } from '@blueprintjs/core';
import { type JSX, useEffect, useRef, useState } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { ErrorState } from '#renderer/ui/error-bar.tsx';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import type { QueryConfig } from '#shared/model/entities.ts';
import { parseTree, writeTree } from '#shared/query/raw.ts';
import { type ConditionGroup, depthOf, MAX_DEPTH } from '#shared/query/tree.ts';
import type { Problem } from '#shared/query/validate.ts';
import { TreeEditor } from './tree-editor.tsx';
import './builder.css';

type EditTree = (change: (tree: ConditionGroup) => ConditionGroup, merge?: string) => void;

/** The condition tree as JSON, edited live; invalid text shows its error and changes nothing. */
function RawEditor(props: { tree: ConditionGroup; onEdit: EditTree }): JSX.Element {
  const { tree, onEdit } = props;
  const [text, setText] = useState(() => writeTree(tree));
  const latest = useRef(tree);
  // The tree was changed elsewhere (undo, a filter), so the text is replaced.
  useEffect(() => {
    if (latest.current === tree) return;
    latest.current = tree;
    setText(writeTree(tree));
  }, [tree]);
  const read = parseTree(text);
  return (
    <div className="pp-raw">
      <small className={read.ok ? 'pp-t3' : 'pp-danger'} role={read.ok ? undefined : 'alert'}>
        {read.ok ? 'Valid' : `${read.message} Conditions unchanged.`}
      </small>
      <TextArea
        fill
        aria-label="Conditions as JSON"
        aria-invalid={!read.ok}
        spellCheck={false}
        rows={Math.min(16, text.split('\n').length + 1)}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          const next = parseTree(value);
          if (!next.ok) return;
          latest.current = next.tree;
          onEdit(() => next.tree, 'raw');
        }}
      />
    </div>
  );
}

/** A condition tree as rows or JSON; fields and operators come from the query config alone. */
export function ConditionsEditor(props: {
  tree: ConditionGroup;
  config: QueryConfig;
  problems: readonly Problem[];
  /** Edits the tree as JSON instead of rows. */
  raw: boolean;
  /** Shown while there are no conditions. */
  none?: string;
  onEdit: EditTree;
}): JSX.Element {
  const { raw, ...shared } = props;
  const { tree, onEdit } = shared;
  if (raw) return <RawEditor tree={tree} onEdit={onEdit} />;
  if (depthOf(tree) > MAX_DEPTH)
    return (
      <p className="pp-caution-bar">
        Groups are nested more than {MAX_DEPTH} levels deep: edit them as JSON.
      </p>
    );
  return <TreeEditor {...shared} />;
}

/** In place of conditions whose fields have not been loaded. */
export function NoConditions({ config }: { config: Read<'query.config'> }): JSX.Element {
  if (config.error === null) return <SkeletonRows rows={4} labelWidth={140} />;
  return (
    <ErrorState
      title="Query fields could not be loaded"
      error={config.error}
      notKnown="Your conditions are unchanged."
      onRetry={config.refresh}
    />
  );
}
