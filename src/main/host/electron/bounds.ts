/** The window's remembered position. */
import type { Rectangle } from 'electron';
import { z } from 'zod';
import { readSmall, writeDurable } from '../../store/durable.ts';

export const MIN_WIDTH = 1024;
export const MIN_HEIGHT = 700;
/** Larger than any wall of displays; Electron refuses numbers that do not fit into 32 bits. */
const MAX_SIDE = 65_536;
const DEFAULT = { width: 1440, height: 900, maximised: false };

const windowState = z.object({
  x: z.number().int().optional(),
  y: z.number().int().optional(),
  width: z.number().int().min(MIN_WIDTH).max(MAX_SIDE),
  height: z.number().int().min(MIN_HEIGHT).max(MAX_SIDE),
  maximised: z.boolean(),
});
export type WindowState = z.infer<typeof windowState>;

const overlaps = (a: Rectangle, b: Rectangle) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** The remembered bounds, without the position if it is no longer on a display; without any, the default. */
export function readWindowState(file: string, displays: readonly Rectangle[]): WindowState {
  try {
    const state = windowState.parse(JSON.parse(readSmall(file)));
    const { x, y, width, height } = state;
    const visible =
      x !== undefined &&
      y !== undefined &&
      displays.some((display) => overlaps(display, { x, y, width, height }));
    return visible ? state : { width, height, maximised: state.maximised };
  } catch {
    return DEFAULT;
  }
}

/** Remembers the bounds; ignored when the profile is not writable. */
export function writeWindowState(file: string, state: WindowState): void {
  try {
    writeDurable(file, JSON.stringify(state));
  } catch {
    // The window then opens where it was before.
  }
}
