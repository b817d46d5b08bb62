import { ChevronDown, ChevronUp } from '@blueprintjs/icons';
import { type JSX, useEffect, useRef, useState } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { cap, QUERY } from '#renderer/commands/keys.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { ErrorState } from '#renderer/ui/error-bar.tsx';
import { GlyphArc } from '#renderer/ui/glyphs.tsx';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import type { QueryConfig } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { describeCondition, plainWords, type Segment } from '#shared/query/describe.ts';
import { type ConditionGroup, depthOf, MAX_DEPTH } from '#shared/query/tree.ts';
import type { Problem } from '#shared/query/validate.ts';
import { editTree } from '../draft-edit.ts';
import { QuerySummary } from '../query-summary.tsx';
import { SummaryPanel } from './summary-panel.tsx';
import { TreeEditor } from './tree-editor.tsx';
import type { LiveCount } from './use-count.ts';
import './builder.css';
import { TextArea } from '@blueprintjs/core';
import { parseTree, writeTree } from '#shared/query/raw.ts';

/** The condition tree as JSON, edited live; invalid text shows its error and changes nothing. */
function RawEditor(props: {
  tree: ConditionGroup;
  onEdit: (change: (tree: ConditionGroup) => ConditionGroup, merge?: string) => void;
}): JSX.Element {
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

/** The conditions of a draft as rows or JSON; fields and operators come from the query config alone. */
function Builder(props: {
  draftId: string;
  tree: ConditionGroup;
  config: QueryConfig;
  problems: readonly Problem[];
  /** Edits the tree as JSON instead of rows. */
  raw: boolean;
}): JSX.Element {
  const { draftId, tree, config, problems, raw } = props;
  const edit = (change: (tree: ConditionGroup) => ConditionGroup, merge?: string) =>
    editTree(draftId, change, merge ?? null);
  if (raw) return <RawEditor tree={tree} onEdit={edit} />;
  if (depthOf(tree) > MAX_DEPTH)
    return (
      <p className="pp-caution-bar">
        Groups are nested more than {MAX_DEPTH} levels deep: edit them as JSON.
      </p>
    );
  return <TreeEditor key={draftId} config={config} tree={tree} problems={problems} onEdit={edit} />;
}

/** What a report requires beside these conditions. */
function ReportCondition(props: {
  tree: ConditionGroup;
  config: QueryConfig;
  onEdit: () => void;
}): JSX.Element | null {
  const { tree, config, onEdit } = props;
  const clock = useClock();
  const words = describeCondition(tree, config, { clock });
  if (words.length === 0) return null;
  return (
    <p className="pp-qb-report">
      <span className="pp-t3">Report condition: </span>
      <QuerySummary segments={words} />{' '}
      <button type="button" className="pp-link" onClick={onEdit}>
        Edit report condition
      </button>
    </p>
  );
}

/** The conditions with their summary and count, or one line when collapsed. */
export function Conditions(props: {
  draftId: string;
  tree: ConditionGroup;
  config: Read<'query.config'>;
  problems: readonly Problem[];
  segments: readonly Segment[];
  fullSummary: string;
  reportTree: ConditionGroup;
  /** Edits the report. */
  onReport: () => void;
  count: LiveCount;
  isOpen: boolean;
  onOpen: (open: boolean) => void;
}): JSX.Element {
  const { draftId, tree, config, problems, segments, fullSummary, count, isOpen, onOpen } = props;
  const [raw, setRaw] = useState(false);
  if (!isOpen)
    return (
      <button
        type="button"
        className="pp-query-line"
        title={`Show conditions (${cap(QUERY.conditions)})`}
        onClick={() => onOpen(true)}
      >
        <ChevronDown size={12} />
        <span className="pp-ellipsis pp-spacer">{plainWords(segments)}</span>
        {count.counting ? <GlyphArc /> : count.total === null ? null : <b>{exact(count.total)}</b>}
      </button>
    );
  return (
    <section className="pp-query-conditions" aria-label="Conditions">
      <div className="pp-query-builder pp-scroll">
        {config.data ? (
          <>
            <Builder draftId={draftId} tree={tree} config={config.data} problems={problems} raw={raw} />
            <ReportCondition tree={props.reportTree} config={config.data} onEdit={props.onReport} />
          </>
        ) : config.error ? (
          <ErrorState
            title="Query fields could not be loaded"
            error={config.error}
            notKnown="Your conditions are unchanged."
            onRetry={config.refresh}
          />
        ) : (
          <SkeletonRows rows={4} labelWidth={140} />
        )}
      </div>
      <SummaryPanel
        segments={segments}
        fullSummary={fullSummary}
        count={count}
        problems={problems}
        raw={raw}
        onRaw={setRaw}
      />
      <button
        type="button"
        className="pp-query-fold"
        aria-label="Hide conditions"
        title={`Hide conditions (${cap(QUERY.conditions)})`}
        onClick={() => onOpen(false)}
      >
        <ChevronUp size={12} />
      </button>
    </section>
  );
}
