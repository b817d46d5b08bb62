import { Button } from '@blueprintjs/core';
import { type JSX, useState } from 'react';
import { useCall } from '#renderer/bridge/use-call.ts';
import { useCommands } from '#renderer/commands/command.tsx';
import { CLOSE } from '#renderer/commands/keys.ts';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { reloadConnections, useConnection } from '#renderer/state/connection.ts';
import { blankSettings, switchTo } from '#renderer/state/connection-actions.ts';
import { closeConnectionForm, showSecrets, useOverlays } from '#renderer/state/overlays.ts';
import { CONNECTION_KINDS } from '#renderer/ui/connection-kind.tsx';
import { ConfirmButton } from '#renderer/ui/dialog.tsx';
import { Drawer } from '#renderer/ui/drawer.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { TextField } from '#renderer/ui/form/field.tsx';
import { GlyphClean, GlyphError } from '#renderer/ui/glyphs.tsx';
import type { Connection, ConnectionKind, ConnectionSettings, OutputOf } from '#shared/bridge/operations.ts';
import { authServersProblem } from '#shared/model/auth-servers.ts';
import { credentialProblem } from '#shared/model/credential.ts';
import { connectionReason } from '#shared/model/policy.ts';
import { missingCredential, sameAddress, settingsProblem, urlProblem } from './check-settings.ts';
import './connections.css';
import { type Account, CommonFields, FlagFields, TenantFields, TrustField } from './form-fields.tsx';

const settingsOf = ({
  name,
  kind,
  url,
  authorityPem,
  authServers,
  flags,
  product,
  timezone,
  whiteLabel,
}: Connection): ConnectionSettings => ({
  name,
  kind,
  url,
  authorityPem,
  authServers,
  flags,
  product,
  timezone,
  ...(whiteLabel === undefined ? {} : { whiteLabel }),
});

function TestOutcome({ outcome }: { outcome: OutputOf<'connections.test'> }): JSX.Element {
  return outcome.ok ? (
    <p className="pp-test-outcome pp-test-ok" role="status">
      <GlyphClean size={14} /> The service answered
      {outcome.latencyMs === null ? '' : ` in ${Math.round(outcome.latencyMs)} ms`}
      {outcome.proxy === undefined ? '' : ` through the proxy ${outcome.proxy}`} and accepted the credential.
    </p>
  ) : (
    <p className="pp-test-outcome pp-test-bad" role="alert">
      <GlyphError size={14} /> {outcome.error?.message ?? 'The service refused the call.'}
    </p>
  );
}

interface FormOf {
  existing: Connection | null;
  kind: ConnectionKind;
}

function useConnectionForm({ existing, kind }: FormOf) {
  // Only what was edited here: the rest follows a change in another window, and saving does not undo that.
  const [edits, setEdits] = useState<Partial<ConnectionSettings>>({});
  const settings = { ...(existing ? settingsOf(existing) : blankSettings(kind)), ...edits };
  const [credential, setCredential] = useState('');
  const [account, setAccount] = useState<Account>(null);
  const [tried, setTried] = useState(false);
  const [outcome, setOutcome] = useState<OutputOf<'connections.test'> | null>(null);
  const save = useCall('connections.save');
  const test = useCall('connections.test');
  const info = useAppInfo();
  const secrets = info?.secrets;
  const managed = existing !== null && info?.managed?.connections.includes(existing.id) ? info.managed : null;
  const id = existing?.id ?? null;
  const moves = existing !== null && kind === 'tenant' && !sameAddress(existing.url, settings.url);
  const asksAccount = existing?.hasCredential === true && credential.trim() !== '' && !moves;
  const accountProblem =
    asksAccount && account === null ? 'Choose whether the new credential is for the same account.' : null;
  const missing = kind === 'tenant' ? missingCredential(existing, settings.url, credential) : null;
  const badCredential = credentialProblem(credential) ?? (tried ? missing : null);
  const problem = settingsProblem(settings) ?? credentialProblem(credential) ?? missing ?? accountProblem;
  const change = (part: Partial<ConnectionSettings>) => {
    setOutcome(null);
    setEdits((now) => ({ ...now, ...part }));
  };
  const onSave = async () => {
    setTried(true);
    if (problem !== null || save.pending) return;
    const saved = await save.run({
      id,
      settings,
      credential: credential || null,
      grantId: null,
      sameAccount: asksAccount && account === 'same',
    });
    if (saved === null) return;
    await reloadConnections();
    closeConnectionForm();
    if (existing === null) switchTo(saved.id);
    if (credential !== '' && secrets?.mode === 'undecided') showSecrets(true);
  };
  const onTest = async () => {
    setTried(true);
    // The account does not matter for the test, only for saving.
    if (problem !== null && problem !== accountProblem) return;
    setOutcome(await test.run({ id, settings, credential: credential || null }));
  };
  return {
    settings,
    change,
    credential,
    setCredential: (text: string) => {
      setOutcome(null);
      setCredential(text);
    },
    /** Null if the question is not shown. */
    account: asksAccount
      ? { value: account, problem: tried ? accountProblem : null, onChange: setAccount }
      : null,
    moves,
    managed,
    tried,
    problem,
    badCredential,
    outcome,
    test,
    save,
    onTest: () => void onTest(),
    onSave: () => void onSave(),
  };
}

function OpenForm({ existing, kind }: FormOf): JSX.Element {
  const connection = useConnectionForm({ existing, kind });
  const { settings, change, managed, tried, problem, outcome, test, save, onSave } = connection;
  // For Escape pressed outside the drawer, which stays open while the analyst works beside it.
  useCommands([{ ...CLOSE, run: closeConnectionForm }]);
  return (
    <Drawer
      title={existing ? `Edit ${existing.name}` : `Add a ${CONNECTION_KINDS[kind].toLowerCase()}`}
      onClose={closeConnectionForm}
      onConfirm={onSave}
      footNote={tried ? (problem ?? '') : ''}
      actions={
        <>
          <Button text="Cancel" onClick={closeConnectionForm} />
          <ConfirmButton text={existing ? 'Save' : 'Add and open'} disabled={save.pending} onClick={onSave} />
        </>
      }
    >
      <div className="pp-form">
        {managed === null ? null : <p className="pp-flat pp-wrap-anywhere">{connectionReason(managed)}</p>}
        <TextField
          label="Name"
          problem={tried && settings.name.trim() === '' ? 'Enter a name.' : null}
          autoFocus={managed === null}
          disabled={managed !== null}
          value={settings.name}
          onValueChange={(name) => change({ name })}
        />
        {kind === 'tenant' ? (
          <TenantFields
            settings={settings}
            managed={managed !== null}
            credential={connection.credential}
            keepsSaved={
              existing?.hasCredential === true && missingCredential(existing, settings.url, '') === null
            }
            urlProblem={tried ? urlProblem(settings.url) : null}
            credentialProblem={connection.badCredential}
            moves={connection.moves}
            account={connection.account}
            onChange={change}
            onCredential={connection.setCredential}
          />
        ) : null}
        <CommonFields settings={settings} onChange={change} />
        <TrustField
          servers={settings.authServers}
          before={existing?.authServers ?? []}
          kind={kind}
          problem={tried ? authServersProblem(settings.authServers) : null}
          onChange={(authServers) => change({ authServers })}
        />
        <FlagFields flags={settings.flags} onChange={(flags) => change({ flags })} />
        {kind === 'tenant' ? (
          <div className="pp-row">
            <Button
              text={test.pending ? 'Testing' : 'Test'}
              disabled={test.pending}
              onClick={connection.onTest}
            />
            <span className="pp-small pp-t3">Tests these settings without saving.</span>
          </div>
        ) : null}
        {outcome ? <TestOutcome outcome={outcome} /> : null}
        {test.error ? <ErrorBar error={test.error} /> : null}
        {save.error ? <ErrorBar error={save.error} /> : null}
      </div>
    </Drawer>
  );
}

export function ConnectionForm(): JSX.Element | null {
  const form = useOverlays((store) => store.connection);
  const { connections } = useConnection();
  if (form === null) return null;
  const connection = connections.find(({ id }) => id === form.id) ?? null;
  // It was removed in another window.
  if (form.id !== null && connection === null) return null;
  return (
    <OpenForm key={`${form.id} ${form.kind}`} existing={connection} kind={connection?.kind ?? form.kind} />
  );
}
