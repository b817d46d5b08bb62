import { Button, Checkbox } from '@blueprintjs/core';
import { Calendar } from '@blueprintjs/icons';
import { type JSX, useRef, useState } from 'react';
import { useAct } from '#renderer/bridge/use-call.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { inDoubt, sendRefusal } from '#renderer/state/respond.ts';
import { ConfirmDialog, useOpenDialog } from '#renderer/ui/dialog.tsx';
import { TextField } from '#renderer/ui/form/field.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import type { NewQuery, ScheduledExport } from '#shared/model/entities.ts';
import { hasPassword, parseQueryStatus } from '#shared/model/query-status.ts';
import { NAME_NEEDED, NEW_QUERY, SAVED_BEFORE_EDIT } from './labels.ts';
import type { SaveProblem } from './save-problems.ts';
import {
  FormatSegments,
  Recipients,
  SchedulePassword,
  ScheduleRuns,
  ScheduleTime,
} from './schedule-fields.tsx';
import { formField, formOf, formProblems, type ScheduleForm, scheduleOf } from './schedule-form.ts';
import './schedule.css';

interface ScheduleDialogProps {
  query: NewQuery;
  /** Not saved yet: the dialog asks for a name. */
  isNew: boolean;
  /** About the version of the query that it takes. */
  note?: JSX.Element;
  onSave: (schedule: ScheduledExport, name: string, enable: boolean) => Promise<SaveProblem | null>;
  onRemove: () => void;
  onClose: () => void;
}

/** Fields with a place for their problem; a refusal of any other one is shown above them. */
const FIELDS = ['emails', 'format', 'frequency', 'week', 'day', 'time', 'password'];

/** The dialog was closed before the service answered. */
const tellNotSaved = (name: string, { message, isInDoubt }: SaveProblem) =>
  showToast({
    intent: isInDoubt ? 'caution' : 'error',
    stays: true,
    title: isInDoubt ? inDoubt(`Schedule of “${name}”`) : `Schedule of “${name}” not saved`,
    detail: message,
  });

/** The form with its problems, and saving it; `refusal` is why nothing can be sent now. */
function useScheduleForm({ query, isNew, onSave, onClose }: ScheduleDialogProps, refusal: string | null) {
  const [form, setForm] = useState<ScheduleForm>(() => formOf(query.scheduledExport));
  const [name, setName] = useState(query.name);
  const running = parseQueryStatus(query.status ?? '') === 'running';
  // A query that stands stopped with a schedule was stopped on purpose.
  const [enable, setEnable] = useState(!query.scheduledExport);
  const [tried, setTried] = useState(false);
  const [refused, setRefused] = useState<SaveProblem | null>(null);
  const change = (part: Partial<ScheduleForm>) => {
    setRefused(null);
    setForm((before) => ({ ...before, ...part }));
  };
  const formErrors = formProblems(form);
  const nameProblem = name.trim() === '' ? NAME_NEEDED : null;
  const isTemplate = query.subType === 'template';
  const problems = new Map(
    // Invalid addresses are marked while typing; empty fields only on saving.
    formErrors
      .filter(({ field }) => tried || field.startsWith('emails.'))
      .map(({ field, message }) => [field, message]),
  );
  const refusedField = refused ? formField(refused.field) : null;
  if (refused && refusedField) problems.set(refusedField, refused.message);
  const elsewhere =
    refused && refused.field !== 'name' && !FIELDS.includes(refusedField?.split('.')[0] ?? '')
      ? refused.message
      : null;
  const [note, setNote] = useState<string | null>(null);
  const typed = JSON.stringify([form, name, enable]);
  const now = useRef(typed);
  now.current = typed;
  const { isOpen, close } = useOpenDialog(onClose);
  const { run: send, pending } = useAct(async (schedule: ScheduledExport) => {
    setNote(null);
    const problem = await onSave(schedule, name.trim(), enable && !running);
    if (problem && !isOpen()) tellNotSaved(query.name || NEW_QUERY, problem);
    setRefused(problem);
    if (problem) return;
    if (now.current === typed) close();
    else setNote(SAVED_BEFORE_EDIT);
  });
  const save = () => {
    setTried(true);
    if (pending || refusal !== null || isTemplate || formErrors.length > 0 || (isNew && nameProblem !== null))
      return;
    void send(scheduleOf(form, query.scheduledExport));
  };
  return {
    form,
    change,
    name,
    setName,
    nameProblem: tried ? nameProblem : null,
    enable,
    setEnable,
    running,
    isTemplate,
    problems,
    elsewhere,
    note,
    busy: pending,
    save,
  };
}

const confirmText = (isNew: boolean, enables: boolean): string =>
  isNew
    ? `Save query and schedule${enables ? ', and enable' : ''}`
    : `Save schedule${enables ? ' and enable' : ''}`;

/** Recipients, format and times of a scheduled export. Saved with the query; the password is never stored here. */
export function ScheduleDialog(props: ScheduleDialogProps): JSX.Element {
  const { query, isNew, onClose } = props;
  const { reach, connection } = useConnection();
  const zone = connection?.timezone ?? 'UTC';
  const refusal = sendRefusal(reach, connection?.kind);
  const schedule = useScheduleForm(props, refusal);
  const { form, change, problems, busy, note, elsewhere, running, isTemplate, save } = schedule;
  return (
    <ConfirmDialog
      title={`Schedule: ${query.name || NEW_QUERY}`}
      icon={<Calendar size={14} />}
      onClose={onClose}
      onConfirm={save}
      footNote={
        note !== null ? (
          <span role="status">{note}</span>
        ) : query.scheduledExport ? (
          <Button
            variant="minimal"
            intent="danger"
            text="Remove schedule…"
            disabled={busy || refusal !== null}
            onClick={props.onRemove}
          />
        ) : null
      }
      confirm={{
        text: confirmText(isNew, schedule.enable && !running && !isTemplate),
        loading: busy,
        disabled: refusal !== null || isTemplate,
        title: refusal ?? undefined,
      }}
    >
      {props.note}
      {refusal ? <p className="pp-caution pp-schedule-line">{refusal}</p> : null}
      {isTemplate ? (
        <p className="pp-caution pp-schedule-line">Templates don’t run, so they can’t be scheduled.</p>
      ) : null}
      {elsewhere ? (
        <p className="pp-danger pp-schedule-line" role="alert">
          {elsewhere}
        </p>
      ) : null}
      {isNew ? (
        <TextField
          label="Query name"
          problem={schedule.nameProblem}
          value={schedule.name}
          maxLength={200}
          onValueChange={schedule.setName}
        />
      ) : null}
      <Recipients emails={form.emails} problems={problems} onChange={(emails) => change({ emails })} />
      <FormatSegments format={form.format} problem={problems.get('format')} onChange={change} />
      <ScheduleTime form={form} zone={zone} problems={problems} onChange={change} />
      <ScheduleRuns form={form} zone={zone} isNamed={connection?.timezone != null} />
      <SchedulePassword
        form={form}
        hasOne={hasPassword(query.scheduledExport)}
        problem={problems.get('password') ?? null}
        onChange={change}
      />
      {running || isTemplate ? null : (
        <Checkbox
          className="pp-schedule-line"
          checked={schedule.enable}
          onChange={({ currentTarget }) => schedule.setEnable(currentTarget.checked)}
        >
          Enable the query to run on this schedule{' '}
          {isNew ? null : <span className="pp-t3">Currently not running.</span>}
        </Checkbox>
      )}
    </ConfirmDialog>
  );
}
