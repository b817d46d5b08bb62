import { ChevronDown, ChevronUp } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { ErrorState } from '#renderer/ui/error-bar.tsx';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import { exact } from '#shared/model/format.ts';
import { plainWords, type Segment } from '#shared/query/describe.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { Problem } from '#shared/query/validate.ts';
import { Builder } from './builder.tsx';
import type { LiveCount } from './use-count.ts';
import { WordsPanel } from './words-panel.tsx';

/** The conditions with their words and count, or, folded, one line of plain words. */
export function Conditions(props: {
  draftId: string;
  tree: ConditionGroup;
  config: Read<'query.config'>;
  problems: readonly Problem[];
  segments: readonly Segment[];
  exactWords: string;
  count: LiveCount;
  isOpen: boolean;
  onOpen: (open: boolean) => void;
}): JSX.Element {
  const { draftId, tree, config, problems, segments, exactWords, count, isOpen, onOpen } = props;
  const [raw, setRaw] = useState(false);
  if (!isOpen)
    return (
      <button
        type="button"
        className="pp-query-line"
        title="Show the conditions (E)"
        onClick={() => onOpen(true)}
      >
        <ChevronDown size={12} />
        <span className="pp-ellipsis pp-spacer">{plainWords(segments)}</span>
        {count.total === null ? null : <b>{exact(count.total)}</b>}
      </button>
    );
  return (
    <section className="pp-query-conditions" aria-label="Conditions">
      <div className="pp-query-builder pp-scroll">
        {config.data ? (
          <Builder draftId={draftId} tree={tree} config={config.data} problems={problems} raw={raw} />
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
      <WordsPanel
        segments={segments}
        exactWords={exactWords}
        count={count}
        problems={problems}
        raw={raw}
        onRaw={setRaw}
      />
      <button
        type="button"
        className="pp-query-fold"
        aria-label="Hide the conditions"
        title="Hide the conditions (E)"
        onClick={() => onOpen(false)}
      >
        <ChevronUp size={12} />
      </button>
    </section>
  );
}
