import { Button } from '@blueprintjs/core';
import { Globe } from '@blueprintjs/icons';
import { type JSX, useMemo, useRef } from 'react';
import { openWith } from '#renderer/state/tab-payload.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import type { BridgeError } from '#shared/bridge/errors.ts';
import { type InstantLike, profileTime } from '#shared/model/clock.ts';
import { exact, plural } from '#shared/model/format.ts';
import { missingWords, partialWords } from '../login-map/labels.ts';
import { LoginList } from '../login-map/login-list.tsx';
import { MapPanel } from '../login-map/map-panel.tsx';
import type { PictureAsk } from '../login-map/picture.ts';
import { useLayers } from '../login-map/use-layers.ts';
import { useLogins } from '../login-map/use-logins.ts';
import { LIST_WORDS, noSignIns, SIGN_IN_WORDS } from './labels.ts';
import '../login-map/login-map.css';
import '../login-map/login-lists.css';

const onMap = (email: string) => openWith('login-map', { part: 'users', value: email });

/** A user's logins: a map and a list, rarest first. Missing data is explained and never shown as empty. */
export function SignInsPanel(props: {
  email: string;
  saas: string;
  appName: string;
  /** The last login according to the profile, or null if not reported. */
  last: InstantLike | null;
  /** Places the map beside the list instead of above it. */
  full?: boolean;
}): JSX.Element {
  const { email, saas, appName, last, full } = props;
  const clock = useClock();
  const apps = useMemo(() => [{ module: saas, label: appName }], [saas, appName]);
  const choice = useMemo(() => ({ module: saas }), [saas]);
  const filter = useMemo(() => ({ users: [email] }), [email]);
  const { front } = useLayers(apps, choice, filter);
  const { client, summary, loaded, ask, busy, isPartial, problem } = useLogins(front, filter, clock);
  const map = useRef<PictureAsk | null>(null);
  const unread = front.find(({ error }) => error !== null)?.error ?? null;
  const damage = problem ?? loaded?.layers.find(({ error }) => error !== null)?.error ?? null;
  const error: BridgeError | null =
    unread ?? (damage === null ? null : { code: 'internal', message: damage, retryable: true });
  const rows = summary?.rows ?? 0;
  const missing = missingWords(loaded, front, () => appName);
  const none =
    missing === null
      ? noSignIns(last === null ? '' : profileTime(last, clock))
      : { title: SIGN_IN_WORDS.unknown, reason: missing };
  const oldest = front.find(({ freshness }) => freshness !== null) ?? null;
  return (
    <Panel
      title={SIGN_IN_WORDS.title}
      {...(summary && !busy && error === null
        ? { count: `${exact(summary.logins)} from ${plural(summary.placeCount, 'place')}` }
        : {})}
      freshness={oldest?.freshness ?? null}
      loading={busy}
      error={error}
      {...(rows > 0 ? { shownInstead: SIGN_IN_WORDS.shownInstead } : { notKnown: LIST_WORDS.notKnown })}
      onRetry={() => {
        for (const layer of front) layer.refresh();
      }}
      errorTitle={SIGN_IN_WORDS.failed}
      noScroll
      rows={6}
      className="en-fill"
      actions={
        <Button
          size="small"
          variant="minimal"
          icon={<Globe size={12} />}
          text={SIGN_IN_WORDS.open}
          onClick={() => onMap(email)}
        />
      }
    >
      {summary && ask && !(rows === 0 && error !== null) ? (
        rows === 0 && !busy ? (
          <EmptyState small {...none} />
        ) : (
          <div className={`pl-signins${full ? ' pl-signins-full' : ''}`}>
            <MapPanel
              client={client}
              summary={summary}
              waiting={isPartial ? partialWords(loaded, summary, front) : null}
              density={false}
              zoomRefused={null}
              onMark={() => onMap(email)}
              handle={map}
              note={null}
              label={`Map of ${plural(summary.logins, 'login')} from ${plural(summary.placeCount, 'place')}${isPartial ? ' so far' : ''}`}
            />
            <LoginList rows={ask.rows} count={rows} onOpen={() => onMap(email)} />
          </div>
        )
      ) : null}
    </Panel>
  );
}
