/** An error that several parts of a screen share is shown once above them instead of in each part. */
import { type JSX, type ReactNode, useContext, useMemo } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { ToldErrors } from '#renderer/ui/reported-errors.ts';
import type { ReadEndpoint } from '#shared/api/catalogue.ts';
import type { BridgeError, ErrorCode } from '#shared/bridge/errors.ts';
import { plural } from '#shared/model/format.ts';

type AnyRead = Pick<Read<ReadEndpoint>, 'error' | 'loading' | 'freshness'>;

/** These errors concern one part only, even if others fail the same way. */
const OF_ONE_PART: ReadonlySet<ErrorCode> = new Set([
  'forbidden',
  'not-found',
  'not-implemented',
  'wrong-shape',
]);

/** The errors that more than one read has, and how many have each. Pure. */
export function sharedErrors(reads: readonly AnyRead[]): { error: BridgeError; count: number }[] {
  const errors = reads.flatMap(({ error, loading }) =>
    error === null || loading || OF_ONE_PART.has(error.code) ? [] : [error],
  );
  return [...Map.groupBy(errors, ({ code }) => code).values()].flatMap((same) => {
    const [error] = same;
    return error !== undefined && same.length > 1 ? [{ error, count: same.length }] : [];
  });
}

interface SharedProblemProps {
  reads: readonly AnyRead[];
  onRetry: () => void;
  children: ReactNode;
}

export function SharedProblem({ reads, onRetry, children }: SharedProblemProps): JSX.Element {
  const above = useContext(ToldErrors);
  const shared = sharedErrors(reads).filter(({ error }) => !above.has(error.code));
  const codes = shared.map(({ error }) => error.code).join(' ');
  const allCodes = useMemo(() => new Set([...above, ...codes.split(' ').filter(Boolean)]), [above, codes]);
  return (
    <ToldErrors value={allCodes}>
      {shared.map(({ error, count }) => (
        <ErrorBar
          key={error.code}
          error={{ ...error, message: `${plural(count, 'part')} not loaded: ${error.message}` }}
          onRetry={onRetry}
        />
      ))}
      {children}
    </ToldErrors>
  );
}
