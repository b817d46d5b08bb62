import { ChevronDown, ChevronUp } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { cap, QUERY } from '#renderer/commands/keys.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { GlyphArc } from '#renderer/ui/glyphs.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import type { QueryConfig } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { describeCondition, plainWords, type Segment } from '#shared/query/describe.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { Problem } from '#shared/query/validate.ts';
import { editTree } from '../draft-edit.ts';
import { QuerySummary } from '../query-summary.tsx';
import { ConditionsEditor, NoConditions } from './conditions-editor.tsx';
import { SummaryPanel } from './summary-panel.tsx';
import type { LiveCount } from './use-count.ts';
import './builder.css';

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
      <QuerySummary segments={words} /> <LinkButton onClick={onEdit}>Edit report condition</LinkButton>
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
            <ConditionsEditor
              key={draftId}
              tree={tree}
              config={config.data}
              problems={problems}
              raw={raw}
              onEdit={(change, merge) => editTree(draftId, change, merge ?? null)}
            />
            <ReportCondition tree={props.reportTree} config={config.data} onEdit={props.onReport} />
          </>
        ) : (
          <NoConditions config={config} />
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
