import type { Read } from '#renderer/bridge/use-read.ts';
import type { ReadEndpoint } from '#shared/api/catalogue.ts';

type State = Omit<Read<ReadEndpoint>, 'data'>;

/** The props of FreshnessMark that come from a read. */
export const ageOf = ({ freshness, loading, revalidating, error }: Omit<State, 'refresh'>) => ({
  freshness,
  loading: loading || revalidating,
  error,
});

/** The props of a panel that does not show that its read is renewed. */
export const quietState = ({ freshness, loading, error, refresh }: State) => ({
  freshness,
  loading,
  error,
  onRetry: refresh,
});

/** The props of Panel that come from a read. */
export function panelState(read: State) {
  return {
    ...ageOf(read),
    onRetry: read.refresh,
    // A missing permission is explained instead of being shown as a failure.
    ...(read.error?.code === 'forbidden' ? { errorTitle: 'Not allowed for your role' } : {}),
  };
}
