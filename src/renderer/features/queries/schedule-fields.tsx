import { TagInput } from '@blueprintjs/core';
import { type JSX, useState } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Field, SelectField, TextField } from '#renderer/ui/form/field.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { useNow } from '#renderer/ui/use-now.ts';
import { dictionary } from '#shared/dictionary.ts';
import { profileTime } from '#shared/model/clock.ts';
import { EXPORT_FORMATS, FREQUENCIES } from '#shared/model/enums.ts';
import { exact } from '#shared/model/format.ts';
import { scheduleWords, WEEKDAYS } from '#shared/model/schedule.ts';
import { ExportPassword } from './results/export-password.tsx';
import {
  recipientsIn,
  runsInZone,
  type ScheduleForm,
  scheduleOf,
  timeTyped,
  withRecipients,
} from './schedule-form.ts';

const RUNS = 3;

/** The schedule in words, and the next runs in the chosen time zone. */
export function ScheduleRuns(props: {
  form: ScheduleForm;
  zone: string;
  /** Whether the connection defines the zone; otherwise UTC is assumed, and a note says so. */
  isNamed: boolean;
}): JSX.Element {
  const { form, zone, isNamed } = props;
  const clock = useClock();
  const runs = runsInZone(form, zone, useNow(), RUNS);
  return (
    <div className="pp-schedule-runs">
      <b>
        {runs.length === 0 ? 'Incomplete: no upcoming runs' : scheduleWords(scheduleOf(form, null), zone)}
      </b>
      <ol aria-label="Next runs">
        {runs.map((run) => (
          <li key={run} className="pp-mono">
            {profileTime(run, clock)}
          </li>
        ))}
      </ol>
      {isNamed ? null : (
        <span className="pp-t3 pp-caption">
          Assuming UTC: this connection has no time zone. Set it in the connection’s settings.
        </span>
      )}
    </div>
  );
}

/** Recipients as chips, typed or pasted; invalid addresses are marked. */
export function Recipients(props: {
  emails: readonly string[];
  problems: ReadonlyMap<string, string>;
  onChange: (emails: string[]) => void;
}): JSX.Element {
  const { emails, problems, onChange } = props;
  const [typed, setTyped] = useState('');
  const emailProblems = [...problems].filter(([field]) => field.startsWith('emails'));
  const [first] = emailProblems;
  const more = emailProblems.length > 1 ? ` (and ${exact(emailProblems.length - 1)} more)` : '';
  return (
    <Field
      label={`Recipients${emails.length > 1 ? `: ${exact(emails.length)}` : ''}`}
      problem={first ? `${first[1]}${more}` : null}
      note="Enter or paste addresses. Every recipient gets the full result."
    >
      {(id) => (
        <TagInput
          className="pp-schedule-recipients"
          fill
          values={[...emails]}
          addOnBlur
          addOnPaste
          separator={false}
          inputValue={typed}
          onInputChange={({ currentTarget }) => {
            const { value } = currentTarget;
            // A comma or a semicolon ends an address.
            if (!/[,;]\s*$/.test(value)) return setTyped(value);
            onChange(withRecipients(emails, recipientsIn(value)));
            setTyped('');
          }}
          inputProps={{ id, spellCheck: false, inputMode: 'email', 'aria-invalid': emailProblems.length > 0 }}
          placeholder={emails.length === 0 ? 'name@company.example' : undefined}
          tagProps={(_, index) => ({
            minimal: true,
            intent: problems.has(`emails.${index}`) ? 'danger' : 'none',
            className: problems.has(`emails.${index}`) ? 'pp-schedule-bad' : '',
            title: problems.get(`emails.${index}`),
          })}
          onAdd={(added) => {
            onChange(withRecipients(emails, added.flatMap(recipientsIn)));
            setTyped('');
            return true;
          }}
          onRemove={(_, index) => onChange(emails.filter((__, position) => position !== index))}
        />
      )}
    </Field>
  );
}

/** The password of the sent files: write-only. */
export function SchedulePassword(props: {
  form: ScheduleForm;
  /** Null if the service does not say. */
  hasOne: boolean | null;
  problem: string | null;
  onChange: (part: Partial<ScheduleForm>) => void;
}): JSX.Element {
  const { form, hasOne, problem, onChange } = props;
  const { sealed, password } = form;
  return (
    <>
      <div className="pp-field">
        <span className="pp-field-legend">File password</span>
        <Segmented
          label="File password"
          value={sealed}
          options={[
            { value: 'none', label: 'None' },
            ...(hasOne === false
              ? []
              : [{ value: 'keep' as const, label: hasOne ? 'Keep current' : 'Unchanged' }]),
            { value: 'new', label: hasOne === false ? 'Password-protect' : 'Set new' },
          ]}
          onChange={(next) => onChange({ sealed: next, password: '' })}
        />
        {sealed === 'keep' ? (
          <small>
            {hasOne
              ? 'Stored by the service, never shown.'
              : 'The service doesn’t say whether the files have a password.'}
          </small>
        ) : null}
      </div>
      {sealed === 'new' ? (
        <ExportPassword
          password={password}
          problem={problem}
          empty="Sent to the service, not stored on this machine."
          kept="Not stored on this machine: share it with the recipients yourself."
          onChange={(next) => onChange({ password: next })}
        />
      ) : null}
    </>
  );
}

type Change = (part: Partial<ScheduleForm>) => void;

const FORMAT_LABELS: Readonly<Record<string, string>> = dictionary({
  json: 'JSON',
  csv: 'CSV',
  xlsx: 'Excel (XLSX)',
});
const FREQUENCY_LABELS: Readonly<Record<string, string>> = dictionary({
  daily: 'Daily',
  weekly: 'Weekly',
  monthly: 'Monthly',
});
const WEEKS = ['First', 'Second', 'Third', 'Fourth'].map((label, index) => ({ value: index + 1, label }));
const DAYS = WEEKDAYS.map((label, value) => ({ value, label }));

const Problem = ({ text }: { text: string | undefined }): JSX.Element | null =>
  text ? (
    <small className="pp-danger" role="alert">
      {text}
    </small>
  ) : null;

export function FormatSegments(props: {
  format: string;
  problem: string | undefined;
  onChange: Change;
}): JSX.Element {
  return (
    <div className="pp-field">
      <span className="pp-field-legend">Format</span>
      <Segmented
        label="Format"
        value={props.format}
        options={EXPORT_FORMATS.map((value) => ({ value, label: FORMAT_LABELS[value] ?? value }))}
        onChange={(format) => props.onChange({ format })}
      />
      <Problem text={props.problem} />
    </div>
  );
}

/** Frequency, day and time; the time zone is shown beside the time. */
export function ScheduleTime(props: {
  form: ScheduleForm;
  zone: string;
  problems: ReadonlyMap<string, string>;
  onChange: Change;
}): JSX.Element {
  const { form, zone, problems, onChange } = props;
  const { frequency } = form;
  return (
    <>
      <div className="pp-field">
        <span className="pp-field-legend">Frequency</span>
        <Segmented
          label="Frequency"
          value={frequency}
          options={FREQUENCIES.map((value) => ({ value, label: FREQUENCY_LABELS[value] ?? value }))}
          onChange={(next) => onChange({ frequency: next })}
        />
        <Problem text={problems.get('frequency')} />
      </div>
      <div className="pp-schedule-when">
        {frequency === 'monthly' ? (
          <SelectField
            label="Week of the month"
            problem={problems.get('week') ?? null}
            fill
            value={form.week}
            options={WEEKS}
            onChange={(week) => onChange({ week })}
          />
        ) : null}
        {frequency === 'daily' ? null : (
          <SelectField
            label="Day"
            problem={problems.get('day') ?? null}
            fill
            value={form.day}
            options={DAYS}
            onChange={(day) => onChange({ day })}
          />
        )}
        <TextField
          label={`Time (server time, ${zone})`}
          problem={problems.get('time') ?? null}
          value={form.time}
          maxLength={5}
          placeholder="HH:MM"
          inputMode="numeric"
          aria-invalid={problems.has('time')}
          onValueChange={(time) => onChange({ time })}
          onBlur={() => onChange({ time: timeTyped(form.time) })}
        />
      </div>
    </>
  );
}
