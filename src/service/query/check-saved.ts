/** Refuses what cannot be saved, with the field that is wrong; the rules are those of query files. */
import type { NewQuery } from '#shared/model/entities.ts';
import { savedProblem } from '#shared/query/query-file.ts';
import { ServiceError } from '../http/errors.ts';

/** Throws 400 with the field. */
export function checkSaved(query: NewQuery): NewQuery {
  const problem = savedProblem(query);
  if (problem) throw new ServiceError(400, problem.message, problem.field);
  return query;
}
