/** Work per second over the last seconds: steady after a slow start, and quick to show a stall. */
const WINDOW_MS = 5_000;

export interface Rate {
  /** Takes the work done so far at a time in epoch milliseconds; null until two points are far enough apart. */
  add(time: number, done: number): number | null;
}

export function createRate(): Rate {
  const points: { time: number; done: number }[] = [];
  return {
    add(time, done) {
      // A clock that was set back.
      if (time < (points.at(-1)?.time ?? time)) points.length = 0;
      const last = points.at(-1);
      // Updates within 50 ms count as one point.
      if (last !== undefined && time - last.time < 50) last.done = done;
      else points.push({ time, done });
      let [first] = points;
      while (first !== undefined && points.length > 2 && time - first.time > WINDOW_MS) {
        points.shift();
        [first] = points;
      }
      if (first === undefined || time - first.time < 100) return null;
      return ((done - first.done) * 1000) / (time - first.time);
    },
  };
}
