/** The possible responses to this file, why others are disabled, and sending them. */
import type { JSX } from 'react';
import { EntityResponseDialog, isHarmful, stackWarnings } from '#renderer/entity/entity-response.tsx';
import { type Response, useSending } from '#renderer/entity/use-sending.ts';
import { roleRefusal } from '#shared/model/actors.ts';
import { RESPONSES, type ResponseKind } from '#shared/model/responses.ts';
import { accessWarning, stateRefusal } from './refusals.ts';
import type { FileReads } from './use-file.ts';

export interface FileResponse extends Response {
  /** Why the file cannot be downloaded, or null if it can be downloaded. */
  noDownload: string | null;
}

const NOT_LOADED = 'Profile not loaded.';

export function useResponse(file: FileReads): FileResponse {
  const profile = file.profile.data;
  const { underway, ...sending } = useSending({
    type: 'file',
    entityId: file.entityId,
    name: profile?.title || '(no title)',
  });
  const restorable = file.restorable.data;
  const refusal = (kind: ResponseKind): string | null => {
    if (file.sendRefusal !== null) return file.sendRefusal;
    if (!profile) return NOT_LOADED;
    const { permission } = RESPONSES[kind];
    const notRestorable =
      restorable?.restorable === false
        ? (restorable.reason ?? 'The service reports that it cannot be restored.')
        : null;
    return (
      underway(kind) ??
      (permission === null ? null : roleRefusal(file.props.data ?? {}, permission)) ??
      stateRefusal(kind, { profile, held: file.held, notRestorable })
    );
  };
  const noDownload = file.offline
    ? 'You are offline, and the file is not stored on this machine.'
    : profile
      ? roleRefusal(file.props.data ?? {}, 'download')
      : NOT_LOADED;
  return { ...sending, refusal, noDownload, harmful: isHarmful(file.tools.stack) };
}

function warningsFor(kind: ResponseKind, file: FileReads): string[] {
  const warnings = stackWarnings(kind, file.tools.stack, 'everyone with access');
  const access = kind === 'quarantine' || kind === 'delete' ? accessWarning(file.people) : null;
  return access === null ? warnings : [...warnings, access];
}

export function FileResponseDialog(props: { file: FileReads; sending: Response }): JSX.Element {
  const { file, sending } = props;
  const profile = file.profile.data;
  return (
    <EntityResponseDialog
      noun="file"
      sending={sending}
      stack={file.tools.stack}
      figures={[
        { label: 'File', value: 1, accent: true },
        { label: 'With access', value: file.people ?? 'Unknown' },
        { label: 'Events', value: file.events.isAtLeast ? 'Unknown' : (file.events.total ?? 'Unknown') },
      ]}
      title={profile?.title || '(no title)'}
      from={profile?.path ?? ''}
      warningsFor={(kind) => warningsFor(kind, file)}
      identifier={profile?.entity_identifier}
    />
  );
}
