import { useMemo } from 'react';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { isWholeList } from '#shared/api/list-end.ts';
import { type Branding, saasLabel } from '#shared/model/white-label.ts';
import { readStack, type Stack } from './stack-rows.ts';

export interface EntityStack {
  scans: Read<'scan.details'>;
  exceptions: Read<'scan.exceptions-status'>;
  /** Null until the tools have answered. */
  stack: Stack | null;
  appName: (saas: string) => string;
}

export function useBranding(): Branding {
  const info = useAppInfo();
  const { connection } = useConnection();
  const product = connection?.product ?? '';
  const name = connection?.whiteLabel?.trim() || (info?.branding.serviceName ?? '');
  return useMemo(() => ({ product, name }), [product, name]);
}

/** The tools' results for an entity in stack order, and the exceptions that apply to it. */
export function useEntityStack(entityId: string): EntityStack {
  const branding = useBranding();
  const request = useMemo(() => ({ query: { entity_id: entityId } }), [entityId]);
  const scans = useRead('scan.details', request);
  const exceptions = useRead('scan.exceptions-status', request);
  const apps = useRead('apps.list', {});
  const stack = useMemo(
    () =>
      scans.data ? readStack(scans.data.rows, branding, apps.data?.rows, isWholeList(scans.data)) : null,
    [scans.data, apps.data, branding],
  );
  return useMemo(
    () => ({
      scans,
      exceptions,
      stack,
      appName: (saas: string): string => saasLabel(saas, apps.data?.rows ?? [], branding),
    }),
    [scans, exceptions, stack, apps.data, branding],
  );
}
