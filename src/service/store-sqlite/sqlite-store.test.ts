import { expect, it } from 'vitest';
import { evidenceSource } from '../evidence/source.ts';
import { openStore } from './sqlite-store.ts';

// A database with another id is set aside, which loses the analyst's tags and decisions.
it('the id by which databases are recognised never changes', () => {
  const store = openStore({ path: ':memory:' }, evidenceSource);
  try {
    expect(store.db.pragma('application_id', { simple: true })).toBe(0x50_61_72_61);
  } finally {
    store.close();
  }
});
