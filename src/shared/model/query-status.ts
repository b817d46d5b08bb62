import { QUERY_STATUSES, type QueryStatus } from './enums.ts';

export const QUERY_STATUS_LABELS: Readonly<Record<QueryStatus, string>> = {
  unknown: 'Unknown',
  saved: 'Saved',
  running: 'Running',
  stopped: 'Stopped',
  paused: 'Paused',
};

/**
 * "status values: unknown, saved, running, stopped. The legacy value 'pause' becomes 'paused'."
 * Anything else, of any type, is unknown (product.md, section 1).
 */
export function parseQueryStatus(value: unknown): QueryStatus {
  if (typeof value !== 'string' || value.length > 32) return 'unknown';
  const word = value.trim().toLowerCase();
  if (word === 'pause') return 'paused';
  return QUERY_STATUSES.find((status) => status === word) ?? 'unknown';
}
