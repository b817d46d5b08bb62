import { Checkbox, InputGroup, TextArea } from '@blueprintjs/core';
import type { JSX } from 'react';
import { Field, Select } from '#renderer/ui/form/field.tsx';
import type { ActionConfig } from '#shared/model/entities.ts';
import { isRecipientAddress } from '#shared/model/schedule.ts';
import { typedNumber } from '#shared/query/values.ts';

type Param = NonNullable<ActionConfig['params']>[number];
export type ParamValues = Readonly<Record<string, string | number | boolean>>;

/** Client-side validation of a parameter, or null if there is no problem found. */
export function paramProblem(
  { label, type, required }: Param,
  value: ParamValues[string] | undefined,
): string | null {
  const text = String(value ?? '').trim();
  if (text === '') return required ? `${label} is required.` : null;
  if (type === 'email' && !isRecipientAddress(text)) return `Not an email address: ${text.slice(0, 100)}`;
  const number = type === 'number' ? typedNumber(text) : 0;
  if (number === null || number < 0) return `${label} must be 0 or more, such as 1000 or 2.5.`;
  return null;
}

/** The values as the service expects them: numbers as numbers, empty fields left out. */
export function paramsToSend(
  params: readonly Param[],
  values: ParamValues,
): Record<string, string | number | boolean> {
  return Object.fromEntries(
    params.flatMap(({ id, type, allowedValues }) => {
      const value = values[id];
      if (value === undefined || value === '') return [];
      const chosen = allowedValues?.find(
        (allowedValue) => String(allowedValue.value) === String(value),
      )?.value;
      if (chosen != null) return [[id, chosen]];
      return [
        [
          id,
          type === 'number'
            ? (typedNumber(String(value)) ?? 0)
            : typeof value === 'string'
              ? value.trim()
              : value,
        ],
      ];
    }),
  );
}

function ParamInput(props: {
  id: string;
  param: Param;
  value: ParamValues[string] | undefined;
  invalid: boolean;
  onChange: (value: ParamValues[string]) => void;
}): JSX.Element {
  const { id, param, value, invalid, onChange } = props;
  const text = String(value ?? '');
  if (param.allowedValues)
    return (
      <Select
        id={id}
        fill
        value={text}
        aria-invalid={invalid}
        options={[
          { value: '', label: 'Choose' },
          ...param.allowedValues.map((value) => ({ value: String(value.value), label: value.label })),
        ]}
        onChange={onChange}
      />
    );
  if (param.type === 'boolean')
    return (
      <Checkbox
        id={id}
        label="Yes"
        checked={value === true}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    );
  if (param.type === 'text' && param.required !== true)
    return (
      <TextArea
        id={id}
        fill
        rows={2}
        maxLength={2000}
        value={text}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  return (
    <InputGroup
      id={id}
      value={text}
      maxLength={500}
      spellCheck={param.type === 'text'}
      aria-invalid={invalid}
      inputMode={param.type === 'number' ? 'decimal' : param.type === 'email' ? 'email' : 'text'}
      onValueChange={onChange}
    />
  );
}

export function ActionParams(props: {
  params: readonly Param[];
  values: ParamValues;
  /** By parameter. */
  problems: ReadonlyMap<string, string>;
  onChange: (values: ParamValues) => void;
}): JSX.Element {
  const { params, values, problems, onChange } = props;
  return (
    <>
      {params.map((param) => (
        <Field
          key={param.id}
          label={param.required ? param.label : `${param.label} (optional)`}
          problem={problems.get(param.id) ?? null}
        >
          {(id) => (
            <ParamInput
              id={id}
              param={param}
              value={values[param.id]}
              invalid={problems.has(param.id)}
              onChange={(value) => onChange({ ...values, [param.id]: value })}
            />
          )}
        </Field>
      ))}
    </>
  );
}
