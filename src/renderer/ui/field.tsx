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

/** A labelled control in a form. */
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
