/** A process to kill: fetches a run and exports it, over and over, until it dies. Arguments: profile, url, file. */
import { flushCompileCache } from 'node:module';
import { CONNECTION, openData } from './data-services.ts';
import { rowColumns } from './rows-service.ts';

// A killed process cannot save its compile cache, so save it now.
flushCompileCache();

const [profile = '', url = '', file = ''] = process.argv.slice(2);
const data = await openData(profile, url);
const context = { signal: new AbortController().signal };
const set = await data.handlers['results.open'](
  {
    connectionId: CONNECTION,
    payload: {
      query_domain: 'email',
      saas_id: 'mail',
      query_entity_type: 'email',
      condition: { operator: 'and', conditions: [] },
      columns: rowColumns.map((column) => column.id),
      sort_by: [],
      include_copies: false,
    },
    columns: rowColumns,
    refresh: false,
  },
  context,
);
process.stdout.write(`set ${set.id}\n`);
for (;;) {
  const job = await data.export(set.id, file, { columns: rowColumns });
  process.stdout.write('exporting\n');
  while (data.jobs.list().some(({ id, state }) => id === job.id && state === 'running'))
    await new Promise((resolve) => setTimeout(resolve, 5));
}
