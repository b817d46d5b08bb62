import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { StoredHashes } from './stored-hashes.ts';

const of = (index: number): string => hash('sha256', String(index), 'hex');

it('recognises every added hash, and rejects nearly all others', () => {
  const stored = new StoredHashes();
  for (let index = 0; index < 20_000; index++) stored.add(of(index));
  for (let index = 0; index < 20_000; index++) expect(stored.mayHave(of(index))).toBe(true);
  let wrong = 0;
  for (let index = 20_000; index < 40_000; index++) if (stored.mayHave(of(index))) wrong += 1;
  expect(wrong).toBeLessThan(20);
});
