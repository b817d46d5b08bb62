import { Button, ProgressBar } from '@blueprintjs/core';
import { Repeat, Undo } from '@blueprintjs/icons';
import { type CSSProperties, type JSX, useCallback, useEffect, useMemo, useState } from 'react';
import { useCall } from '#renderer/bridge/use-call.ts';
import { closeActionOutcome, openActionOutcome } from '#renderer/state/action-order.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { isActiveJob, onJobControl, useJobs } from '#renderer/state/jobs.ts';
import { outcomeWords } from '#renderer/state/journal-words.ts';
import { openScreen } from '#renderer/state/navigation.ts';
import { sendRefusal } from '#renderer/state/respond.ts';
import { useIsUndone, useUndoOf } from '#renderer/state/undo.ts';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import { columnsFor, type GridColumn, optional } from '#renderer/ui/grid/grid-columns.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import type { Job, JournalEntry, OutputOf, TargetState } from '#shared/bridge/operations.ts';
import { exact, form, visibleText } from '#shared/model/format.ts';
import { countWords } from '#shared/model/responses.ts';
import { targetKind, targetText, targetWords } from '#shared/model/targets.ts';
import './actions.css';
import { TARGET_LABELS } from './labels.ts';

type Target = OutputOf<'actions.targets'>['targets'][number];

const { column, sorted } = columnsFor<Target>();
const MOST = 10_000;
const NO_COUNTS = { pending: 0, sending: 0, done: 0, failed: 0, 'not-sent': 0, unknown: 0 };
const LOOK: Readonly<Partial<Record<TargetState, string>>> = {
  done: 'pp-v-clean',
  failed: 'pp-danger',
  unknown: 'pp-caution',
  'not-sent': 'pp-caution',
};
const NOT_DONE: TargetState[] = ['failed', 'not-sent', 'unknown'];

const NO_TARGETS: readonly Target[] = [];
const nameOf = (domain: string, { entityId, name }: Target): string =>
  name === null ? visibleText(entityId) : targetText(domain, name);
const columnsOf = (domain: string): readonly GridColumn<Target>[] => [
  column('target', 'Target', 'text', [1, 200], (target) => nameOf(domain, target), {
    tooltip: (target) =>
      target.name === null
        ? nameOf(domain, target)
        : `${nameOf(domain, target)}\n${visibleText(target.entityId)}`,
  }),
  optional(column('recipient', targetKind(domain).peopleLabel, 'address', 220, ({ recipient }) => recipient)),
  optional(column('before', 'Before', 'text', [1, 200], ({ before }) => before || null)),
  sorted('state', 'Outcome', 'text', 190, ({ state }) => TARGET_LABELS[state], {
    render: ({ state }) => <span className={LOOK[state] ?? 'pp-t2'}>{TARGET_LABELS[state]}</span>,
  }),
  optional(sorted('error', 'Reason', 'text', [1, 160], ({ error }) => error || null)),
];

/** The journal entry and its targets, reloaded whenever its job changes. */
function useOutcome(journalId: number, only: 'all' | 'left', job: Job | undefined) {
  const entries = useCall('journal.list');
  const list = useCall('actions.targets');
  const [entry, setEntry] = useState<JournalEntry | null>(null);
  const [targets, setTargets] = useState<OutputOf<'actions.targets'> | null>(null);
  const { run: readEntries } = entries;
  const { run: readTargets } = list;
  const read = useCallback(() => {
    void readEntries({ connectionId: null, kind: 'action', before: journalId + 1, limit: 1 }).then((page) => {
      const entry = page?.entries.find(({ id }) => id === journalId);
      if (entry) setEntry(entry);
    });
    const states = only === 'left' ? { states: NOT_DONE } : {};
    void readTargets({ journalId, ...states, start: 0, end: MOST }).then((page) => page && setTargets(page));
  }, [journalId, only, readEntries, readTargets]);
  const moved = `${job?.state} ${job?.done}`;
  useEffect(() => {
    if (moved) read();
  }, [moved, read]);
  return { entry, targets, error: entries.error ?? list.error, read };
}

/**
 * `asking`: a retry that includes targets with an unknown outcome waits for its confirmation, or null if none was
 * requested.
 */
function useRetry(journalId: number) {
  const { run, pending, error } = useCall('actions.retry');
  const [asking, setAsking] = useState<boolean | null>(null);
  return {
    pending,
    error,
    asking,
    ask: () => setAsking(true),
    leave: () => setAsking(false),
    send(unknown: boolean) {
      setAsking(false);
      void run({ journalId, unknown }).then((sent) => sent && openActionOutcome(sent.journalId));
    },
  };
}
type Retry = ReturnType<typeof useRetry>;

function OutcomeSummary(props: {
  entry: JournalEntry | null;
  job: Job | undefined;
  label: string;
}): JSX.Element {
  const { entry, job, label } = props;
  const counts = entry?.action?.counts ?? NO_COUNTS;
  const incomplete = counts.failed + counts['not-sent'] + counts.unknown > 0;
  return (
    <div role="status" data-outcome={job ? 'running' : (entry?.outcome ?? '')}>
      {job ? (
        <>
          <ProgressBar
            value={job.done / Math.max(1, job.total ?? 1)}
            animate={false}
            stripes={false}
            aria-label={label}
          />
          <p className="pp-t2 pp-action-note">
            {exact(job.done)}
            {job.total === null ? '' : ` of ${exact(job.total)}`} answered
          </p>
        </>
      ) : (
        <p className={incomplete ? 'pp-caution-bar' : 'pp-t2'}>
          {entry?.action ? `${outcomeWords(counts)}.` : 'Loading…'}
          {entry?.message ? ` ${visibleText(entry.message)}` : ''}
        </p>
      )}
    </div>
  );
}

/** Targets without an answer may have been acted on, so repeating the action for them needs a confirmation. */
function ConfirmRetry(props: { unknown: number; all: number; retry: Retry }): JSX.Element {
  const { unknown, all, retry } = props;
  return (
    <div className="pp-caution-bar pp-act-asks" role="alert">
      <p>
        {`${form(unknown, 'This one', `These ${exact(unknown)}`)} may have arrived. Check the service first: sending again repeats the action if ${form(unknown, 'it', 'they')} did.`}
      </p>
      <div className="pp-row">
        <Button autoFocus text="Don’t send again" onClick={retry.leave} />
        <Button
          intent="danger"
          text={`Send again to ${exact(all)}`}
          loading={retry.pending}
          onClick={() => retry.send(true)}
        />
      </div>
    </div>
  );
}

/** What can be done once the action has ended: undo, and retries. */
function EndedActions(props: {
  entry: JournalEntry | null;
  left: number;
  unknown: number;
  refusal: string | null;
  retry: Retry;
}): JSX.Element {
  const { entry, left, unknown, refusal, retry } = props;
  const offered = useUndoOf(entry);
  const undo = refusal === null ? offered : null;
  const isSent = useIsUndone(entry);
  return (
    <>
      {/* It stays where it is, so that pressing Enter again presses nothing else. */}
      {undo !== null || isSent ? (
        <Button
          icon={<Undo size={14} />}
          text={isSent ? 'Undo sent' : 'Undo'}
          aria-disabled={isSent}
          onClick={() => undo?.()}
        />
      ) : null}
      {left > 0 ? (
        <Button
          icon={<Repeat size={14} />}
          text={`Retry ${exact(left)}`}
          loading={retry.pending}
          disabled={refusal !== null}
          title={refusal ?? undefined}
          onClick={() => retry.send(false)}
        />
      ) : null}
      {unknown > 0 && !retry.asking ? (
        <Button
          autoFocus={retry.asking === false}
          text={`Retry ${exact(unknown)} unknown…`}
          disabled={refusal !== null || retry.pending}
          title={refusal ?? undefined}
          onClick={retry.ask}
        />
      ) : null}
    </>
  );
}

function TargetList(props: { domain: string; targets: OutputOf<'actions.targets'> | null }): JSX.Element {
  const { domain, targets } = props;
  const keepsBefore = targets?.targets.some(({ before }) => before !== null) ?? false;
  const columns = useMemo(
    () => columnsOf(domain).filter(({ id }) => id !== (keepsBefore ? 'recipient' : 'before')),
    [domain, keepsBefore],
  );
  return (
    <>
      <div
        className="pp-action-preview"
        style={{ '--targets': Math.min(targets?.count ?? 1, 100) } as CSSProperties}
      >
        <ListGrid<Target>
          label="Targets"
          columns={columns}
          rows={targets?.targets ?? NO_TARGETS}
          rowId={({ entityId }) => entityId}
          selectable={false}
          loading={targets === null}
          empty={targets?.count === 0 ? { title: 'All done' } : null}
        />
      </div>
      {targets && targets.count > targets.targets.length ? (
        <p className="pp-t3 pp-small">
          The first {exact(targets.targets.length)} of {exact(targets.count)}
        </p>
      ) : null}
    </>
  );
}

export function OutcomeDialog({ journalId }: { journalId: number }): JSX.Element {
  const { reach, connection } = useConnection();
  const [only, setOnly] = useState<'all' | 'left'>('all');
  const job = useJobs().find(
    ({ kind, outcome }) => kind === 'action' && outcome?.['journalId'] === journalId,
  );
  const { entry, targets, error, read } = useOutcome(journalId, only, job);
  const retry = useRetry(journalId);
  const action = entry?.action ?? null;
  const running = job !== undefined && isActiveJob(job);
  const counts = action?.counts ?? NO_COUNTS;
  const unsent = counts.failed + counts['not-sent'];
  const unknown = counts.unknown;
  const refusal = sendRefusal(reach, connection?.kind);
  const title = action
    ? `${action.actionLabel} ${action.only?.name ? targetWords(action.domain, action.only) : countWords(action.targets, action.domain)}`
    : 'Action';
  return (
    <Dialog
      size="wide"
      title={visibleText(title)}
      onClose={closeActionOutcome}
      footNote={
        running ? (
          'It continues when this is closed.'
        ) : (
          <LinkButton
            onClick={() => {
              closeActionOutcome();
              openScreen('activity');
            }}
          >
            Show in Activity
          </LinkButton>
        )
      }
      actions={
        <>
          {running && job ? (
            <Button text="Cancel remaining" onClick={() => onJobControl(job, 'cancel')} />
          ) : (
            <EndedActions entry={entry} left={unsent} unknown={unknown} refusal={refusal} retry={retry} />
          )}
          <Button intent="primary" text="Close" onClick={closeActionOutcome} />
        </>
      }
    >
      {error ? <ErrorBar error={error} onRetry={read} /> : null}
      {retry.error ? <ErrorBar error={retry.error} /> : null}
      <OutcomeSummary entry={entry} job={running ? job : undefined} label={title} />
      {retry.asking ? <ConfirmRetry unknown={unknown} all={unsent + unknown} retry={retry} /> : null}
      {action ? (
        <p className="pp-t2 pp-action-note pp-wrap-anywhere">
          <span className="pp-t3">Reason:</span> {visibleText(action.reason)}
        </p>
      ) : null}
      <Segmented
        label="Targets shown"
        value={only}
        options={[
          { value: 'all', label: `All ${exact(action?.targets ?? 0)}` },
          { value: 'left', label: `Not done ${exact(unsent + unknown)}` },
        ]}
        onChange={setOnly}
      />
      <TargetList domain={action?.domain ?? ''} targets={targets} />
    </Dialog>
  );
}
