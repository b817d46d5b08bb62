import { HTMLSelect, InputGroup } from '@blueprintjs/core';
import type { JSX } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { parseNumber, parseTimeUnit, textOf } from '#shared/query/values.ts';
import { dateValue, shownDate } from './clock-dates.ts';
import type { ManyValuesProps, OneValueProps } from './value-inputs.tsx';
import { SPAN_UNITS } from './values-edit.ts';

/** A day, or an instant when a time is given, on the one clock; its zone is named. */
export function DateValue({ label, value, invalid, edge = 'whole', onChange }: OneValueProps): JSX.Element {
  const clock = useClock();
  const { day, time, zone } = shownDate(textOf(value) ?? '', edge, clock);
  const send = (nextDay: string, nextTime: string) => onChange(dateValue(nextDay, nextTime, edge, clock));
  return (
    <span className="pp-qb-unit">
      <input
        type="date"
        className="bp6-input pp-qb-date"
        aria-label={label}
        aria-invalid={invalid}
        value={day}
        onChange={({ currentTarget }) => send(currentTarget.value, time)}
      />
      <input
        type="time"
        step={1}
        className="bp6-input pp-qb-time"
        aria-label={`${label}, time (empty: the whole day)`}
        value={time}
        onChange={({ currentTarget }) => send(day, currentTarget.value)}
      />
      <span className="pp-t3 pp-caption">{zone}</span>
    </span>
  );
}

/** A span that ends now: a number and its unit. */
export function SpanValue({ label, values, invalid, onChange }: ManyValuesProps): JSX.Element {
  const unit = parseTimeUnit(values[1]) ?? 'days';
  return (
    <span className="pp-qb-unit">
      <InputGroup
        className="pp-qb-span"
        aria-label={label}
        aria-invalid={invalid}
        inputMode="numeric"
        value={textOf(values[0]) ?? ''}
        onValueChange={(text) => onChange([parseNumber(text.trim()) ?? text, unit])}
      />
      <HTMLSelect
        aria-label={`${label}, unit`}
        value={unit}
        options={[...SPAN_UNITS]}
        onChange={({ currentTarget }) => onChange([values[0] ?? '', currentTarget.value])}
      />
    </span>
  );
}
