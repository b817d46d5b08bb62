/** Where the toasts are: beside dialogs and drawers, never over them or over the title bar. Pure. */

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The least room in which a toast can be read. */
const LEAST_WIDTH = 240;
const LEAST_HEIGHT = 96;
const MOST_WIDTH = 492;
/** Height of the status bar. */
const FOOT = 20;

/**
 * The place in a window for these layers, from its title bar down: at the bottom right, else in a free strip beside them.
 * Null if there is no room.
 */
export function toastPlace(
  window: { width: number; height: number },
  titleBottom: number,
  layers: readonly Box[],
): Box | null {
  const all: Box = { left: 0, top: titleBottom, right: window.width, bottom: window.height - FOOT };
  const around: Box = {
    left: Math.min(...layers.map(({ left }) => left)),
    top: Math.min(...layers.map(({ top }) => top)),
    right: Math.max(...layers.map(({ right }) => right)),
    bottom: Math.max(...layers.map(({ bottom }) => bottom)),
  };
  const strips: Box[] =
    layers.length === 0
      ? [all]
      : [
          { ...all, left: around.right },
          { ...all, right: around.left },
          { ...all, top: around.bottom },
          { ...all, bottom: around.top },
        ];
  const fits = ({ left, top, right, bottom }: Box) =>
    right - left >= LEAST_WIDTH && bottom - top >= LEAST_HEIGHT;
  const free = strips.find(fits);
  return free === undefined ? null : { ...free, left: Math.max(free.left, free.right - MOST_WIDTH) };
}
