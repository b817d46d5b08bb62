import { Button, Radio, RadioGroup } from '@blueprintjs/core';
import { Key } from '@blueprintjs/icons';
import { type JSX, useEffect, useState } from 'react';
import { useCall } from '#renderer/bridge/use-call.ts';
import { setAppInfo, useAppInfo } from '#renderer/state/app-info.ts';
import { showSecrets, useOverlays } from '#renderer/state/overlays.ts';
import { ConfirmButton, Dialog } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { TextField } from '#renderer/ui/form/field.tsx';
import type { AppInfo } from '#shared/bridge/operations.ts';

type Choice = 'passphrase' | 'run' | 'keychain';
const SHORTEST = 8;

const CHOICES: readonly { value: Choice; label: string; words: string }[] = [
  {
    value: 'passphrase',
    label: 'A passphrase',
    words: 'Encrypts credentials and the cache key. Required at every start; it can’t be recovered.',
  },
  {
    value: 'run',
    label: 'This session only',
    words:
      'Nothing is kept: credentials must be entered again, and data saved now can’t be read after Parapet closes.',
  },
];

/** Sends a choice; every window reloads if that unlocks the profile. */
function useChoose(onDone: () => void) {
  const call = useCall('secrets.choose');
  const choose = (mode: Choice, passphrase?: string) =>
    void call.run({ mode, ...(passphrase === undefined ? {} : { passphrase }) }).then((next) => {
      if (next === null) return;
      setAppInfo(next);
      onDone();
    });
  return { ...call, choose };
}

interface FormProps {
  info: AppInfo;
  onDone: () => void;
}

/** Saved data exists but is locked. */
function UnlockForm({ info, onDone }: FormProps): JSX.Element {
  const { mode, reason } = info.secrets;
  const sealed = mode !== 'keychain';
  const [passphrase, setPassphrase] = useState('');
  const { choose, pending, error } = useChoose(onDone);
  const ready = !pending && (!sealed || passphrase !== '');
  const open = () => {
    if (ready) choose(sealed ? 'passphrase' : 'keychain', sealed ? passphrase : undefined);
  };
  return (
    <Dialog
      size="narrow"
      title="Saved secrets are locked"
      icon={<Key size={14} />}
      onClose={onDone}
      onConfirm={open}
      actions={
        <>
          <Button text="Continue for this session only" disabled={pending} onClick={() => choose('run')} />
          <ConfirmButton text={sealed ? 'Open' : 'Try again'} disabled={!ready} onClick={open} />
        </>
      }
    >
      <p className="pp-t2 pp-flat">
        {sealed
          ? 'Enter your passphrase to unlock connections, credentials and saved data.'
          : `The system keychain can’t unlock saved data. ${reason ?? 'Unlock it, then try again.'}`}{' '}
        Anything done before that lasts for this session only.
      </p>
      {sealed ? (
        <form
          className="pp-form"
          onSubmit={(event) => {
            event.preventDefault();
            open();
          }}
        >
          <TextField
            label="Passphrase"
            type="password"
            autoFocus
            autoComplete="off"
            value={passphrase}
            onValueChange={setPassphrase}
          />
        </form>
      ) : null}
      {error ? <ErrorBar error={error} /> : null}
    </Dialog>
  );
}

function problemOf(choice: Choice, first: string, again: string): string | null {
  if (choice !== 'passphrase') return null;
  if (first.length < SHORTEST) return `At least ${SHORTEST} characters.`;
  return first === again ? null : 'The passphrases don’t match.';
}

function ChooseForm({ info, onDone }: FormProps): JSX.Element {
  const [choice, setChoice] = useState<Choice>('passphrase');
  const [first, setFirst] = useState('');
  const [again, setAgain] = useState('');
  const { choose, pending, error } = useChoose(onDone);
  const problem = problemOf(choice, first, again);
  const confirm = () => {
    if (problem === null && !pending) choose(choice, choice === 'passphrase' ? first : undefined);
  };
  return (
    <Dialog
      title="Store secrets"
      icon={<Key size={14} />}
      onClose={onDone}
      onConfirm={confirm}
      footNote={problem ?? 'Secrets are never stored unencrypted.'}
      actions={
        <>
          <Button text="Later" onClick={onDone} />
          <ConfirmButton text="Use this" disabled={problem !== null || pending} onClick={confirm} />
        </>
      }
    >
      <p className="pp-t2 pp-flat">
        {info.secrets.reason ?? 'No system keychain found.'} Credentials and the key of the saved data need a
        place.
      </p>
      <RadioGroup
        name="secrets"
        selectedValue={choice}
        onChange={(event) => setChoice(event.currentTarget.value as Choice)}
        className="pp-secrets-choices"
      >
        {CHOICES.map(({ value, label, words }) => (
          <Radio key={value} value={value}>
            <b>{label}</b>
            <span className="pp-small pp-t2">{words}</span>
          </Radio>
        ))}
      </RadioGroup>
      {choice === 'passphrase' ? (
        <div className="pp-field-pair">
          <TextField
            label="Passphrase"
            type="password"
            autoComplete="off"
            value={first}
            onValueChange={setFirst}
          />
          <TextField
            label="Repeat passphrase"
            type="password"
            autoComplete="off"
            value={again}
            onValueChange={setAgain}
          />
        </div>
      ) : null}
      {error ? <ErrorBar error={error} /> : null}
    </Dialog>
  );
}

/** Asks how to store secrets: opens by itself when they are locked, on request when nothing is chosen. */
export function SecretsDialog(): JSX.Element | null {
  const info = useAppInfo();
  const isShown = useOverlays((store) => store.secrets);
  const locked = info?.secrets.locked ?? false;
  useEffect(() => {
    if (locked) showSecrets(true);
  }, [locked]);
  if (!isShown || !info) return null;
  const onDone = () => showSecrets(false);
  return locked ? <UnlockForm info={info} onDone={onDone} /> : <ChooseForm info={info} onDone={onDone} />;
}
