import { MenuItem } from '@blueprintjs/core';
import { Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { type Stack, scanDuration, type ToolRow } from '#renderer/entity/stack-rows.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { GlyphArc } from '#renderer/ui/glyphs.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { type ClockSetting, profileTime } from '#shared/model/clock.ts';
import { exact } from '#shared/model/format.ts';
import { said } from './said.ts';
import { type EmailReads, panelState } from './use-email.ts';

const countWords = (stack: Stack) =>
  [
    `${exact(stack.answered)} of ${exact(stack.rows.length)} answered`,
    stack.notApplicable.length > 0 ? `${exact(stack.notApplicable.length)} not applicable` : null,
  ]
    .filter(Boolean)
    .join(' · ');

const rescanTitle = (until: string, clock: ClockSetting) =>
  until === '' ? 'Asked to look again' : `Asked to look again, expected at ${profileTime(until, clock)}`;

function Row({ row }: { row: ToolRow }): JSX.Element {
  const clock = useClock();
  const { derived } = row;
  const summary = row.summary === null ? null : said(row.summary);
  return (
    <div className="em-stack-row">
      <b className="pp-ellipsis" title={row.label}>
        {row.label}
      </b>
      <span className="em-nowrap">
        <VerdictChip
          verdict={derived.verdict}
          code={derived.rawCode}
          error={derived.error ? (row.error ?? true) : null}
        />
      </span>
      <span className="pp-t2 pp-ellipsis" title={summary ?? undefined}>
        {summary ?? (
          <span className="pp-unknown">
            {derived.verdict === 'not-scanned' ? 'No result' : 'Nothing in words'}
          </span>
        )}
      </span>
      {row.rescanUntil === null ? (
        <span className="pp-t3 pp-num em-duration">{scanDuration(row.durationMs)}</span>
      ) : (
        <span className="pp-fresh pp-fresh-loading em-nowrap" title={rescanTitle(row.rescanUntil, clock)}>
          <GlyphArc />
          looks again
        </span>
      )}
    </div>
  );
}

/** A row per tool that looks at emails, in brief; the tab has reasons, exceptions and times. */
export function StackPanel({ email }: { email: EmailReads }): JSX.Element {
  const { stack, scans } = email;
  return (
    <Panel
      title="Security stack"
      {...(stack ? { count: <span title={notApplicableTitle(stack)}>{countWords(stack)}</span> } : {})}
      {...panelState(scans)}
      loadingText="asking the tools"
      rows={6}
      shownInstead="The verdicts below are older."
      notKnown="What the tools said is not known: this does not mean the email is clean."
      menu={<MenuItem text="Refresh" icon={<Refresh size={14} />} onClick={scans.refresh} />}
      empty={
        stack && stack.rows.length === 0
          ? {
              title: 'No tool has looked at this email',
              reason: 'The service lists no tool for it. That is not a clean result.',
            }
          : null
      }
    >
      {stack && stack.rows.length > 0 ? (
        <div className="em-stack">
          {stack.rows.map((row) => (
            <Row key={row.tool} row={row} />
          ))}
        </div>
      ) : null}
    </Panel>
  );
}

const notApplicableTitle = (stack: Stack) =>
  stack.notApplicable.length > 0 ? `Not applicable: ${stack.notApplicable.join(', ')}` : undefined;
