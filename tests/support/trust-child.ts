/** Calls the service at the address in its argument, trusting the machine's authorities, and prints the outcome. */

import { Client } from '#main/upstream/client.ts';
import { ParapetError } from '#shared/bridge/errors.ts';

const client = new Client({ base: process.argv[2] ?? '', credential: null, authorityPem: null });
const outcome = await client.json('apps.list', {}).then(
  () => 'answered',
  (error: unknown) => (error instanceof ParapetError ? error.code : String(error)),
);
process.stdout.write(outcome);
await client.close();
