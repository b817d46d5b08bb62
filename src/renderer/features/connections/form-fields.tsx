import { Checkbox } from '@blueprintjs/core';
import type { JSX } from 'react';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { AreaField, Field, TextField } from '#renderer/ui/form/field.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import type { ConnectionSettings } from '#shared/bridge/operations.ts';
import { authServersOf } from '#shared/model/auth-servers.ts';
import { FEATURE_FLAGS, flagsOf, withFlag } from '#shared/model/flags.ts';

const LABELS = new Map(FEATURE_FLAGS.map(({ name, label }) => [name, label]));

/** The feature flags of a connection; overridden ones are marked. */
export function FlagFields({
  flags,
  onChange,
}: {
  flags: Readonly<Record<string, boolean>>;
  onChange: (flags: Record<string, boolean>) => void;
}): JSX.Element {
  return (
    <fieldset className="pp-flags">
      <legend className="pp-caption pp-t2">Feature flags</legend>
      {Object.entries(flagsOf(flags)).map(([name, on]) => (
        <Checkbox
          key={name}
          checked={on}
          onChange={({ currentTarget }) => onChange(withFlag(flags, name, currentTarget.checked))}
        >
          {LABELS.get(name) ?? <span className="pp-mono">{name}</span>}
          {Object.hasOwn(flags, name) ? <span className="pp-t3"> · set here</span> : null}
        </Checkbox>
      ))}
    </fieldset>
  );
}

/** Whether a new credential belongs to the account whose data is cached, or null if not answered. */
export type Account = 'same' | 'other' | null;

interface TenantFieldsProps {
  settings: ConnectionSettings;
  /** The policy of this machine defines the address. */
  managed: boolean;
  credential: string;
  /** A credential is saved and stays when the field is left empty. */
  keepsSaved: boolean;
  urlProblem: string | null;
  credentialProblem: string | null;
  /** The address differs from the saved one. */
  moves: boolean;
  /** Shown when a saved credential is replaced while the address stays the same. */
  account: { value: Account; problem: string | null; onChange: (value: Account) => void } | null;
  onChange: (change: Partial<ConnectionSettings>) => void;
  onCredential: (credential: string) => void;
}

export function TenantFields(props: TenantFieldsProps): JSX.Element {
  const { settings, managed, credential, keepsSaved, urlProblem, credentialProblem, moves, account } = props;
  const { onChange, onCredential } = props;
  return (
    <>
      <TextField
        label="Service address"
        problem={urlProblem}
        note={
          moves
            ? 'This is a different service: cached data of the previous one is removed when you save.'
            : 'https, without /api/v1'
        }
        className="pp-mono-input"
        disabled={managed}
        value={settings.url ?? ''}
        spellCheck={false}
        onValueChange={(url) => onChange({ url })}
      />
      <TextField
        label="Credential"
        problem={credentialProblem}
        note={keepsSaved ? 'Leave empty to keep the saved one.' : 'An API token. It is not shown again.'}
        type="password"
        autoFocus={managed}
        autoComplete="off"
        placeholder={keepsSaved ? '••••••••' : ''}
        value={credential}
        onValueChange={onCredential}
      />
      {account ? (
        <Field
          label="Same tenant and account?"
          problem={account.problem}
          note={
            account.value === 'other'
              ? 'Cached data of this connection is removed when you save.'
              : 'Cached data stays only if the new credential has the same access.'
          }
        >
          {(id) => (
            <div id={id}>
              <Segmented<'same' | 'other' | 'unsaid'>
                label="Same tenant and account?"
                value={account.value ?? 'unsaid'}
                options={[
                  { value: 'same', label: 'Yes, renewed' },
                  { value: 'other', label: 'No, a different one' },
                ]}
                onChange={(value) => account.onChange(value === 'unsaid' ? null : value)}
              />
            </div>
          )}
        </Field>
      ) : null}
      <AreaField
        label="Additional certificate authority (PEM)"
        note="For services with a certificate from your own authority. Certificates are always verified."
        className="pp-mono-input"
        rows={3}
        spellCheck={false}
        placeholder="-----BEGIN CERTIFICATE-----"
        value={settings.authorityPem ?? ''}
        onText={(text) => onChange({ authorityPem: text || null })}
      />
    </>
  );
}

/** Servers whose SPF, DKIM and DMARC results are trusted; one per line. */
export function TrustField(props: {
  servers: readonly string[];
  before: readonly string[];
  kind: ConnectionSettings['kind'];
  problem: string | null;
  onChange: (servers: string[]) => void;
}): JSX.Element {
  const { servers, before, kind, problem, onChange } = props;
  const isChanged = authServersOf(servers).join('\n') !== before.join('\n');
  return (
    <AreaField
      label="Trusted authentication servers"
      problem={problem}
      note={
        isChanged && kind === 'evidence'
          ? 'Stored SPF, DKIM and DMARC results are re-evaluated when you save.'
          : 'One per line: the authserv-id at the start of Authentication-Results. The last receiving server is trusted by default.'
      }
      className="pp-mono-input"
      rows={3}
      spellCheck={false}
      placeholder="mx.example.com"
      value={servers.join('\n')}
      onText={(text) => onChange(text === '' ? [] : text.split('\n'))}
    />
  );
}

export function CommonFields(props: {
  settings: ConnectionSettings;
  onChange: (change: Partial<ConnectionSettings>) => void;
}): JSX.Element {
  const { settings, onChange } = props;
  const usual = useAppInfo()?.branding.serviceName;
  return (
    <>
      <TextField
        label="Product name"
        note="Shown instead of the vendor’s name in tools, lists and exports"
        value={settings.whiteLabel ?? ''}
        maxLength={60}
        {...(usual ? { placeholder: usual } : {})}
        onValueChange={(whiteLabel) => onChange({ whiteLabel })}
      />
      <div className="pp-field-pair">
        <TextField
          label="Tenant time zone"
          note="IANA name, used by the tenant clock"
          value={settings.timezone ?? ''}
          placeholder="Europe/Berlin"
          spellCheck={false}
          onValueChange={(timezone) => onChange({ timezone: timezone || null })}
        />
        <TextField
          label="Product ID"
          note={'Stands for {product} in tool IDs'}
          className="pp-mono-input"
          value={settings.product}
          spellCheck={false}
          onValueChange={(product) => onChange({ product })}
        />
      </div>
    </>
  );
}
