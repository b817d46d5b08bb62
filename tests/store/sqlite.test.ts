import { openStore } from '#service/store-sqlite/sqlite-store.ts';
import { describeStore, tenantSource } from './port.ts';

describeStore('SQLite', async () => {
  const store = openStore({ path: ':memory:' }, tenantSource);
  return { store, close: async () => store.close() };
});
