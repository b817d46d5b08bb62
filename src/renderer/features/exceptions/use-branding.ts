import { useMemo } from 'react';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { flagsOf } from '#shared/model/flags.ts';
import type { Branding } from '#shared/model/white-label.ts';
import type { Flags } from './form.ts';

/** The white-label of the current connection, and its feature flags. */
export function useBranding(): { branding: Branding; flags: Flags; connectionId: string | null } {
  const { connection } = useConnection();
  const name = useAppInfo()?.branding.serviceName ?? '';
  const product = connection?.product ?? '';
  const own = connection?.flags;
  return useMemo(
    () => ({ branding: { product, name }, flags: flagsOf(own ?? {}), connectionId: connection?.id ?? null }),
    [product, name, own, connection?.id],
  );
}
