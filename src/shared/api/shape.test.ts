import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { endpointNames } from './catalogue.ts';
import { contractShape, shapeOf } from './shape.ts';

test('the shape of the contract changes only together with docs/api-shape.sha256', () => {
  const committed = readFileSync(new URL('../../../docs/api-shape.sha256', import.meta.url), 'utf8').trim();
  const digest = createHash('sha256').update(contractShape()).digest('hex');
  expect(digest, 'run `npm run docs:api` and say in CHANGELOG.md what changed').toBe(committed);
});

test.each(endpointNames)('%s has a unique and stable shape', (name) => {
  expect(shapeOf(name)).toBe(shapeOf(name));
  expect(JSON.parse(shapeOf(name))).toHaveProperty('path');
});
