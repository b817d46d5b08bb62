import { exact } from '#shared/model/format.ts';

/** "about 40 s left", "3 m left"; null if unknown. */
export function timeLeft(seconds: number | null): string | null {
  if (seconds === null || !Number.isFinite(seconds)) return null;
  if (seconds < 1) return 'nearly done';
  if (seconds < 90) return `about ${exact(Math.ceil(seconds))} s left`;
  if (seconds < 5400) return `about ${exact(Math.ceil(seconds / 60))} m left`;
  return `about ${exact(Math.round(seconds / 3600))} h left`;
}
