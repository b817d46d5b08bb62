import {
  HTMLSelect,
  type HTMLSelectProps,
  InputGroup,
  type InputGroupProps,
  TextArea,
  type TextAreaProps,
} from '@blueprintjs/core';
import { type JSX, type ReactNode, useId } from 'react';

interface FieldProps {
  label: string;
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

interface AreaFieldProps extends Labels, Omit<TextAreaProps, 'id' | 'fill' | 'onChange'> {
  onText: (text: string) => void;
}

export function AreaField({ label, note, problem = null, onText, ...area }: AreaFieldProps): JSX.Element {
  return (
    <Field label={label} note={note} problem={problem}>
      {(id) => (
        <TextArea id={id} fill onChange={({ currentTarget }) => onText(currentTarget.value)} {...area} />
      )}
    </Field>
  );
}

type Option<V> = V | { value: V; label: string; disabled?: boolean };

interface SelectProps<V extends string | number>
  extends Omit<HTMLSelectProps, 'value' | 'options' | 'onChange' | 'children'> {
  value: V;
  options: readonly Option<V>[];
  onChange: (value: V) => void;
}

/** A select that answers the value of the chosen option, not its text. It needs an `aria-label`, or a label for its id. */
export function Select<V extends string | number>(props: SelectProps<V>): JSX.Element {
  const { options, onChange, ...select } = props;
  return (
    <HTMLSelect
      options={[...options]}
      onChange={({ currentTarget }) => {
        const option = options[currentTarget.selectedIndex];
        if (option !== undefined) onChange(typeof option === 'object' ? option.value : option);
      }}
      {...select}
    />
  );
}

export function SelectField<V extends string | number>(props: Labels & SelectProps<V>): JSX.Element {
  const { label, note, problem = null, ...select } = props;
  return (
    <Field label={label} note={note} problem={problem}>
      {(id) => <Select id={id} {...select} />}
    </Field>
  );
}
