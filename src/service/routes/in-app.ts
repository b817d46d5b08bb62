/** Checks `{saas}` of a path: an entity of another app is a 404. */
import { ServiceError } from '../http/errors.ts';
import { isEveryApp } from '../query/config.ts';

/** The row if it belongs to this app. Throws 404. */
export function inApp<T extends { saas: string }>(row: T | null, saas: string, kind: string): T {
  if (row && (isEveryApp(saas) || row.saas === saas)) return row;
  const where = isEveryApp(saas) ? '' : ` in ${saas.slice(0, 60)}`;
  throw new ServiceError(404, `No such ${kind}${where}`, 'entity_id');
}
