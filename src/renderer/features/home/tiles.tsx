import type { JSX } from 'react';
import { menuOf } from '#renderer/commands/command.tsx';
import { SparkBars } from '#renderer/ui/charts/sparkbars.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { Skeleton } from '#renderer/ui/skeleton.tsx';
import type { Statistics } from '#shared/model/entities.ts';
import { exact, formatTile } from '#shared/model/format.ts';
import { type FigureRequest, openFigureQuery, SCANNED } from './figure-query.ts';
import { changeLabel, type Tile, tiles, uncounted, type Window } from './figures.ts';

const NAMES = ['Found', 'Found, no click', 'Suspicious', 'Quarantined', 'User reports', 'Restore requests'];
const TONES: Partial<Record<Tile['id'], 'found' | 'found-no-click' | 'suspicious'>> = {
  found: 'found',
  'no-click': 'found-no-click',
  suspicious: 'suspicious',
};

const REQUESTS: Readonly<Record<Tile['id'], FigureRequest['what']>> = {
  found: { verdict: 'found' },
  'no-click': { verdict: 'found-no-click' },
  suspicious: { verdict: 'suspicious' },
  quarantined: { is: 'quarantined' },
  reports: { is: 'reported' },
  restores: { is: 'restore-waiting' },
};

/** A figure that opens as a query; totals over emails, files and messages offer a choice. */
function Figure({
  tile,
  counted,
  without,
}: {
  tile: Tile;
  counted: Statistics;
  without: readonly string[];
}): JSX.Element {
  if (tile.value === null) {
    return (
      <span className="pp-figure pp-t3" title="Not reported by the service">
        –
      </span>
    );
  }
  const open = (domain: FigureRequest['domain']) =>
    void openFigureQuery({ domain, name: tile.label, counted, what: REQUESTS[tile.id], without });
  const label = `${tile.label}: ${exact(tile.value)}. Open as query`;
  const text = formatTile(tile.value);
  if (!('verdict' in REQUESTS[tile.id])) {
    return (
      <button
        type="button"
        className="pp-figure pp-figure-link"
        title={exact(tile.value)}
        aria-label={label}
        onClick={() => open('email')}
      >
        {text}
      </button>
    );
  }
  return (
    <MenuPopover
      placement="bottom-start"
      content={menuOf(
        tile.label,
        SCANNED.map(({ domain, label: words }) => ({
          text: `Show ${words.toLowerCase()}`,
          run: () => open(domain),
        })),
      )}
    >
      <button type="button" className="pp-figure pp-figure-link" title={exact(tile.value)} aria-label={label}>
        {text}
      </button>
    </MenuPopover>
  );
}

interface TileProps {
  tile: Tile;
  window: Window;
  counted: Statistics;
  /** Apps that it does not include. */
  without: readonly string[];
}

function TileView({ tile, window, counted, without }: TileProps): JSX.Element {
  const tone = TONES[tile.id];
  return (
    <div className="pp-tile" data-tile={tile.id}>
      <div className="pp-tile-label">
        {tone ? <span className={`pp-swatch pp-c-${tone}`} /> : null}
        {tile.label}
      </div>
      <Figure tile={tile} counted={counted} without={without} />
      <div className="pp-caption pp-t3 pp-ellipsis">
        {tile.value === null ? 'Not reported' : changeLabel(tile.value, tile.before, window)}
      </div>
      {tile.bars.some((bar) => bar !== null && bar > 0) ? (
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
      <div className="pp-caption pp-t3">{failed ? 'Unavailable' : '\u00a0'}</div>
    </div>
  );
}

interface TilesProps {
  statistics: Statistics | undefined;
  /** Shown when the statistics are unavailable, which is not the same as zero. */
  failed: boolean;
  window: Window;
}

/** The row of figures; its skeleton has the same shape. */
export function Tiles({ statistics, failed, window }: TilesProps): JSX.Element {
  return (
    <section className="pp-tiles" aria-label="Key figures">
      {statistics
        ? tiles(statistics).map((tile) => (
            <TileView
              key={tile.id}
              tile={tile}
              window={window}
              counted={statistics}
              without={'verdict' in REQUESTS[tile.id] ? uncounted(statistics) : []}
            />
          ))
        : NAMES.map((name) => <WaitingTile key={name} name={name} failed={failed} />)}
    </section>
  );
}
