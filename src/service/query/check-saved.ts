/** What a service refuses to save: with the field that is wrong. A field that the config lacks is kept as it is. */
import type { NewQuery } from '#shared/model/entities.ts';
import { SEVERITIES, SUB_TYPES } from '#shared/model/enums.ts';
import { scheduleProblems } from '#shared/model/schedule.ts';
import { parseSeverity } from '#shared/model/severity.ts';
import { depthOf, MAX_DEPTH } from '#shared/query/tree.ts';
import { ServiceError } from '../http/errors.ts';
import { domainNamed } from './config.ts';

const MAX_NAME = 200;
const MAX_DESCRIPTION = 10_000;
const MAX_COLUMNS = 200;

/** Throws 400 with the field. */
export function checkSaved(query: NewQuery): NewQuery {
  const refuse = (field: string, message: string): never => {
    throw new ServiceError(400, message, field);
  };
  if (query.name.trim() === '') refuse('name', 'The name is empty');
  if (query.name.length > MAX_NAME) refuse('name', `The name has ${MAX_NAME} characters at most`);
  if ((query.description ?? '').length > MAX_DESCRIPTION)
    refuse('description', `The description has ${MAX_DESCRIPTION} characters at most`);
  if (!domainNamed(query.domain, false)) refuse('domain', `Unknown domain: ${query.domain.slice(0, 100)}`);
  if (query.subType != null && !(SUB_TYPES as readonly string[]).includes(query.subType))
    refuse('subType', `Unknown kind of query: ${query.subType.slice(0, 100)}`);
  if (query.severity != null && parseSeverity(query.severity) === null)
    refuse('severity', `The severity is ${SEVERITIES[0]} to ${SEVERITIES.at(-1)} or its word`);
  for (const field of ['columns', 'reportColumns'] as const) {
    const ids = (query[field] ?? []).map(({ id }) => id);
    if (ids.length > MAX_COLUMNS) refuse(field, `A query has ${MAX_COLUMNS} columns at most`);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) refuse(field, `The column ${twice.slice(0, 100)} is named twice`);
  }
  for (const field of ['filter', 'reportCondition'] as const) {
    const group = query[field];
    if (group && depthOf(group) > MAX_DEPTH) refuse(field, `Groups go ${MAX_DEPTH} deep at most`);
  }
  if (query.scheduledExport) {
    const problem = scheduleProblems(query.scheduledExport)[0];
    if (problem) refuse(`scheduledExport.${problem.field}`, problem.message);
    if (query.subType === 'template')
      refuse('scheduledExport', 'A template does not run, so it has no schedule');
  }
  return query;
}
