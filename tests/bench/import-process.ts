/**
 * One import by the built service, in a separate process: import-process.ts MAIL DATABASE encrypted|plain. Prints the
 * number of emails.
 */
import { Worker } from 'node:worker_threads';
import type { EmbeddedMessage, EmbeddedSpec } from '#shared/embedded.ts';
import { BUILT } from '../support/threads.ts';

const [mail = '', databasePath = '', store = 'encrypted'] = process.argv.slice(2);
const spec: EmbeddedSpec = {
  source: { kind: 'evidence', path: mail },
  databasePath,
  databaseKey: store === 'plain' ? null : 'b2'.repeat(32),
  believed: [],
  rules: [],
  flags: {},
  token: 'bench',
};
const service = new Worker(BUILT.embedded, { workerData: spec });
service.on('message', (message: EmbeddedMessage) => {
  if (message.type === 'imported') console.log(message.report.imported);
  else if (message.type === 'failed') {
    console.error(message.error.message);
    process.exitCode = 1;
  } else return;
  service.postMessage({ type: 'stop' });
});
