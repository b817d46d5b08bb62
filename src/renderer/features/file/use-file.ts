import { useMemo } from 'react';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { restoreFieldsOf } from '#renderer/entity/restore-fields.ts';
import { type EntityStack, useEntityStack } from '#renderer/entity/use-entity-stack.ts';
import { type Events, useEvents } from '#renderer/entity/use-events.ts';
import { useListTotal } from '#renderer/entity/use-list-total.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { sendRefusal } from '#renderer/state/respond.ts';
import { permissionsRequest } from '#shared/api/profile-pages.ts';
import { PERMISSION_PAGE_SIZE } from '#shared/model/constants.ts';
import type { PendingAction } from '#shared/model/entities.ts';

/** The reads of a file's profile, each with its own age, error and retry. */
export interface FileReads {
  saas: string;
  entityId: string;
  profile: Read<'file.profile'>;
  /** The caller's role, and quarantine as it is now; if it fails, the plain profile is used. */
  props: Read<'entity.props'>;
  /** Requested only for quarantined items. */
  restorable: Read<'entity.quarantine-restorable'>;
  /** The first twenty permissions. */
  permissions: Read<'entity.permissions'>;
  /** Number of permissions, or null if not known. */
  people: number | null;
  tools: EntityStack;
  events: Events;
  held: boolean;
  pending: readonly PendingAction[];
  /** Why nothing can be sent on this connection, or null if it can. */
  sendRefusal: string | null;
  offline: boolean;
  all: readonly Pick<Read<'file.profile'>, 'error' | 'loading' | 'freshness'>[];
  refreshAll: () => void;
}

/** Reads every part of one file's profile; each appears as soon as it is loaded. */
export function useFile(saas: string, entityId: string): FileReads {
  const { connection, reach } = useConnection();
  const common = useMemo(() => ({ query: { entity_id: entityId } }), [entityId]);
  const profile = useRead(
    'file.profile',
    useMemo(() => ({ params: { saas }, query: { entity_id: entityId } }), [saas, entityId]),
  );
  const tools = useEntityStack(entityId);
  const events = useEvents(saas, entityId);
  const permissions = useRead(
    'entity.permissions',
    useMemo(() => permissionsRequest('file', saas, entityId), [saas, entityId]),
  );
  const { total: people } = useListTotal(
    'entity.permissions',
    permissions.data,
    PERMISSION_PAGE_SIZE,
    useMemo(() => permissionsRequest('file', saas, entityId, 1), [saas, entityId]),
  );
  const props = useRead('entity.props', common);
  const fields = restoreFieldsOf(props, profile.data);
  const held =
    fields?.quarantine_info?.quarantined ??
    profile.data?.quarantine_info?.quarantined ??
    profile.data?.is_quarantined === true;
  const restorable = useRead(
    'entity.quarantine-restorable',
    useMemo(() => (held ? { params: { id: entityId } } : null), [held, entityId]),
  );
  const all = [profile, props, restorable, permissions, tools.scans, tools.exceptions, events.first];
  return {
    saas,
    entityId,
    profile,
    props,
    restorable,
    permissions,
    people,
    tools,
    events,
    held,
    pending: fields?.pending_actions ?? profile.data?.pending_actions ?? [],
    sendRefusal: sendRefusal(reach, connection?.kind),
    offline: reach !== 'online',
    all,
    refreshAll: () => {
      for (const read of all) read.refresh();
    },
  };
}
