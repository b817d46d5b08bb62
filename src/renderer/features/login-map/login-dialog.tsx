import { Button } from '@blueprintjs/core';
import type { JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { foundIn } from '#renderer/entity/found-in.tsx';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { Facts } from '#renderer/ui/facts.tsx';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import { profileTime } from '#shared/model/clock.ts';
import { visibleText } from '#shared/model/format.ts';
import type { LoginRow } from './engine.ts';
import { logPlaceWords, outcomeLabel, REREAD } from './labels.ts';
import { placeWords } from './map-controls.tsx';

/** One login from logs of evidence, and where they have it. */
export function LoginDialog({ row, onClose }: { row: LoginRow; onClose: () => void }): JSX.Element {
  const clock = useClock();
  const { id, module, user, time } = row;
  const { data, error, loading, refresh } = useRead('logins.places', {
    query: { module, id, user, ...(time === null ? {} : { time: new Date(time).toISOString() }) },
  });
  // The map shows the sign-ins of the new reading by now.
  const isReread = error?.code === 'not-found';
  return (
    <Dialog title="Login details" onClose={onClose} actions={<Button text="Close" onClick={onClose} />}>
      {error && !isReread ? (
        <ErrorBar
          error={error}
          onRetry={refresh}
          {...(data ? { shownInstead: 'Showing older places.' } : {})}
        />
      ) : null}
      <Facts
        facts={[
          { label: 'User', value: visibleText(user) },
          { label: 'Time', value: time === null ? null : profileTime(time, clock) },
          { label: 'IP address', value: visibleText(row.ip) },
          { label: 'Location', value: placeWords(row) },
          { label: 'Outcome', value: outcomeLabel(row.failed) },
          ...(isReread
            ? [{ label: 'Found in', value: <span className="pp-unknown">{REREAD}</span> }]
            : data
              ? [foundIn(data.places, data.total, logPlaceWords)]
              : []),
        ]}
      />
      {loading && !data ? <SkeletonRows rows={1} /> : null}
    </Dialog>
  );
}
