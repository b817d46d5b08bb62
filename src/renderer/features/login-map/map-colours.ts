import { token } from '#renderer/ui/theme.ts';

/** Current theme colours, because a canvas cannot use CSS variables. */
export interface MapColours {
  sea: string;
  land: string;
  border: string;
  edge: string;
  text: string;
  /** Density ramp. */
  dense: string;
  rarity: readonly string[];
}

export function readColours(): MapColours {
  return {
    sea: token('--bg1'),
    land: token('--map-land'),
    border: token('--line2'),
    edge: token('--bg2'),
    text: token('--t1'),
    dense: token('--acc'),
    rarity: (['--rar1', '--rar2', '--rar3', '--rar4', '--rar5'] as const).map(token),
  };
}
