import type { JSX } from 'react';
import { parseQueryStatus, QUERY_STATUS_LABELS } from '#shared/model/query-status.ts';
import { GlyphDisk, GlyphPause, GlyphPlay, GlyphStop, GlyphUnknownFilled } from './glyphs.tsx';

const GLYPHS = {
  running: GlyphPlay,
  paused: GlyphPause,
  stopped: GlyphStop,
  saved: GlyphDisk,
  unknown: GlyphUnknownFilled,
};

/** A query's status as shape and word; an unknown server word stays readable in the tooltip. */
export function QueryStatusMark({ status }: { status: unknown }): JSX.Element {
  const key = parseQueryStatus(status);
  const Glyph = GLYPHS[key];
  const raw = key === 'unknown' && typeof status === 'string' && status !== 'unknown' ? status : undefined;
  return (
    <span className={`pp-word pp-status-${key}`} title={raw ? `The service says “${raw}”` : undefined}>
      <Glyph size={12} />
      <span>{QUERY_STATUS_LABELS[key]}</span>
    </span>
  );
}
