import { HTMLSelect, InputGroup } from '@blueprintjs/core';
import type { JSX } from 'react';
import { useId, useState } from 'react';
import type { FieldConfig } from '#shared/model/entities.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import type { ConditionValue } from '#shared/query/tree.ts';
import { parseNumber, textOf } from '#shared/query/values.ts';
import type { DayEdge } from './clock-dates.ts';
import { suggestsPeople, useNames } from './people.ts';
import { Suggestions } from './suggestions.tsx';
import { BYTE_UNITS, byteUnitOf, typedValue } from './values-edit.ts';

export interface OneValueProps {
  field: FieldConfig | undefined;
  label: string;
  value: ConditionValue | undefined;
  invalid: boolean;
  /** Of a day: what of it the operator compares with. */
  edge?: DayEdge;
  onChange: (value: ConditionValue) => void;
}

const MONO = ['email', 'domain', 'url', 'ip', 'hash'];
export const isMonoField = (field: FieldConfig | undefined): boolean =>
  MONO.includes(fieldTypeOf(field?.type ?? 'text'));

export function TextValue({ field, label, value, invalid, onChange }: OneValueProps): JSX.Element {
  const list = useId();
  const [typing, setTyping] = useState(false);
  const text = textOf(value) ?? '';
  const name = useNames(field, [value]).get(text.toLowerCase());
  return (
    <>
      <InputGroup
        className={`pp-qb-text${isMonoField(field) ? ' pp-qb-mono' : ''}`}
        aria-label={label}
        aria-invalid={invalid}
        spellCheck={false}
        autoComplete="off"
        value={text}
        maxLength={field?.size ?? undefined}
        onFocus={() => setTyping(true)}
        onBlur={() => setTyping(false)}
        {...(suggestsPeople(field) ? { list } : {})}
        onValueChange={onChange}
        {...(name === undefined ? {} : { rightElement: <span className="pp-qb-name">{name}</span> })}
      />
      {typing && suggestsPeople(field) ? (
        <Suggestions id={list} type={field?.type ?? ''} text={text} />
      ) : null}
    </>
  );
}

export function NumberValue({ field, label, value, invalid, onChange }: OneValueProps): JSX.Element {
  return (
    <span className="pp-qb-unit">
      <InputGroup
        className="pp-qb-number"
        aria-label={label}
        aria-invalid={invalid}
        inputMode="decimal"
        value={textOf(value) ?? ''}
        onValueChange={(text) => onChange(typedValue(text.trim(), field))}
      />
      {field?.unit && field.unit !== 'bytes' ? <span className="pp-t3">{field.unit}</span> : null}
    </span>
  );
}

export function BytesValue({ label, value, invalid, onChange }: OneValueProps): JSX.Element {
  const [unit, setUnit] = useState(() => byteUnitOf(value));
  const bytes = parseNumber(value);
  const [typed, setTyped] = useState(bytes === null ? (textOf(value) ?? '') : String(bytes / unit));
  const send = (text: string, size: number) => {
    const number = parseNumber(text.trim());
    onChange(number === null ? text : Math.round(number * size));
  };
  return (
    <span className="pp-qb-unit">
      <InputGroup
        className="pp-qb-number"
        aria-label={label}
        aria-invalid={invalid}
        inputMode="decimal"
        value={typed}
        onValueChange={(text) => {
          setTyped(text);
          send(text, unit);
        }}
      />
      <HTMLSelect
        aria-label={`${label}, unit`}
        value={unit}
        options={BYTE_UNITS.map(({ label: name, size }) => ({ value: size, label: name }))}
        onChange={({ currentTarget }) => {
          const size = Number(currentTarget.value);
          setUnit(size);
          send(typed, size);
        }}
      />
    </span>
  );
}

export function BooleanValue({ label, value, onChange }: OneValueProps): JSX.Element {
  return (
    <HTMLSelect
      aria-label={label}
      value={String(value ?? '')}
      options={[
        { value: '', label: 'Choose', disabled: true },
        { value: 'true', label: 'Yes' },
        { value: 'false', label: 'No' },
      ]}
      onChange={({ currentTarget }) => onChange(currentTarget.value === 'true')}
    />
  );
}

export function ChoiceValue(
  props: OneValueProps & { choices?: readonly { value: ConditionValue; label: string }[] },
): JSX.Element {
  const { field, label, value, invalid, onChange } = props;
  const allowed = props.choices ?? field?.allowedValues ?? [];
  const at = allowed.findIndex((one) => String(one.value) === String(value ?? ''));
  // A word that the service does not list stays visible.
  const odd = value !== undefined && value !== '' && at < 0;
  return (
    <HTMLSelect
      className="pp-qb-choice"
      aria-label={label}
      aria-invalid={invalid}
      value={at}
      options={[
        { value: -1, label: odd ? String(value) : 'Choose', disabled: true },
        ...allowed.map((one, index) => ({ value: index, label: one.label })),
      ]}
      onChange={({ currentTarget }) => onChange(allowed[Number(currentTarget.value)]?.value ?? '')}
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
