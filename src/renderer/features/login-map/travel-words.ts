import { exact } from '#shared/model/format.ts';
import type { TravelPair } from './engine.ts';

/** Hours as people say them; seconds under a minute. */
export function spanWords(hours: number): string {
  const seconds = Math.round(hours * 3600);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** "5,015 km ÷ 1 h 0 min = 5,015 km/h". */
export const arithmetic = ({ km, hours, kmh }: Pick<TravelPair, 'km' | 'hours' | 'kmh'>): string =>
  Number.isFinite(kmh)
    ? `${exact(Math.round(km))} km ÷ ${spanWords(hours)} = ${exact(Math.round(kmh))} km/h`
    : `${exact(Math.round(km))} km at the same moment`;
