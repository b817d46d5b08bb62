/** Refuses queries that cannot be saved, naming the field; the rules are those of query files. */
import type { NewQuery } from '#shared/model/entities.ts';
import { savedProblem } from '#shared/query/query-file.ts';
import { ServiceError } from '../http/errors.ts';

/** The query as stored, with the entity type of its domain by default. Throws 400 with the field. */
export function checkSaved(query: NewQuery): NewQuery {
  const whole = { ...query, entityType: query.entityType || query.domain };
  const problem = savedProblem(whole);
  if (problem) throw new ServiceError(400, problem.message, problem.field);
  return whole;
}
