import { Minus, Plus, ZoomIn, ZoomToFit } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import { rarityWords } from '#shared/logins/rarity.ts';
import { profileTime } from '#shared/model/clock.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import type { LoginRow } from './engine.ts';
import type { LoginClient } from './login-client.ts';
import type { Mark, Size } from './map-view.ts';

interface MapControlsProps {
  /** Why zooming in is disabled, or null if it is enabled. */
  zoomRefused: string | null;
  /** Nothing is drawn, so nothing is known about the number of points. */
  isEmpty: boolean;
  isWhole: boolean;
  density: boolean;
  onZoom: (factor: number) => void;
  onWhole: () => void;
}

export function MapControls(props: MapControlsProps): JSX.Element {
  const { zoomRefused, isEmpty, isWhole, density, onZoom, onWhole } = props;
  return (
    <>
      <div className="pp-map-zoom">
        <IconButton
          icon={<Plus size={14} />}
          label={zoomRefused === null ? 'Zoom in' : `Zoom in disabled: ${zoomRefused}`}
          disabled={zoomRefused !== null}
          onClick={() => onZoom(1.6)}
        />
        <IconButton
          icon={<Minus size={14} />}
          label="Zoom out"
          disabled={isWhole}
          onClick={() => onZoom(1 / 1.6)}
        />
        <IconButton icon={<ZoomToFit size={14} />} label="Whole world" onClick={onWhole} />
      </div>
      <Legend density={density} />
      {zoomRefused === null && isEmpty ? null : (
        <div className="pp-map-note" role="status" data-zoom={zoomRefused === null ? 'on' : 'off'}>
          <ZoomIn size={14} />
          <b>{zoomRefused === null ? 'Zoom on' : 'Zoom in off'}</b>
          <span>{zoomRefused ?? 'every app ≤ 3,000 points'}</span>
        </div>
      )}
    </>
  );
}

function Legend({ density }: { density: boolean }): JSX.Element {
  return (
    <div className="pp-map-legend">
      <div>
        <b>{density ? 'Density' : 'Rarity for this user'}</b>
        <span className="pp-t3">{density ? 'logins per area' : 'size = count'}</span>
      </div>
      <div className={density ? 'pp-map-ramp pp-map-ramp-density' : 'pp-map-ramp'} aria-hidden="true" />
      <div className="pp-map-ends">
        <span>{density ? 'few' : 'every day'}</span>
        <span>{density ? 'many' : 'single login (ringed)'}</span>
      </div>
    </div>
  );
}

export const placeWords = ({ city, country, lat }: LoginRow): string =>
  [city, country].filter(Boolean).map(visibleText).join(', ') ||
  (lat === null ? 'Unknown location' : 'Unnamed location');

interface MapTipProps {
  mark: Mark;
  client: LoginClient;
  size: Size;
}

export function MapTip({ mark, client, size }: MapTipProps): JSX.Element | null {
  const clock = useClock();
  const { last: row } = useAnswer([mark.row], () => client.ask('row', { row: mark.row }));
  if (row === null) return null;
  const side = mark.x > size.width / 2 ? { right: size.width - mark.x + 20 } : { left: mark.x + 20 };
  const edge = mark.y > size.height / 2 ? { bottom: size.height - mark.y } : { top: mark.y };
  const { users } = mark;
  const who = users > 1 ? `${exact(users)} users` : visibleText(row.user) || 'Unknown user';
  return (
    <div className="pp-map-tip" style={{ ...side, ...edge }} role="status">
      <div>
        <b>{placeWords(row)}</b>
        <span className={row.rarity >= 3 ? 'pp-rare-words' : 'pp-t3'}>{rarityWords(row)}</span>
      </div>
      {mark.places > 1 ? (
        <div className="pp-t2">
          {plural(mark.places, 'place')} · {plural(mark.logins, 'login')}
        </div>
      ) : (
        <div className="pp-t2">
          {plural(mark.logins, 'login')} · {who}
          {row.time === null ? '' : ` · ${profileTime(row.time, clock)}`}
        </div>
      )}
    </div>
  );
}
