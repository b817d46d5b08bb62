import { Cube, FolderOpen, Office } from '@blueprintjs/icons';
import type { JSX } from 'react';
import type { ConnectionKind } from '#shared/bridge/operations.ts';

export const CONNECTION_KINDS: Readonly<Record<ConnectionKind, string>> = {
  tenant: 'Tenant',
  demo: 'Demo',
  evidence: 'Evidence',
};

export function ConnectionIcon({ kind, size = 14 }: { kind: ConnectionKind; size?: number }): JSX.Element {
  if (kind === 'tenant') return <Office size={size} />;
  if (kind === 'demo') return <Cube size={size} />;
  return <FolderOpen size={size} />;
}
