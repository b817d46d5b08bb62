import { Button } from '@blueprintjs/core';
import { Clipboard, Undo } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { openActionOutcome } from '#renderer/state/action-order.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import { journalSentence, OUTCOME_LABELS, OUTCOME_LOOKS, reasonOf } from '#renderer/state/journal-words.ts';
import { useUndoOf } from '#renderer/state/undo.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { type Fact, Facts } from '#renderer/ui/facts.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import type { JournalEntry } from '#shared/bridge/operations.ts';
import { profileTime } from '#shared/model/clock.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { connectionName, requestText, scopeLabel, targetCount } from './labels.ts';

function actionFacts({ action }: JournalEntry): Fact[] {
  if (action === null) return [];
  const { counts, params, queryLabel, scope, retryOf } = action;
  const inputs = Object.entries(params);
  const unsent = [
    [counts.failed, 'failed'],
    [counts['not-sent'], 'not sent'],
    [counts.unknown, 'unknown'],
  ] as const;
  return [
    {
      label: 'Targets',
      value: `${targetCount({ action })} done`,
      note: unsent.flatMap(([count, word]) => (count > 0 ? [`${exact(count)} ${word}`] : [])).join(', '),
    },
    { label: 'Scope', value: scopeLabel(scope), note: visibleText(queryLabel) },
    ...inputs.map(([id, value]) => ({
      label: visibleText(id),
      value: visibleText(typeof value === 'string' ? value : JSON.stringify(value)),
    })),
    ...(retryOf === null
      ? []
      : [
          {
            label: 'Retry of',
            value: <LinkButton onClick={() => openActionOutcome(retryOf)}>Previous attempt</LinkButton>,
          },
        ]),
  ];
}

export function JournalDetail({ entry }: { entry: JournalEntry }): JSX.Element {
  const clock = useClock();
  const { connections } = useConnection();
  const request = requestText(entry.request);
  const undo = useUndoOf(entry);
  const reason = reasonOf(entry);
  const facts: Fact[] = [
    { label: 'When', value: profileTime(entry.at, clock) },
    { label: 'Who', value: entry.who },
    {
      label: 'Connection',
      value: connectionName(connections, entry.connectionId),
    },
    {
      label: 'Outcome',
      value: <span className={OUTCOME_LOOKS[entry.outcome]}>{OUTCOME_LABELS[entry.outcome]}</span>,
      note: entry.message ? visibleText(entry.message) : null,
    },
    ...(reason === null ? [] : [{ label: 'Reason', value: visibleText(reason) }]),
    ...actionFacts(entry),
    { label: 'Call', value: <span className="pp-mono">{entry.endpoint}</span> },
  ];
  return (
    <div className="pp-journal-detail" data-journal={entry.id}>
      <h2 className="pp-heading pp-wrap-anywhere">{journalSentence(entry)}</h2>
      {entry.action || undo ? (
        <span className="pp-row">
          {entry.action ? (
            <Button
              size="small"
              text={`Show ${plural(entry.action.targets, 'target')}`}
              onClick={() => openActionOutcome(entry.id)}
            />
          ) : null}
          {undo ? <Button size="small" icon={<Undo size={12} />} text="Undo" onClick={undo} /> : null}
        </span>
      ) : null}
      <Facts facts={facts} />
      <div className="pp-journal-request">
        <span className="pp-caption pp-t3">Request (secrets removed)</span>
        <Button
          size="small"
          variant="minimal"
          icon={<Clipboard size={12} />}
          text="Copy"
          onClick={() => void copyText(entry.request, 'Request copied')}
        />
      </div>
      <pre className="pp-mono">{request}</pre>
    </div>
  );
}
