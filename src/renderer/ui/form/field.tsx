import { HTMLSelect, InputGroup, type InputGroupProps } from '@blueprintjs/core';
import { type JSX, type ReactNode, useId } from 'react';

interface FieldProps {
  label: string;
  /** A quieter line under the control. */
  note?: ReactNode;
  /** Validation message; replaces the note. */
  problem?: string | null;
  /** The control; it must take the id. */
  children: (id: string) => ReactNode;
}

export function Field({ label, note, problem, children }: FieldProps): JSX.Element {
  const id = useId();
  return (
    <div className="pp-field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {problem ? (
        <small className="pp-danger" role="alert">
          {problem}
        </small>
      ) : note ? (
        <small>{note}</small>
      ) : null}
    </div>
  );
}

type Labels = Omit<FieldProps, 'children'>;

export function TextField({ label, note, problem = null, ...input }: Labels & Omit<InputGroupProps, 'id'>) {
  return (
    <Field label={label} note={note} problem={problem}>
      {(id) => <InputGroup id={id} {...input} />}
    </Field>
  );
}

interface SelectFieldProps<V extends string> extends Labels {
  value: V;
  options: readonly (V | { value: V; label: string; disabled?: boolean })[];
  onChange: (value: V) => void;
  fill?: boolean;
  disabled?: boolean;
}

export function SelectField<V extends string>(props: SelectFieldProps<V>): JSX.Element {
  const { label, note, problem = null, options, onChange, ...select } = props;
  return (
    <Field label={label} note={note} problem={problem}>
      {(id) => (
        <HTMLSelect
          id={id}
          options={[...options]}
          // The value of an option, and these are V.
          onChange={({ currentTarget }) => onChange(currentTarget.value as V)}
          {...select}
        />
      )}
    </Field>
  );
}
