import { StepBackward, StepForward } from '@blueprintjs/icons';
import { type JSX, useCallback, useEffect, useRef, useState } from 'react';
import { useTab } from '#renderer/state/tab-context.ts';
import { GlyphPause, GlyphPlay } from '#renderer/ui/glyphs.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { firstWindow, stepWindow, type TimeBars, type TimeWindow } from './time-window.ts';

/** Slow enough to read what changed. */
const STEP_MS = 500;

const wantsStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

interface PlayControlsProps {
  bars: TimeBars;
  window: TimeWindow | undefined;
  onWindow: (window: TimeWindow | undefined) => void;
}

/** Walks the time window along the logins, by itself or step by step; where motion is not wanted only by steps. */
export function PlayControls({ bars, window: shown, onWindow }: PlayControlsProps): JSX.Element {
  const { isActive } = useTab();
  const [playing, setPlaying] = useState(false);
  const latest = useRef({ bars, shown, onWindow });
  latest.current = { bars, shown, onWindow };
  const own = useRef<TimeWindow | undefined>(undefined);
  const move = useCallback((by: 1 | -1): boolean => {
    const next = stepWindow(latest.current.shown, latest.current.bars, by);
    if (next === null) return false;
    own.current = next;
    latest.current.onWindow(next);
    return true;
  }, []);
  const runs = playing && isActive;
  useEffect(() => {
    if (!runs) return undefined;
    const timer = setInterval(() => {
      // Whoever draws another window, or takes it away, has taken over.
      if (latest.current.shown !== own.current || !move(1)) setPlaying(false);
    }, STEP_MS);
    return () => clearInterval(timer);
  }, [runs, move]);
  const still = wantsStill();
  const play = () => {
    if (!playing && !move(1)) {
      // At the end it starts over.
      own.current = firstWindow(bars);
      onWindow(own.current);
    }
    setPlaying(!playing);
  };
  const byHand = (by: 1 | -1) => () => {
    setPlaying(false);
    move(by);
  };
  return (
    <span className="pp-map-play">
      <IconButton small icon={<StepBackward size={14} />} label="Window one step back" onClick={byHand(-1)} />
      {still ? null : (
        <IconButton
          small
          icon={playing ? <GlyphPause size={12} /> : <GlyphPlay size={12} />}
          label={playing ? 'Stop' : 'Play: walk the window through the logins'}
          active={playing}
          onClick={play}
        />
      )}
      <IconButton small icon={<StepForward size={14} />} label="Window one step on" onClick={byHand(1)} />
    </span>
  );
}
