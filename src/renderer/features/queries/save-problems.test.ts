import { describe, expect, it } from 'vitest';
import { ParapetError } from '#shared/bridge/errors.ts';
import { conditionProblem, saveProblemOf } from './save-problems.ts';

describe('a query that the service refused', () => {
  it.each([
    ['bad-request', { field: 'name', serviceMessage: 'Taken' }, { field: 'name', message: 'Taken' }],
    ['bad-request', { field: 'name' }, { field: 'name', message: 'Rejected by the service.' }],
    ['bad-request', { serviceMessage: 'No' }, null],
    // Here the field belongs to the response, not to the request.
    ['wrong-shape', { field: 'name' }, null],
  ] as const)('%s %j', (code, data, expected) =>
    expect(saveProblemOf(new ParapetError(code, 'x', { data }))).toEqual(expected),
  );

  it.each([
    ['filter.conditions[1].conditions[0].values', [1, 0]],
    ['filter.conditions.2.field', [2]],
    ['filter', []],
    ['scheduledExport.time', null],
    ['filters', null],
  ])('%s is shown at %j', (field, path) =>
    expect(conditionProblem({ field, message: 'No' })).toEqual(
      path === null ? null : { path, message: 'No' },
    ),
  );
});
