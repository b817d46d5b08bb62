/** `{saas}` of a path: what lies in another app is not there. */
import { ServiceError } from '../http/errors.ts';
import { isEveryApp } from '../query/config.ts';

/** The row, when it is one of this app. Throws 404. */
export function inApp<T extends { saas: string }>(row: T | null, saas: string, kind: string): T {
  if (row && (isEveryApp(saas) || row.saas === saas)) return row;
  const where = isEveryApp(saas) ? '' : ` in ${saas.slice(0, 60)}`;
  throw new ServiceError(404, `No such ${kind}${where}`, 'entity_id');
}
