import type { Read } from '#renderer/bridge/use-read.ts';
import type { ReadEndpoint } from '#shared/api/catalogue.ts';

/** What Panel takes from a read. */
export function panelState(read: Omit<Read<ReadEndpoint>, 'data'>) {
  return {
    freshness: read.freshness,
    loading: read.loading || read.revalidating,
    error: read.error,
    onRetry: read.refresh,
    // What a role may not see is explained, not shown as a failure.
    ...(read.error?.code === 'forbidden' ? { errorTitle: 'Not for your role' } : {}),
  };
}
