import { Clipboard } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { readOnce } from '#renderer/bridge/use-read.ts';
import { extraFacts } from '#renderer/entity/extra-facts.ts';
import {
  entityFact,
  type FactTimes,
  flagFact,
  identifierFact,
  idFact,
  plannedFacts,
  quarantineFact,
  roleFact,
  sizeFact,
  textFact,
  timeFact,
} from '#renderer/entity/fact-parts.tsx';
import { restoreFieldsOf } from '#renderer/entity/restore-fields.ts';
import { currentConnection } from '#renderer/state/connection.ts';
import { blankQuery } from '#renderer/state/drafts.ts';
import { conditionFor, copyText, openNewQueryWith } from '#renderer/state/entity-actions.ts';
import { openPivot } from '#renderer/state/navigation.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { type EntityRef, EntityValue } from '#renderer/ui/entity-value.tsx';
import type { Fact } from '#renderer/ui/facts.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { type FileProfile, fileProfile } from '#shared/model/entities.ts';
import type { FileReads } from './use-file.ts';

// New queries on a file's values.

/** Opens a query for files with this value; a toast explains if the service has no field for it. */
const openFilesWith = (entity: EntityRef): Promise<unknown> =>
  attempt('This value can’t be queried', async () => {
    const connection = currentConnection();
    if (!connection) throw new Error('No connection is open.');
    const request = { query: { saas_id: 'all', query_domain: 'file' } };
    const { data } = await readOnce(windowBridge(), connection.id, 'query.config', request);
    const condition = conditionFor(data, entity);
    if (!condition) throw new Error('This service has no file field for this value.');
    openPivot({
      ...blankQuery('file'),
      name: `Files: ${entity.value.slice(0, 80)}`,
      filter: { operator: 'and', conditions: [condition] },
    });
  });

interface FactsContext extends FactTimes {
  file: FileReads;
  /** Null if it cannot be set. */
  onIdentify: (() => void) | null;
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
          label={`Copy ${hash.label}`}
          onClick={() => void copyText(value, `${hash.label} copied`)}
        />
        <LinkButton
          title={`New query: files with this ${hash.label}`}
          onClick={() => void openFilesWith({ kind: 'hash', value, field: hash.key })}
        >
          Files
        </LinkButton>
        <LinkButton
          title={`New query: emails with this attachment ${hash.label}`}
          onClick={() => void openNewQueryWith({ kind: 'hash', value, field: hash.emails })}
        >
          Emails
        </LinkButton>
      </span>
    </span>
  );
}

const PERMISSIONS = ['act', 'rescan', 'identify', 'download'] as const;

/** The facts of a file in the order of the profile; extra fields of the service follow under their own names. */
export function fileFacts(profile: FileProfile, context: FactsContext): Fact[] {
  const { clock, file } = context;
  const held = restoreFieldsOf(file.props, profile)?.quarantine_info ??
    profile.quarantine_info ?? { quarantined: file.held };
  return [
    textFact('Title', profile.title),
    textFact('Path', profile.path),
    sizeFact(profile.size),
    textFact('Type', profile.mime_type),
    quarantineFact(held, file.restorable.data, clock),
    ...plannedFacts(file.pending, clock),
    flagFact('Vault', profile.is_vault),
    flagFact('Deleted', profile.is_deleted, 'pp-caution'),
    flagFact('Shared externally', profile.is_shared_externally, 'pp-caution'),
    flagFact('Shared publicly', profile.is_shared_publicly, 'pp-danger'),
    ...HASHES.map((hash): Fact => {
      const value = profile[hash.key];
      return { label: hash.label, value: value ? <Hash hash={hash} value={value} /> : null };
    }),
    entityFact('Owner', 'email', profile.owner, 'owner'),
    timeFact('Created', profile.created, context),
    timeFact('Modified', profile.modified, context),
    textFact('App', profile.saas && file.tools.appName(profile.saas)),
    identifierFact(profile.entity_identifier, context.onIdentify),
    idFact(profile.entity_id),
    ...roleFact(file.props.data, PERMISSIONS),
    ...extraFacts(profile, fileProfile.shape, clock),
  ];
}
