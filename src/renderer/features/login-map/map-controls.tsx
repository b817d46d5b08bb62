import { Minus, Plus, ZoomIn, ZoomToFit } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { IconButton } from '#renderer/ui/icon-button.tsx';

interface MapControlsProps {
  /** Why there is no zooming in; null: there is. */
  zoomRefused: string | null;
  isWhole: boolean;
  density: boolean;
  onZoom: (factor: number) => void;
  onWhole: () => void;
}

/** Over the map: zooming, why it is off, and what the marks mean. */
export function MapControls(props: MapControlsProps): JSX.Element {
  const { zoomRefused, isWhole, density, onZoom, onWhole } = props;
  return (
    <>
      <div className="pp-map-zoom">
        <IconButton
          icon={<Plus size={14} />}
          label={zoomRefused === null ? 'Zoom in' : `Zoom in is off: ${zoomRefused}`}
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
      <div className="pp-map-note" role="status" data-zoom={zoomRefused === null ? 'on' : 'off'}>
        <ZoomIn size={14} />
        <b>{zoomRefused === null ? 'Zoom on' : 'Zoom in off'}</b>
        <span>{zoomRefused ?? 'every app ≤ 3,000 points'}</span>
      </div>
    </>
  );
}

/** What colour, size and ring mean. */
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
        <span>{density ? 'many' : 'only login, ringed'}</span>
      </div>
    </div>
  );
}
