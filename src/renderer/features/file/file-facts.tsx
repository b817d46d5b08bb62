import { Clipboard } from '@blueprintjs/icons';
import type { JSX, ReactNode } from 'react';
import { copyText, openNewQueryWith } from '#renderer/state/entity-actions.ts';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import type { Fact } from '#renderer/ui/facts.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { actorLabel } from '#shared/model/actors.ts';
import { type ClockSetting, profileTime, toInstant } from '#shared/model/clock.ts';
import { type FileProfile, fileProfile } from '#shared/model/entities.ts';
import { bytes, exact, timeAgo, visibleText } from '#shared/model/format.ts';
import { openFilesWith } from './open-files.ts';

interface FactsContext {
  clock: ClockSetting;
  now: number;
}

const text = (value: string | null | undefined): ReactNode => (value ? visibleText(value) : null);

/** `danger` and `caution` colour a yes. */
function flag(label: string, value: boolean | null | undefined, tone = ''): Fact {
  if (value === null || value === undefined) return { label, value: null };
  return { label, value: value ? <span className={tone}>Yes</span> : 'No' };
}

function time(label: string, value: string | null | undefined, { clock, now }: FactsContext): Fact {
  const instant = toInstant(value);
  if (instant === null) return { label, value: text(value) };
  return { label, value: profileTime(instant, clock), note: timeAgo(instant, now) };
}

export const HASHES = [
  { label: 'MD5', key: 'md5', emails: 'attachment_md5' },
  { label: 'SHA-1', key: 'sha1', emails: 'attachment_sha1' },
  { label: 'SHA-256', key: 'sha256', emails: 'attachment_sha256' },
] as const;

function Hash({ hash, value }: { hash: (typeof HASHES)[number]; value: string }): JSX.Element {
  return (
    <span className="fi-hash" data-hash={hash.key}>
      <EntityValue entity={{ kind: 'hash', value, field: hash.emails }} />
      <span className="fi-hash-actions">
        <IconButton
          small
          icon={<Clipboard size={12} />}
          label={`Copy the ${hash.label}`}
          onClick={() => void copyText(value, `${hash.label} copied`)}
        />
        <button
          type="button"
          className="pp-link"
          title={`New query: files whose ${hash.label} is this one`}
          onClick={() => void openFilesWith({ kind: 'hash', value, field: hash.key })}
        >
          Files
        </button>
        <button
          type="button"
          className="pp-link"
          title={`New query: emails with an attachment whose ${hash.label} is this one`}
          onClick={() => void openNewQueryWith({ kind: 'hash', value, field: hash.emails })}
        >
          Emails
        </button>
      </span>
    </span>
  );
}

function quarantine(profile: FileProfile, clock: ClockSetting): Fact {
  const { quarantine_info: info, is_quarantined: flagged } = profile;
  const held = info?.quarantined ?? flagged;
  const fact = flag('Quarantine', held, 'pp-strong');
  if (!held || !info) return fact;
  const label = actorLabel(info.by_label);
  const parts = [
    info.by ? `by ${info.by}${label ? ` (${label})` : ''}` : label,
    info.time ? profileTime(info.time, clock) : null,
    info.reason ? `“${info.reason}”` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? fact : { ...fact, note: visibleText(parts.join(', ')) };
}

const KNOWN: ReadonlySet<string> = new Set(Object.keys(fileProfile.shape));
const MOST = 40;
const MAX_TEXT = 300;

/** Fields beyond the specification's, as they are: nothing that a service says is lost. */
function extraFacts(profile: FileProfile): Fact[] {
  return Object.entries(profile)
    .filter(([key]) => !KNOWN.has(key))
    .slice(0, MOST)
    .map(([key, value]) => {
      const words = visibleText(key.replaceAll('_', ' ').slice(0, 40));
      const label = words.charAt(0).toUpperCase() + words.slice(1);
      if (value === null || value === undefined || value === '') return { label, value: null };
      if (typeof value === 'boolean') return flag(label, value);
      const shown = typeof value === 'string' ? value : JSON.stringify(value);
      return { label, value: visibleText(shown.slice(0, MAX_TEXT)) };
    });
}

/** The facts of a file in the order of the profile; extra fields of the service follow under their own names. */
export function fileFacts(profile: FileProfile, context: FactsContext): Fact[] {
  const { clock } = context;
  return [
    { label: 'Title', value: text(profile.title) },
    { label: 'Path', value: text(profile.path) },
    {
      label: 'Size',
      value:
        typeof profile.size === 'number' ? (
          <span title={`${exact(profile.size)} bytes`}>{bytes(profile.size)}</span>
        ) : null,
    },
    { label: 'Type', value: text(profile.mime_type) },
    quarantine(profile, clock),
    flag('Vault', profile.is_vault),
    flag('Deleted', profile.is_deleted, 'pp-caution'),
    flag('Shared outside', profile.is_shared_externally, 'pp-caution'),
    flag('Shared publicly', profile.is_shared_publicly, 'pp-danger'),
    ...HASHES.map((hash): Fact => {
      const value = profile[hash.key];
      return { label: hash.label, value: value ? <Hash hash={hash} value={value} /> : null };
    }),
    {
      label: 'Owner',
      value: profile.owner ? (
        <EntityValue entity={{ kind: 'email', value: profile.owner, field: 'owner' }} />
      ) : null,
    },
    time('Created', profile.created, context),
    time('Modified', profile.modified, context),
    { label: 'App', value: text(profile.saas) },
    ...(profile.entity_identifier ? [{ label: 'Identifier', value: text(profile.entity_identifier) }] : []),
    {
      label: 'Entity id',
      value: <EntityValue entity={{ kind: 'text', value: profile.entity_id, field: 'entity_id' }} />,
    },
    ...extraFacts(profile),
  ];
}
