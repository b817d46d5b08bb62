import type { Read } from '#renderer/bridge/use-read.ts';
import type { ReadEndpoint } from '#shared/api/catalogue.ts';

/** The props of Panel that come from a read. */
export function panelState(read: Omit<Read<ReadEndpoint>, 'data'>) {
  return {
    freshness: read.freshness,
    loading: read.loading || read.revalidating,
    error: read.error,
    onRetry: read.refresh,
    // A missing permission is explained instead of being shown as a failure.
    ...(read.error?.code === 'forbidden' ? { errorTitle: 'Not allowed for your role' } : {}),
  };
}
