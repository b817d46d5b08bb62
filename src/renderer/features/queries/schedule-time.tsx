import { HTMLSelect, InputGroup } from '@blueprintjs/core';
import type { JSX } from 'react';
import { Field } from '#renderer/ui/field.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { EXPORT_FORMATS, FREQUENCIES } from '#shared/model/enums.ts';
import { WEEKDAYS } from '#shared/model/schedule.ts';
import { type ScheduleForm, timeTyped } from './schedule-form.ts';

type Change = (part: Partial<ScheduleForm>) => void;

const FORMAT_LABELS: Readonly<Record<string, string>> = { json: 'JSON', csv: 'CSV', xlsx: 'Excel (XLSX)' };
const FREQUENCY_LABELS: Readonly<Record<string, string>> = {
  daily: 'Daily',
  weekly: 'Weekly',
  monthly: 'Monthly',
};
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

/** How often, on which day, at what time; the zone stands beside the time. */
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
        <span className="pp-field-legend">How often</span>
        <Segmented
          label="How often"
          value={frequency}
          options={FREQUENCIES.map((value) => ({ value, label: FREQUENCY_LABELS[value] ?? value }))}
          onChange={(next) => onChange({ frequency: next })}
        />
        <Problem text={problems.get('frequency')} />
      </div>
      <div className="pp-schedule-when">
        {frequency === 'monthly' ? (
          <Field label="Week of the month" problem={problems.get('week') ?? null}>
            {(id) => (
              <HTMLSelect
                id={id}
                fill
                value={form.week}
                options={WEEKS}
                onChange={({ currentTarget }) => onChange({ week: Number(currentTarget.value) })}
              />
            )}
          </Field>
        ) : null}
        {frequency === 'daily' ? null : (
          <Field label="Day" problem={problems.get('day') ?? null}>
            {(id) => (
              <HTMLSelect
                id={id}
                fill
                value={form.day}
                options={DAYS}
                onChange={({ currentTarget }) => onChange({ day: Number(currentTarget.value) })}
              />
            )}
          </Field>
        )}
        <Field label={`Time, server time (${zone})`} problem={problems.get('time') ?? null}>
          {(id) => (
            <InputGroup
              id={id}
              value={form.time}
              maxLength={5}
              placeholder="HH:MM"
              inputMode="numeric"
              aria-invalid={problems.has('time')}
              onValueChange={(time) => onChange({ time })}
              onBlur={() => onChange({ time: timeTyped(form.time) })}
            />
          )}
        </Field>
      </div>
    </>
  );
}
