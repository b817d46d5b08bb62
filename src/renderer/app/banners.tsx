import { Button } from '@blueprintjs/core';
import { Cross } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { timeOfDay, zoneAt } from '#shared/model/clock.ts';
import { useAppInfo } from '../state/app-info.ts';
import { activateConnection, setOffline, useConnection } from '../state/connection.ts';
import { openConnectionForm, showSecrets } from '../state/overlays.ts';
import { CautionBar } from '../ui/bars.tsx';
import { useClock } from '../ui/clock-context.ts';
import { ErrorBar } from '../ui/error-bar.tsx';
import { GlyphCloudOff } from '../ui/glyphs.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { showToast } from '../ui/toaster.ts';
import { EvidenceBanner } from './evidence-banner.tsx';

function Offline(): JSX.Element | null {
  const { state, connection } = useConnection();
  const clock = useClock();
  const [asking, setAsking] = useState(false);
  if (state.phase !== 'offline-user' && state.phase !== 'offline-auto') return null;
  const byChoice = state.phase === 'offline-user';
  const since = `${timeOfDay(state.since, clock).slice(0, 5)} ${zoneAt(state.since, clock)}`;
  const why = byChoice
    ? `By your choice since ${since}.`
    : `Since ${since}: ${state.error?.message ?? `${connection?.name ?? 'The service'} does not answer.`}`;
  const retry = () => {
    setAsking(true);
    setOffline(false)
      .catch((error: unknown) =>
        showToast({ intent: 'error', title: 'Still offline', detail: toBridgeError(error).message }),
      )
      .finally(() => setAsking(false));
  };
  return (
    <div className="pp-offline-bar" role="status" data-region>
      <GlyphCloudOff />
      <span className="pp-ellipsis" title={why}>
        <b>Offline.</b> {why} What is saved on this machine is shown, with its age.
      </span>
      <span className="pp-spacer" />
      <Button size="small" text={byChoice ? 'Go online' : 'Retry now'} disabled={asking} onClick={retry} />
    </div>
  );
}

function Failed(): JSX.Element | null {
  const { state, connection } = useConnection();
  if (state.phase !== 'failed' || !state.error) return null;
  const { connectionId } = state;
  return (
    <div className="pp-failed-bar">
      <ErrorBar
        error={state.error}
        {...(connectionId === null
          ? {}
          : { onRetry: () => void activateConnection(connectionId).catch(() => undefined) })}
      />
      {connection ? (
        <Button
          size="small"
          text="Change the connection"
          onClick={() => openConnectionForm({ id: connection.id, kind: connection.kind })}
        />
      ) : null}
    </div>
  );
}

function Secrets(): JSX.Element | null {
  const info = useAppInfo();
  const { secrets } = info ?? {};
  if (!secrets || (secrets.mode !== 'undecided' && !secrets.locked)) return null;
  return (
    <CautionBar
      action={
        <Button size="small" text={secrets.locked ? 'Open' : 'Choose'} onClick={() => showSecrets(true)} />
      }
    >
      {secrets.locked
        ? `Saved secrets are locked: what is saved on this machine cannot be seen, and nothing of this run is kept. ${secrets.reason ?? ''}`
        : `${secrets.reason ?? 'This machine offers no keychain.'} Until you choose, nothing saved can be read after this run.`}
    </CautionBar>
  );
}

function Notices(): JSX.Element | null {
  const info = useAppInfo();
  const [closed, setClosed] = useState<readonly string[]>([]);
  const open = info?.notices.filter(({ id }) => !closed.includes(id)) ?? [];
  return (
    <>
      {open.map(({ id, level, message }) => (
        <CautionBar
          key={id}
          action={
            <IconButton
              small
              icon={<Cross size={12} />}
              label="Dismiss"
              onClick={() => setClosed([...closed, id])}
            />
          }
        >
          {level === 'error' ? <b>Problem. </b> : null}
          {message}
        </CautionBar>
      ))}
    </>
  );
}

/** What concerns the whole window, under the tabs. */
export function Banners(): JSX.Element {
  return (
    <div className="pp-banners">
      <Offline />
      <Failed />
      <EvidenceBanner />
      <Secrets />
      <Notices />
    </div>
  );
}
