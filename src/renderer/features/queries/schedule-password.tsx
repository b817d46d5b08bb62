import type { JSX } from 'react';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { ExportPassword } from './results/export-password.tsx';
import type { ScheduleForm } from './schedule-form.ts';

/** The password of the sent files: written, never read back. */
export function SchedulePassword(props: {
  form: ScheduleForm;
  hasOne: boolean;
  problem: string | null;
  onChange: (part: Partial<ScheduleForm>) => void;
}): JSX.Element {
  const { form, hasOne, problem, onChange } = props;
  const { sealed, password } = form;
  return (
    <>
      <div className="pp-field">
        <span className="pp-field-legend">Password of the file</span>
        <Segmented
          label="Password of the file"
          value={sealed}
          options={[
            { value: 'none', label: 'None' },
            ...(hasOne ? [{ value: 'keep' as const, label: 'Keep the one it has' }] : []),
            { value: 'new', label: hasOne ? 'Another one' : 'Seal it with a password' },
          ]}
          onChange={(next) => onChange({ sealed: next, password: '' })}
        />
        {sealed === 'keep' ? <small>The service has it and never shows it.</small> : null}
      </div>
      {sealed === 'new' ? (
        <ExportPassword
          password={password}
          problem={problem}
          empty="Sent to the service once. It is not kept on this machine."
          kept="It is not kept on this machine: tell it to the recipients yourself."
          onChange={(next) => onChange({ password: next })}
        />
      ) : null}
    </>
  );
}
