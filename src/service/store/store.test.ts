import { expect, it } from 'vitest';
import { evidenceSource } from '../evidence/source.ts';
import { openStore } from './store.ts';

// Databases with another id are created again, which loses the analyst's tags and decisions.
it('databases of earlier versions are still recognised', () => {
  const store = openStore({ path: ':memory:' }, evidenceSource);
  try {
    expect(store.db.pragma('application_id', { simple: true })).toBe(885_171_236);
  } finally {
    store.close();
  }
});
