/** A store worker that exits on command: at certain SQL, at a searched word, or when it starts. */
import { existsSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

/** The thread exits at statements and searches that contain this. */
export const END = 'end_of_this_thread';
/** While this file exists beside the database, threads exit before opening it. */
export const NO_START = 'no-start';

// Null in a test that only imports the constants above.
const spec = workerData as { path: string } | null;
if (spec !== null && existsSync(`${spec.path}.${NO_START}`)) process.exit(4);
const isFailing = (text: string) => text.includes(`${END}_by_error`);

if (parentPort !== null) {
  const port = parentPort;
  const on = port.on.bind(port);
  port.on = ((event: string, listener: (request: { type: string }) => void) =>
    on(event, (request: { type: string }) => {
      const text = JSON.stringify(request);
      if (isFailing(text)) throw new Error('made to fail');
      if (request.type === 'search' && text.includes(END)) process.exit(3);
      listener(request);
    })) as typeof port.on;
  // If the statement is one of several, the thread exits in the middle of a transaction.
  const prepare = Sqlite.prototype.prepare;
  Sqlite.prototype.prepare = function (this: Sqlite.Database, sql: string) {
    if (sql.includes(END)) process.exit(3);
    return prepare.call(this, sql);
  } as typeof prepare;
}
if (parentPort !== null) await import('#main/results/store-worker.ts');
