import type { JSX } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { GlyphArc } from '#renderer/ui/glyphs.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { profileTime } from '#shared/model/clock.ts';
import { scanDetail } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { defangedText, exceptionOf, type ToolException } from './labels.ts';
import { listState } from './list-state.ts';
import { MoreFields } from './more-fields.tsx';
import { panelMenu } from './panel-menu.tsx';
import { type Stack, scanDuration, type ToolRow } from './stack-rows.ts';
import type { EntityStack } from './use-entity-stack.ts';
import './entity.css';

const countWords = ({ rows, answered, notApplicable }: Stack) =>
  [
    `${exact(answered)} of ${exact(rows.length)} answered`,
    notApplicable.length > 0 ? `${exact(notApplicable.length)} not applicable` : null,
  ]
    .filter(Boolean)
    .join(' · ');

const TONES: Readonly<Record<ToolException['tone'], string>> = {
  none: 'pp-t3',
  allowed: 'pp-caution',
  blocked: 'pp-strong',
  unknown: 'pp-unknown',
};

function ExceptionMark({ exception }: { exception: ToolException | null }): JSX.Element {
  if (exception === null) return <span className="pp-unknown">Exceptions unknown</span>;
  return (
    <>
      <span className={TONES[exception.tone]}>{visibleText(exception.words)}</span>
      {exception.detail ? <span className="pp-t3 en-line">{defangedText(exception.detail)}</span> : null}
    </>
  );
}

/** Reasons of one tool that are shown; the rest are counted. */
const REASONS = 200;

export function Reasons({ row, summary }: { row: ToolRow; summary: string | null }): JSX.Element | null {
  const byCategory = new Map<string, string[]>();
  for (const { category, text } of row.reasons.slice(0, REASONS))
    byCategory.set(category, [...(byCategory.get(category) ?? []), defangedText(text)]);
  const shown = [...byCategory].filter(([, texts]) => texts.some((text) => text !== summary));
  if (shown.length === 0) return null;
  return (
    <dl className="en-reasons">
      {shown.map(([category, texts]) => (
        <div key={category}>
          <dt>{visibleText(category)}</dt>
          <dd>{texts.join('; ')}</dd>
        </div>
      ))}
      {row.reasons.length > REASONS ? (
        <div>
          <dt>More</dt>
          <dd>{exact(row.reasons.length - REASONS)} not shown</dd>
        </div>
      ) : null}
    </dl>
  );
}

function Age({ row }: { row: ToolRow }): JSX.Element {
  const clock = useClock();
  if (row.rescanUntil !== null) {
    const until = row.rescanUntil === '' ? '' : `, expected at ${profileTime(row.rescanUntil, clock)}`;
    return (
      <span className="pp-fresh pp-fresh-loading en-nowrap" title={`Rescan requested${until}`}>
        <GlyphArc />
        rescanning
      </span>
    );
  }
  return <span className="pp-t3 pp-num en-duration">{scanDuration(row.durationMs)}</span>;
}

function Row(props: { row: ToolRow; full: boolean; exception: ToolException | null }): JSX.Element {
  const { row, full, exception } = props;
  const clock = useClock();
  const { derived } = row;
  const summary = row.summary === null ? null : defangedText(row.summary);
  const held = exception !== null && exception.tone !== 'none' ? exception : null;
  return (
    <div className="en-stack-row" data-tool={row.tool} data-verdict={derived.verdict}>
      <b title={row.label}>{row.label}</b>
      <span className="en-nowrap">
        <VerdictChip
          verdict={derived.verdict}
          code={derived.rawCode}
          error={derived.error ? (row.error ?? true) : null}
        />
      </span>
      <span className={full ? 'pp-t2 pp-wrap-anywhere' : 'pp-t2 pp-ellipsis'} title={summary ?? undefined}>
        {summary ?? (
          <span className="pp-unknown">{derived.verdict === 'not-scanned' ? 'No result' : 'No details'}</span>
        )}
        {!full && held ? <span className={TONES[held.tone]}> · {visibleText(held.words)}</span> : null}
        {full ? <Reasons row={row} summary={summary} /> : null}
        {full ? <MoreFields record={row.detail} shape={scanDetail.shape} /> : null}
      </span>
      {full ? (
        <span className="en-exception pp-wrap-anywhere">
          <ExceptionMark exception={exception} />
        </span>
      ) : null}
      <Age row={row} />
      {full ? (
        <span className="pp-t3 en-nowrap pp-num">
          {row.scannedAt === null ? 'Time not recorded' : profileTime(row.scannedAt, clock)}
          {row.reEvaluated ? <span className="pp-caution en-line">re-evaluated</span> : null}
        </span>
      ) : null}
    </div>
  );
}

interface StackTableProps {
  source: EntityStack;
  /** "file", "email". */
  noun: string;
  /** With reasons by category, exceptions and times. */
  full?: boolean;
  className?: string;
}

/** One row per applicable tool, in stack order; tools that do not apply are only counted. */
export function StackTable({ source, noun, full = false, className = '' }: StackTableProps): JSX.Element {
  const { stack, scans, exceptions } = source;
  const naText = stack?.notApplicable.join(', ') ?? '';
  return (
    <Panel
      title="Security stack"
      {...(stack
        ? { count: <span title={naText ? `Not applicable: ${naText}` : undefined}>{countWords(stack)}</span> }
        : {})}
      loadingText="waiting for the tools"
      rows={5}
      shownInstead="Showing older verdicts."
      notKnown={`Tool verdicts are unknown: this does not mean the ${noun} is clean.`}
      className={className}
      menu={panelMenu(() => {
        scans.refresh();
        exceptions.refresh();
      })}
      empty={
        stack && stack.rows.length === 0
          ? {
              title: 'No tools apply',
              reason: `The service lists 0 tools for this ${noun}: that is not a clean result.`,
            }
          : null
      }
      {...listState(scans)}
    >
      {stack && stack.rows.length > 0 ? (
        <div className={full ? 'en-stack en-stack-wide' : 'en-stack'}>
          {stack.rows.map((row) => (
            <Row
              key={row.tool}
              row={row}
              full={full}
              exception={exceptionOf(exceptions.data?.rows, row.tool)}
            />
          ))}
          {full && exceptions.error ? (
            <p className="en-note" role="alert">
              Exceptions unknown: {exceptions.error.message}
            </p>
          ) : null}
          {full && naText ? (
            <p className="en-note">
              Not applicable to this {noun}: {naText}.
            </p>
          ) : null}
        </div>
      ) : null}
    </Panel>
  );
}
