import { Button, InputGroup } from '@blueprintjs/core';
import { EyeOff, EyeOpen } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { Field } from '#renderer/ui/form/field.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import {
  fitsZip,
  generatedPassword,
  passwordStrength,
  TOO_LONG_FOR_ZIP,
} from '#shared/model/password-strength.ts';
import './export.css';

const WORDS = {
  weak: 'Weak: can be guessed. Use a longer password.',
  fair: 'Fair. A few more characters make it strong.',
  strong: 'Strong.',
} as const;
const FILLED = { weak: 1, fair: 2, strong: 3 } as const;

export function ExportPassword(props: {
  password: string;
  problem?: string | null;
  /** Notes for an empty password and on where it is stored, when they differ from a zip on disk. */
  empty?: string;
  kept?: string;
  onChange: (password: string) => void;
}): JSX.Element {
  const { password, onChange } = props;
  const {
    empty = 'Without a password the zip is not encrypted.',
    kept = 'It isn’t stored: share it with whoever opens the file.',
  } = props;
  const [shown, setShown] = useState(false);
  const strength = passwordStrength(password);
  return (
    <div className="pp-export-password">
      <Field
        label="Password"
        problem={props.problem ?? (fitsZip(password) ? null : TOO_LONG_FOR_ZIP)}
        note={password === '' ? empty : `${WORDS[strength]} ${kept}`}
      >
        {(id) => (
          <div className="pp-row">
            <InputGroup
              id={id}
              type={shown ? 'text' : 'password'}
              autoComplete="new-password"
              spellCheck={false}
              value={password}
              onValueChange={onChange}
              rightElement={
                <IconButton
                  small
                  icon={shown ? <EyeOff size={14} /> : <EyeOpen size={14} />}
                  label={shown ? 'Hide password' : 'Show password'}
                  onClick={() => setShown(!shown)}
                />
              }
            />
            <Button
              size="small"
              text="Generate"
              onClick={() => {
                onChange(generatedPassword(crypto.getRandomValues(new Uint8Array(20))));
                setShown(true);
              }}
            />
          </div>
        )}
      </Field>
      {password === '' ? null : (
        <div className="pp-strength" data-strength={strength} aria-hidden="true">
          {[1, 2, 3].map((step) => (
            <span key={step} data-filled={step <= FILLED[strength]} />
          ))}
        </div>
      )}
    </div>
  );
}
