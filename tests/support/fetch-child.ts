/** A process that fetches every row of a run and kills itself at the n-th point (places.ts). Arguments: profile, url, n. */
import { flushCompileCache } from 'node:module';
import { CONNECTION, openData } from './data-services.ts';
import { placesOf } from './places.ts';
import { ROWS_PAYLOAD, rowColumns } from './rows-service.ts';

// A killed process cannot save its compile cache, so save it now.
flushCompileCache();

const [profile = '', url = '', turn = ''] = process.argv.slice(2);
let armed = false;
let passed = 0;
const around = placesOf(() => {
  if (armed && ++passed === Number(turn)) process.kill(process.pid, 'SIGKILL');
});
const data = await openData(profile, url, undefined, undefined, undefined, around);
const context = { signal: new AbortController().signal };
const set = await data.handlers['results.open'](
  { connectionId: CONNECTION, payload: ROWS_PAYLOAD, columns: rowColumns, refresh: false },
  context,
);
await data.handlers['results.fill']({ resultId: set.id, action: 'pause', pageSize: 100 }, context);
armed = true;
// Printed once the call has returned: from then on the fetch must survive a kill and continue by itself.
await data.handlers['results.fill']({ resultId: set.id, action: 'all', pageSize: 100 }, context);
process.stdout.write(`promised ${set.id}\n`);
while ((await data.sets.get(set.id))?.state === 'filling')
  await new Promise((resolve) => setTimeout(resolve, 5));
process.stdout.write(`ended ${passed}\n`);
await data.close();
process.exit(0);
