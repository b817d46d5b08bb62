import { Button, Checkbox, InputGroup, PopupKind } from '@blueprintjs/core';
import { DoubleCaretVertical } from '@blueprintjs/icons';
import { type JSX, useId, useState } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Select } from '#renderer/ui/form/field.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import type { FieldConfig } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { hashType } from '#shared/model/hashes.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import type { ConditionValue } from '#shared/query/tree.ts';
import { parseNumber, parseTimeUnit, textOf, typedExactly } from '#shared/query/values.ts';
import { type DayEdge, dateValue, shownDate } from './clock-dates.ts';
import { Suggestions, suggestsPeople, useNames } from './people.tsx';
import { BYTE_UNITS, byteUnitOf, SPAN_UNITS, typedValue } from './values-edit.ts';

/** A day, or an instant if a time is given, in the chosen time zone, which is shown. */
export function DateValue({ label, value, invalid, edge = 'whole', onChange }: OneValueProps): JSX.Element {
  const clock = useClock();
  const { day, time, zone, covers } = shownDate(textOf(value) ?? '', edge, clock);
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
        aria-label={`${label}, time (empty for the whole day)`}
        value={time}
        onChange={({ currentTarget }) => send(day, currentTarget.value)}
      />
      <span className="pp-t3 pp-caption" title={covers ?? undefined}>
        {zone}
      </span>
    </span>
  );
}

/** A time span ending now: a number and a unit. */
export function SpanValue({ label, values, invalid, onChange }: ManyValuesProps): JSX.Element {
  const unit = parseTimeUnit(values[1]) ?? 'days';
  return (
    <span className="pp-qb-unit">
      <NumberBox
        className="pp-qb-span"
        label={label}
        invalid={invalid}
        value={values[0]}
        onChange={(next) => onChange([next, unit])}
      />
      <Select
        aria-label={`${label}, unit`}
        value={unit}
        options={SPAN_UNITS}
        onChange={(next) => onChange([values[0] ?? '', next])}
      />
    </span>
  );
}

/** Multiple choice among the values that the service allows. */
export function ChoicesValue({ field, label, values, invalid, onChange }: ManyValuesProps): JSX.Element {
  const allowed = field?.allowedValues ?? [];
  const [search, setSearch] = useState('');
  const has = (value: ConditionValue) => values.some((listed) => String(listed) === String(value));
  const unlisted = values.filter(
    (value) => !allowed.some((allowedValue) => String(allowedValue.value) === String(value)),
  );
  const shown = [...unlisted.map((value) => ({ value, label: String(value) })), ...allowed].filter((choice) =>
    choice.label.toLowerCase().includes(search.toLowerCase()),
  );
  const toggle = (value: ConditionValue) =>
    onChange(has(value) ? values.filter((listed) => String(listed) !== String(value)) : [...values, value]);
  const names = values.map(
    (value) =>
      allowed.find((allowedValue) => String(allowedValue.value) === String(value))?.label ?? String(value),
  );
  return (
    <MenuPopover
      popupKind={PopupKind.DIALOG}
      placement="bottom-start"
      content={
        <fieldset className="pp-choices" aria-label={label}>
          {allowed.length > 8 ? (
            <InputGroup
              aria-label={`Search ${label}`}
              placeholder="Search"
              value={search}
              onValueChange={setSearch}
            />
          ) : null}
          <div className="pp-choices-list">
            {shown.map((choice) => (
              <Checkbox
                key={String(choice.value)}
                label={choice.label}
                checked={has(choice.value)}
                onChange={() => toggle(choice.value)}
              />
            ))}
          </div>
        </fieldset>
      }
    >
      <Button
        className={`pp-select-button pp-qb-choices${invalid ? ' pp-qb-invalid' : ''}`}
        aria-label={`${label}: ${names.join(', ') || 'none selected'}`}
        text={
          <span className="pp-ellipsis">{names.join(', ') || <span className="pp-t3">Choose</span>}</span>
        }
        endIcon={<DoubleCaretVertical size={14} />}
      />
    </MenuPopover>
  );
}

export interface OneValueProps {
  field: FieldConfig | undefined;
  label: string;
  value: ConditionValue | undefined;
  invalid: boolean;
  /** The value is a pattern, in which brackets are syntax. */
  pattern?: boolean;
  /** The part of a day that the operator compares with. */
  edge?: DayEdge;
  onChange: (value: ConditionValue) => void;
}

const MONO = ['email', 'domain', 'url', 'ip', 'hash'];
export const isMonoField = (field: FieldConfig | undefined): boolean =>
  MONO.includes(fieldTypeOf(field?.type ?? 'text'));

export function TextValue({
  field,
  label,
  value,
  invalid,
  pattern = false,
  onChange,
}: OneValueProps): JSX.Element {
  const list = useId();
  const [typing, setTyping] = useState(false);
  const text = textOf(value) ?? '';
  const name = useNames(field, [value]).get(text.toLowerCase());
  return (
    <>
      <InputGroup
        className={`pp-qb-text${isMonoField(field) ? ' pp-qb-mono' : ''}${hashType(text) === 'sha256' ? ' pp-qb-hash' : ''}`}
        aria-label={label}
        aria-invalid={invalid}
        spellCheck={false}
        autoComplete="off"
        value={text}
        // Cut off in the narrowest windows.
        title={hashType(text) === null ? undefined : text}
        placeholder={field?.example ?? undefined}
        onFocus={() => setTyping(true)}
        onBlur={() => setTyping(false)}
        {...(suggestsPeople(field) ? { list } : {})}
        onValueChange={(next) => onChange(pattern ? next : typedValue(next, field))}
        {...(name === undefined ? {} : { rightElement: <span className="pp-qb-name">{name}</span> })}
      />
      {typing && suggestsPeople(field) ? (
        <Suggestions id={list} type={field?.type ?? ''} text={text} />
      ) : null}
    </>
  );
}

/** A number as typed, and its interpretation if that is written differently. */
function NumberBox(props: {
  className: string;
  label: string;
  invalid: boolean;
  /** The condition's value: a number, or text that is not a number. */
  value: ConditionValue | undefined;
  onChange: (value: ConditionValue) => void;
}): JSX.Element {
  const { className, label, invalid, value, onChange } = props;
  const held = textOf(value) ?? '';
  const [typed, setTyped] = useState(held);
  // The value was changed elsewhere: by undo, a filter, or another unit.
  const shown = String(typedExactly(typed) ?? typed.trim()) === held ? typed : held;
  const number = typedExactly(shown);
  return (
    <>
      <InputGroup
        className={className}
        aria-label={label}
        aria-invalid={invalid}
        inputMode="decimal"
        value={shown}
        onValueChange={(text) => {
          setTyped(text);
          onChange(typedExactly(text) ?? text.trim());
        }}
      />
      {number !== null && String(number) !== shown.trim() ? (
        <span className="pp-t3" role="status">
          = {typeof number === 'number' ? exact(number) : number}
        </span>
      ) : null}
    </>
  );
}

export function NumberValue({ field, label, value, invalid, onChange }: OneValueProps): JSX.Element {
  return (
    <span className="pp-qb-unit">
      <NumberBox className="pp-qb-number" label={label} invalid={invalid} value={value} onChange={onChange} />
      {field?.unit && field.unit !== 'bytes' ? <span className="pp-t3">{field.unit}</span> : null}
    </span>
  );
}

export function BytesValue({ label, value, invalid, onChange }: OneValueProps): JSX.Element {
  const [unit, setUnit] = useState(() => byteUnitOf(value));
  const bytes = parseNumber(value);
  const [typed, setTyped] = useState<ConditionValue>(bytes === null ? (textOf(value) ?? '') : bytes / unit);
  const send = (next: ConditionValue, size: number) => {
    const number = parseNumber(next);
    onChange(number === null ? next : Math.round(number * size));
  };
  return (
    <span className="pp-qb-unit">
      <NumberBox
        className="pp-qb-number"
        label={label}
        invalid={invalid}
        value={typed}
        onChange={(next) => {
          setTyped(next);
          send(next, unit);
        }}
      />
      <Select
        aria-label={`${label}, unit`}
        value={unit}
        options={BYTE_UNITS.map(({ label: name, size }) => ({ value: size, label: name }))}
        onChange={(size) => {
          setUnit(size);
          send(typed, size);
        }}
      />
    </span>
  );
}

export function BooleanValue({ label, value, onChange }: OneValueProps): JSX.Element {
  return (
    <Select
      aria-label={label}
      value={String(value ?? '')}
      options={[
        { value: '', label: 'Choose', disabled: true },
        { value: 'true', label: 'Yes' },
        { value: 'false', label: 'No' },
      ]}
      onChange={(answer) => onChange(answer === 'true')}
    />
  );
}

export function ChoiceValue(
  props: OneValueProps & { choices?: readonly { value: ConditionValue; label: string }[] },
): JSX.Element {
  const { field, label, value, invalid, onChange } = props;
  const allowed = props.choices ?? field?.allowedValues ?? [];
  const allowedValue = allowed.findIndex(
    (allowedValue) => String(allowedValue.value) === String(value ?? ''),
  );
  // A value that the service does not list stays visible.
  const unlisted = value !== undefined && value !== '' && allowedValue < 0;
  return (
    <Select
      className="pp-qb-choice"
      aria-label={label}
      aria-invalid={invalid}
      value={allowedValue}
      options={[
        { value: -1, label: unlisted ? String(value) : 'Choose', disabled: true },
        ...allowed.map((allowedValue, index) => ({ value: index, label: allowedValue.label })),
      ]}
      onChange={(index) => onChange(allowed[index]?.value ?? '')}
    />
  );
}

export interface ManyValuesProps {
  field: FieldConfig | undefined;
  label: string;
  values: readonly ConditionValue[];
  invalid: boolean;
  onChange: (values: ConditionValue[]) => void;
}
