/** What can be done to this file now, and why not; and sending it. */
import { type Response, useSending } from '#renderer/entity/use-sending.ts';
import { roleRefusal } from '#shared/model/actors.ts';
import { RESPONSES, type ResponseKind } from '#shared/model/responses.ts';
import { stateRefusal } from './refusals.ts';
import type { FileReads } from './use-file.ts';

export interface FileResponse extends Response {
  /** Why the file cannot be downloaded; null: it can be asked for. */
  noDownload: string | null;
}

const NOT_LOADED = 'The profile is not loaded.';

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
        ? (restorable.reason ?? 'The service says it cannot be restored.')
        : null;
    return (
      underway(kind) ??
      (permission === null ? null : roleRefusal(file.props.data ?? {}, permission)) ??
      stateRefusal(kind, { profile, held: file.held, notRestorable })
    );
  };
  const noDownload = file.offline
    ? 'You are offline, and the file itself is not kept on this machine.'
    : profile
      ? roleRefusal(file.props.data ?? {}, 'download')
      : NOT_LOADED;
  return { ...sending, refusal, noDownload };
}
