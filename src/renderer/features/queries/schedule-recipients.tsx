import { TagInput } from '@blueprintjs/core';
import { type JSX, useState } from 'react';
import { Field } from '#renderer/ui/field.tsx';
import { exact } from '#shared/model/format.ts';
import { recipientsIn, withRecipients } from './schedule-form.ts';

/** Whom the result is sent to: chips, typed or pasted from anywhere; those that are no address are marked. */
export function Recipients(props: {
  emails: readonly string[];
  problems: ReadonlyMap<string, string>;
  onChange: (emails: string[]) => void;
}): JSX.Element {
  const { emails, problems, onChange } = props;
  const [typed, setTyped] = useState('');
  const own = [...problems].filter(([field]) => field.startsWith('emails'));
  const [first] = own;
  const more = own.length > 1 ? ` (and ${exact(own.length - 1)} more)` : '';
  return (
    <Field
      label={`Recipients${emails.length > 1 ? `: ${exact(emails.length)}` : ''}`}
      problem={first ? `${first[1]}${more}` : null}
      note="Type or paste addresses, in a column or with commas. Each of them gets the whole result."
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
          inputProps={{ id, spellCheck: false, inputMode: 'email', 'aria-invalid': own.length > 0 }}
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
          onRemove={(_, index) => onChange(emails.filter((__, at) => at !== index))}
        />
      )}
    </Field>
  );
}
