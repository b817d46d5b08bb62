import { Button } from '@blueprintjs/core';
import { DocumentOpen } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Facts } from '#renderer/ui/facts.tsx';
import { termSpans } from '#renderer/ui/highlights.ts';
import type { KeptProfile } from '#shared/bridge/operations.ts';
import { profileTime } from '#shared/model/clock.ts';
import { visibleText } from '#shared/model/format.ts';
import { contentLabel, FIELD_LABELS, KIND_LABELS } from './labels.ts';

function Marked({ line, terms }: { line: string; terms: readonly string[] }): JSX.Element {
  const spans = termSpans(line, terms);
  return (
    <>
      {spans.map(([start, end], index) => (
        <span key={start}>
          {visibleText(line.slice(spans[index - 1]?.[1] ?? 0, start))}
          <mark>{visibleText(line.slice(start, end))}</mark>
        </span>
      ))}
      {visibleText(line.slice(spans.at(-1)?.[1] ?? 0))}
    </>
  );
}

export function KeptDetail(props: {
  row: KeptProfile | null;
  terms: readonly string[];
  onOpen: (row: KeptProfile) => void;
}): JSX.Element {
  const { row, terms, onOpen } = props;
  const clock = useClock();
  if (row === null) return <EmptyState small title="No preview" reason="Choose a saved profile." />;
  const time = (time: number | null) => (time === null ? null : profileTime(time, clock));
  return (
    <div className="pp-kept-detail">
      <h2 className="pp-heading">{visibleText(row.title ?? row.entityId)}</h2>
      <Button intent="primary" icon={<DocumentOpen size={14} />} text="Open" onClick={() => onOpen(row)} />
      {row.hits.length > 0 ? (
        <section aria-label="Matches">
          <h3>Matches</h3>
          <dl className="pp-kept-hits">
            {row.hits.map(({ field, line }) => (
              <div key={field}>
                <dt>{FIELD_LABELS[field]}</dt>
                <dd>
                  <Marked line={line} terms={terms} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ) : null}
      <Facts
        facts={[
          { label: 'Kind', value: KIND_LABELS[row.kind] },
          { label: 'From', value: row.from === null ? null : visibleText(row.from) },
          { label: 'Received', value: time(row.received) },
          { label: 'Saved', value: time(row.savedAt) },
          { label: 'Content', value: contentLabel(row) },
        ]}
      />
    </div>
  );
}
