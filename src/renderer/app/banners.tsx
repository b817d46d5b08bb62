import { Button } from '@blueprintjs/core';
import { Cross } from '@blueprintjs/icons';
import {
  type JSX,
  type ReactNode,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { activateConnection, setOffline, useConnection } from '#renderer/state/connection.ts';
import { useEvidenceState } from '#renderer/state/evidence-state.ts';
import { openConnectionForm, showSecrets } from '#renderer/state/overlays.ts';
import { showFailure } from '#renderer/state/show-failure.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { useWireHealth } from '#renderer/state/wire-health.ts';
import { CautionBar } from '#renderer/ui/caution-bar.tsx';
import { useClock } from '#renderer/ui/clock-context.ts';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { GlyphCloudOff, GlyphError } from '#renderer/ui/glyphs.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { ToldErrors } from '#renderer/ui/reported-errors.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { timeOfDay, zoneAt } from '#shared/model/clock.ts';
import { whyIncomplete } from '#shared/model/evidence.ts';
import { hostSilentWords, moreNoticesWords, offlineWords } from './labels.ts';

/** Why the current evidence is incomplete, and whether to keep mail that is no longer in it. */
function EvidenceBanner(): JSX.Element | null {
  const { id, state, setState } = useEvidenceState();
  const [answering, setAnswering] = useState(false);
  const answer = useCallback(
    (choice: 'keep' | 'remove') => {
      if (id === null) return;
      setAnswering(true);
      windowBridge()
        .call('evidence.resolve', { connectionId: id, answer: choice })
        .then((result) => setState(result.state))
        .catch((error: unknown) =>
          showFailure(choice === 'keep' ? 'Mail not kept' : 'Mail not removed', error),
        )
        .finally(() => setAnswering(false));
    },
    [id, setState],
  );
  const goOn = useCallback(() => {
    if (id === null) return;
    windowBridge()
      .call('evidence.read', { connectionId: id })
      .then((result) => setState(result.state))
      .catch((error: unknown) => showFailure('Evidence not read', error));
  }, [id, setState]);
  const why = state === null ? null : whyIncomplete(state);
  if (state === null || why === null) return null;
  const asks = state.phase === 'read' && state.gone > 0;
  return (
    <CautionBar
      action={
        asks ? (
          <span className="pp-row">
            <Button
              size="small"
              text="Keep imported mail"
              disabled={answering}
              onClick={() => answer('keep')}
            />
            <Button
              size="small"
              intent="danger"
              text="Remove it"
              disabled={answering}
              onClick={() => answer('remove')}
            />
          </span>
        ) : state.phase === 'reading' ? null : (
          <Button size="small" text={state.phase === 'read' ? 'Read again' : 'Continue'} onClick={goOn} />
        )
      }
    >
      <b>{state.phase === 'reading' ? 'Reading evidence.' : 'Evidence incomplete.'}</b> {why}
    </CautionBar>
  );
}

/**
 * The state of Parapet itself. While it does not answer, its last report on the service is hidden: it may be out of
 * date.
 */
function HostSilent({ since }: { since: number }): JSX.Element {
  const clock = useClock();
  return (
    <div className="pp-offline-bar" role="alert">
      <GlyphError />
      <span className="pp-bar-text">
        <b>Parapet does not answer.</b>{' '}
        {hostSilentWords(`${timeOfDay(since, clock)} ${zoneAt(since, clock)}`)}
      </span>
    </div>
  );
}

function Offline(): JSX.Element | null {
  const { state, connection } = useConnection();
  const clock = useClock();
  const [asking, setAsking] = useState(false);
  if (state.phase !== 'offline-user' && state.phase !== 'offline-auto') return null;
  const byChoice = state.phase === 'offline-user';
  const since = `${timeOfDay(state.since, clock).slice(0, 5)} ${zoneAt(state.since, clock)}`;
  const why = offlineWords(state, connection?.name ?? 'The service', since);
  const retry = () => {
    setAsking(true);
    void setOffline(false)
      .then(({ phase, error }) => (phase === 'offline-auto' ? error : null), toBridgeError)
      .then((error) => {
        if (error) showToast({ intent: 'error', title: 'Still offline', detail: error.message });
      })
      .finally(() => setAsking(false));
  };
  return (
    <div className="pp-offline-bar" role="status">
      <GlyphCloudOff />
      <span className="pp-bar-text">
        <b>Offline.</b> {why} Showing cached data with its age.
      </span>
      <Button size="small" text={byChoice ? 'Go online' : 'Retry now'} disabled={asking} onClick={retry} />
    </div>
  );
}

/** Panels below do not repeat an error of the connection, which the banner above them reports. */
export function ToldByBanners({ children }: { children: ReactNode }): JSX.Element {
  const { state } = useConnection();
  const code = state.phase === 'failed' ? state.error?.code : undefined;
  const codes = useMemo(() => new Set(code === undefined ? [] : [code]), [code]);
  return <ToldErrors value={codes}>{children}</ToldErrors>;
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
          text="Edit connection"
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
        ? `Saved secrets are locked: saved data is unavailable, and nothing from this session is kept. ${secrets.reason ?? ''}`
        : `${secrets.reason ?? 'This machine offers no keychain.'} Until you choose a passphrase, data saved now can’t be read after this session.`}
    </CautionBar>
  );
}

function Notices(): JSX.Element | null {
  const info = useAppInfo();
  /** Dismissed messages by id: a later notice with the same id but another message is shown. */
  const [closed, setClosed] = useState<ReadonlyMap<string, string>>(new Map());
  const open = info?.notices.filter(({ id, message }) => closed.get(id) !== message) ?? [];
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
              onClick={() => setClosed(new Map(closed).set(id, message))}
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

const BARS = '.pp-offline-bar, .pp-failed-bar, .pp-caution-bar';
const TEXT = '.pp-bar-text, .pp-error-text';

/** The banners that are open, and whether the text of the first is cut off while it has only one line. */
function useBars(root: RefObject<HTMLElement | null>): { count: number; isCut: boolean } {
  const [bars, setBars] = useState({ count: 0, isCut: false });
  useLayoutEffect(() => {
    const section = root.current;
    if (!section) return undefined;
    const measure = () => {
      const open = section.querySelectorAll(BARS);
      const text = open[0]?.querySelector(TEXT);
      setBars({ count: open.length, isCut: text ? text.scrollWidth > text.clientWidth + 1 : false });
    };
    const changes = new MutationObserver(measure);
    changes.observe(section, { childList: true, subtree: true, characterData: true });
    const sizes = new ResizeObserver(measure);
    sizes.observe(section);
    return () => {
      changes.disconnect();
      sizes.disconnect();
    };
  }, [root]);
  return bars;
}

/**
 * Banners that concern the whole window, below the tabs. In a low window, as at 200 %, they would take half of it: the
 * first one keeps a line, and a button opens the rest.
 */
export function Banners(): JSX.Element {
  const health = useWireHealth();
  const { tiny } = useBreakpoint();
  const root = useRef<HTMLElement>(null);
  const { count, isCut } = useBars(root);
  const [isOpen, setOpen] = useState(false);
  const folds = tiny && count > 0 && (count > 1 || isCut || isOpen);
  return (
    <section
      ref={root}
      className={tiny && !isOpen ? 'pp-banners pp-banners-folded' : 'pp-banners'}
      aria-label="Notices"
    >
      {health.phase === 'silent' ? (
        <HostSilent since={health.since} />
      ) : (
        <>
          <Offline />
          <Failed />
        </>
      )}
      <EvidenceBanner />
      <Secrets />
      <Notices />
      {folds ? (
        <LinkButton className="pp-banners-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {moreNoticesWords(isOpen, count)}
        </LinkButton>
      ) : null}
    </section>
  );
}
