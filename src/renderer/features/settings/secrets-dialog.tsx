import { Button, InputGroup, Radio, RadioGroup } from '@blueprintjs/core';
import { Key } from '@blueprintjs/icons';
import { type JSX, useEffect, useState } from 'react';
import { useCall } from '#renderer/bridge/use-call.ts';
import { setAppInfo, useAppInfo } from '#renderer/state/app-info.ts';
import { showSecrets, useOverlays } from '#renderer/state/overlays.ts';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { Field } from '#renderer/ui/field.tsx';
import type { AppInfo } from '#shared/bridge/operations.ts';

type Choice = 'passphrase' | 'run' | 'keychain';
const SHORTEST = 8;

/** What each choice means, in the words an analyst decides by. */
const CHOICES: Readonly<Record<Choice, { label: string; words: string }>> = {
  keychain: { label: 'Try the keychain again', words: 'Unlock it first; Parapet then opens what it holds.' },
  passphrase: {
    label: 'A passphrase',
    words:
      'Credentials and the key of the saved data are sealed with it. It is asked for at each start and cannot be recovered.',
  },
  run: {
    label: 'For this run only',
    words:
      'Nothing is kept: credentials are asked for again, and what is saved now cannot be read after Parapet closes.',
  },
};

function choicesFor({ mode, locked }: AppInfo['secrets']): Choice[] {
  if (mode === 'keychain' && locked) return ['keychain', 'run'];
  return ['passphrase', 'run'];
}

function Passphrase(props: {
  isNew: boolean;
  first: string;
  again: string;
  onFirst: (text: string) => void;
  onAgain: (text: string) => void;
}): JSX.Element {
  return (
    <div className="pp-form">
      <Field label="Passphrase">
        {(id) => (
          <InputGroup
            id={id}
            type="password"
            autoFocus
            autoComplete="off"
            value={props.first}
            onValueChange={props.onFirst}
          />
        )}
      </Field>
      {props.isNew ? (
        <Field label="The same again">
          {(id) => (
            <InputGroup
              id={id}
              type="password"
              autoComplete="off"
              value={props.again}
              onValueChange={props.onAgain}
            />
          )}
        </Field>
      ) : null}
    </div>
  );
}

function problemOf(choice: Choice, isNew: boolean, first: string, again: string): string | null {
  if (choice !== 'passphrase') return null;
  if (!isNew) return first === '' ? 'Type the passphrase.' : null;
  if (first.length < SHORTEST) return `At least ${SHORTEST} characters.`;
  return first === again ? null : 'The two do not match yet.';
}

function SecretsForm({ info, onDone }: { info: AppInfo; onDone: () => void }): JSX.Element {
  const { secrets } = info;
  const choices = choicesFor(secrets);
  const [choice, setChoice] = useState<Choice>(choices[0] ?? 'passphrase');
  const [first, setFirst] = useState('');
  const [again, setAgain] = useState('');
  const isNew = !(secrets.mode === 'passphrase' && secrets.locked);
  const call = useCall('secrets.choose');
  const problem = problemOf(choice, isNew, first, again);
  const confirm = () => {
    if (problem !== null || call.pending) return;
    void call
      .run({ mode: choice, ...(choice === 'passphrase' ? { passphrase: first } : {}) })
      .then((next) => {
        if (next === null) return;
        // Opening brings another workspace: drafts, tabs and connections of this profile.
        if (secrets.locked && !next.secrets.locked) return window.location.reload();
        setAppInfo(next);
        if (!next.secrets.locked) onDone();
      });
  };
  return (
    <Dialog
      isOpen
      title={secrets.locked ? 'Open the saved secrets' : 'How to keep secrets on this machine'}
      icon={<Key size={14} />}
      onClose={onDone}
      onConfirm={confirm}
      footNote={problem ?? 'Nothing secret is ever written in clear.'}
      actions={
        <>
          <Button text="Later" onClick={onDone} />
          <Button
            intent="primary"
            text={secrets.locked && choice !== 'run' ? 'Open' : 'Use this'}
            disabled={problem !== null || call.pending}
            onClick={confirm}
          />
        </>
      }
    >
      <p className="pp-t2 pp-flat">
        {secrets.reason ?? 'No keychain answered.'} Credentials and the key of the saved data need a place.
      </p>
      <RadioGroup
        name="secrets"
        selectedValue={choice}
        onChange={(event) => setChoice(event.currentTarget.value as Choice)}
        className="pp-choices"
      >
        {choices.map((value) => (
          <Radio key={value} value={value}>
            <b>{CHOICES[value].label}</b>
            <span className="pp-small pp-t2">{CHOICES[value].words}</span>
          </Radio>
        ))}
      </RadioGroup>
      {choice === 'passphrase' ? (
        <Passphrase isNew={isNew} first={first} again={again} onFirst={setFirst} onAgain={setAgain} />
      ) : null}
      {call.error ? <ErrorBar error={call.error} /> : null}
    </Dialog>
  );
}

/** Asks how secrets are kept: by itself when they are locked, on request when nothing was decided. */
export function SecretsDialog(): JSX.Element | null {
  const info = useAppInfo();
  const asked = useOverlays((store) => store.secrets);
  const locked = info?.secrets.locked ?? false;
  useEffect(() => {
    if (locked) showSecrets(true);
  }, [locked]);
  return asked && info ? <SecretsForm info={info} onDone={() => showSecrets(false)} /> : null;
}
