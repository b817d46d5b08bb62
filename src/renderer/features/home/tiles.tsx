import type { JSX } from 'react';
import { Skeleton } from '#renderer/ui/skeleton.tsx';
import { SparkBars } from '#renderer/ui/sparkbars.tsx';
import type { Statistics } from '#shared/model/entities.ts';
import { exact, formatTile } from '#shared/model/format.ts';
import { changeWords, type Tile, tiles, type Window } from './figures.ts';

const NAMES = ['Found', 'Suspicious', 'Quarantined', 'User reports', 'Restore requests'];
const TONES: Partial<Record<Tile['id'], 'found' | 'suspicious'>> = {
  found: 'found',
  suspicious: 'suspicious',
};

function TileView({ tile, window }: { tile: Tile; window: Window }): JSX.Element {
  const tone = TONES[tile.id];
  return (
    <div className="pp-tile" data-tile={tile.id}>
      <div className="pp-tile-label">
        {tone ? <span className={`pp-swatch pp-c-${tone}`} /> : null}
        {tile.label}
      </div>
      <div className="pp-figure" title={tile.value === null ? 'The service does not say' : exact(tile.value)}>
        {tile.value === null ? <span className="pp-t3">–</span> : formatTile(tile.value)}
      </div>
      <div className="pp-caption pp-t3 pp-ellipsis">
        {tile.value === null ? 'the service does not say' : changeWords(tile.value, tile.before, window)}
      </div>
      {tile.bars.some((bar) => bar > 0) ? (
        <span className="pp-tile-bars">
          <SparkBars values={tile.bars} label={tile.label} tone={tone ?? 'neutral'} />
        </span>
      ) : null}
    </div>
  );
}

function WaitingTile({ name, failed }: { name: string; failed: boolean }): JSX.Element {
  return (
    <div className="pp-tile">
      <div className="pp-tile-label">{name}</div>
      <div className="pp-figure">
        {failed ? <span className="pp-t3">–</span> : <Skeleton width={64} tall />}
      </div>
      <div className="pp-caption pp-t3">{failed ? 'not known' : '\u00a0'}</div>
    </div>
  );
}

interface TilesProps {
  statistics: Statistics | undefined;
  /** Without statistics: they could not be had, which is not zero. */
  failed: boolean;
  window: Window;
}

/** The row of figures; its skeleton has the same shape. */
export function Tiles({ statistics, failed, window }: TilesProps): JSX.Element {
  return (
    <section className="pp-tiles" aria-label="Figures">
      {statistics
        ? tiles(statistics).map((tile) => <TileView key={tile.id} tile={tile} window={window} />)
        : NAMES.map((name) => <WaitingTile key={name} name={name} failed={failed} />)}
    </section>
  );
}
