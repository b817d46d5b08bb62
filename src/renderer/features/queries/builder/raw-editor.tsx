import { TextArea } from '@blueprintjs/core';
import { type JSX, useEffect, useRef, useState } from 'react';
import { parseTree, writeTree } from '#shared/query/raw.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';

/** The condition tree as JSON: edited live; a text that is no tree is told why and changes nothing. */
export function RawEditor(props: {
  tree: ConditionGroup;
  onEdit: (change: (tree: ConditionGroup) => ConditionGroup, merge?: string) => void;
}): JSX.Element {
  const { tree, onEdit } = props;
  const [text, setText] = useState(() => writeTree(tree));
  const known = useRef(tree);
  // Undo, a filter from the results or the rows of the builder changed the tree: show what it is now.
  useEffect(() => {
    if (known.current === tree) return;
    known.current = tree;
    setText(writeTree(tree));
  }, [tree]);
  const read = parseTree(text);
  return (
    <div className="pp-raw">
      <small className={read.ok ? 'pp-t3' : 'pp-danger'} role={read.ok ? undefined : 'alert'}>
        {read.ok ? 'A valid condition tree.' : `${read.message} The conditions stay as they were.`}
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
          known.current = next.tree;
          onEdit(() => next.tree, 'raw');
        }}
      />
    </div>
  );
}
