import path from 'node:path';
import { expect, it } from 'vitest';
import { evidenceName } from './activation.ts';

it('evidence is named after its folder or file, and the root of a disk by its path', () => {
  const { root } = path.parse(process.cwd());
  expect(evidenceName(path.join(root, 'cases', 'one.mbox'))).toBe('one.mbox');
  expect(evidenceName(root)).toBe(root);
});
