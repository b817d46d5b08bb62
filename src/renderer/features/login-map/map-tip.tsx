import { type JSX, useEffect, useState } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { rarityWords } from '#shared/logins/rarity.ts';
import { profileTime } from '#shared/model/clock.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import type { LoginRow } from './engine.ts';
import type { LoginClient } from './login-client.ts';
import type { Mark, Size } from './map-view.ts';

export const placeWords = ({ city, country, lat }: LoginRow): string =>
  [city, country].filter(Boolean).map(visibleText).join(', ') ||
  (lat === null ? 'Address not located' : 'Unknown place');

interface MapTipProps {
  mark: Mark;
  client: LoginClient;
  size: Size;
}

/** What a mark stands for, beside it. */
export function MapTip({ mark, client, size }: MapTipProps): JSX.Element | null {
  const clock = useClock();
  const [row, setRow] = useState<LoginRow | null>(null);
  useEffect(() => {
    let left = false;
    client.ask('row', { row: mark.row }).then(
      (answer) => {
        if (!left) setRow(answer);
      },
      () => undefined,
    );
    return () => {
      left = true;
    };
  }, [client, mark.row]);
  if (row === null) return null;
  const side = mark.x > size.width / 2 ? { right: size.width - mark.x + 20 } : { left: mark.x + 20 };
  const edge = mark.y > size.height / 2 ? { bottom: size.height - mark.y } : { top: mark.y };
  const { users } = mark;
  const who = users > 1 ? `${exact(users)} users` : visibleText(row.user) || 'Unknown user';
  return (
    <div className="pp-map-tip" style={{ ...side, ...edge }} role="status">
      <div>
        <b>{placeWords(row)}</b>
        <span className={row.rarity >= 3 ? 'pp-rare-words' : 'pp-t3'}>{rarityWords(row.seen)}</span>
      </div>
      {mark.places > 1 ? (
        <div className="pp-t2">
          {exact(mark.places)} places · {exact(mark.logins)} logins
        </div>
      ) : (
        <div className="pp-t2">
          {exact(mark.logins)} logins · {who}
          {row.time === null ? '' : ` · ${profileTime(row.time, clock)}`}
        </div>
      )}
    </div>
  );
}
