/** Shared parts of the dialogs that save files into a password-protected zip. */
import { type JSX, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useAct } from '#renderer/bridge/use-call.ts';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { TextField } from '#renderer/ui/form/field.tsx';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { ParsedInputOf } from '#shared/bridge/operations.ts';
import { fitsZip, TOO_LONG_FOR_ZIP } from '#shared/model/password-strength.ts';

/** The password that the field uses for malware samples, so that scanners do not open them. */
const CUSTOM_PASSWORD = 'infected';

interface Saving<T> {
  password: string;
  setPassword: (password: string) => void;
  isSaving: boolean;
  failure: BridgeError | null;
  /** The saved file, or null if not saved yet. */
  saved: T | null;
  /** Asks for a location and saves there. Does nothing if cancelled or already saved. */
  save: (
    to: Pick<ParsedInputOf<'dialogs.save'>, 'suggestedName' | 'kind'>,
    write: (bridge: Bridge, grantId: string) => Promise<T>,
  ) => void;
}

export function useSealedSave<T>(): Saving<T> {
  const bridge = useBridge();
  const [password, setPassword] = useState(CUSTOM_PASSWORD);
  const [saved, setSaved] = useState<T | null>(null);
  const { run, pending, error } = useAct(async ([to, write]: Parameters<Saving<T>['save']>) => {
    const grant = await bridge.call('dialogs.save', to);
    if (grant !== null) setSaved(await write(bridge, grant.grantId));
  });
  return {
    password,
    setPassword,
    isSaving: pending,
    failure: error,
    saved,
    save: (...input) => {
      if (!pending && saved === null) void run(input);
    },
  };
}

export function SealedPassword(props: {
  password: string;
  /** Shown when it is empty. */
  problem: string;
  onChange: (password: string) => void;
}): JSX.Element {
  const { password, problem, onChange } = props;
  return (
    <TextField
      label="Password"
      note="“infected” is the usual convention."
      problem={password === '' ? problem : fitsZip(password) ? null : TOO_LONG_FOR_ZIP}
      value={password}
      autoComplete="off"
      spellCheck={false}
      onValueChange={onChange}
    />
  );
}

export const PasswordNote = (): JSX.Element => (
  <span className="pp-t3 pp-small">The password is not stored.</span>
);

export const NotSaved = ({ failure }: { failure: BridgeError | null }): JSX.Element | null =>
  failure && <ErrorBar error={failure} notKnown="Nothing was left behind under the chosen name." />;
