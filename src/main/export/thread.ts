/** The writer thread, one export, one message at a time; and the thread that helps it. */
import { parentPort, workerData } from 'node:worker_threads';
import { SpillFailure } from '../files/spill-file.ts';
import { Torn } from '../proof/scan.ts';
import type { FileCalls } from './file-out.ts';
import type { FromWriter, ToWriter, WriterData } from './protocol.ts';
import { type FromGather, type GatherData, gather } from './sort/merge.ts';
import type { Bucket } from './sort/partition.ts';
import { createWriter, type Writer } from './writer.ts';

const reply = (message: FromWriter) => parentPort?.postMessage(message);

async function handle(writer: Writer, message: ToWriter): Promise<void> {
  switch (message.type) {
    case 'order':
      writer.order(message.part);
      return reply({ type: 'took' });
    case 'chunk':
      await writer.chunk(message);
      return reply({ type: 'took' });
    case 'rows':
      await writer.rows(message);
      return reply({ type: 'took' });
    case 'end':
      return reply({ type: 'content', written: await writer.end((rows) => reply({ type: 'merged', rows })) });
    case 'close':
      return reply({ type: 'closed', closed: await writer.close(message.manifest) });
  }
}

const fail = (error: unknown) => {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  reply({
    type: 'fail',
    code,
    message: error instanceof Error ? error.message : String(error),
    at: error instanceof SpillFailure ? 'working' : error instanceof Torn ? 'read-back' : 'file',
  });
};

function write(data: WriterData, entry: URL, calls: FileCalls | undefined): void {
  let line = createWriter(data, { entry, ...(calls === undefined ? {} : { calls }) });
  line.then(() => reply({ type: 'open' }), fail);
  parentPort?.on('message', (message: ToWriter) => {
    const before = line;
    line = before.then(async (writer) => {
      await handle(writer, message);
      return writer;
    });
    line.catch((error: unknown) => {
      // Told once, where it began.
      before.then(
        () => fail(error),
        () => undefined,
      );
    });
  });
}

/** A failure ends the thread, and is the writer's to tell. */
function help({ gather: share }: GatherData): void {
  const tell = (message: FromGather, bytes?: Uint8Array<ArrayBuffer>) =>
    parentPort?.postMessage(message, bytes === undefined ? [] : [bytes.buffer]);
  parentPort?.on('message', (bucket: Bucket) => {
    for (const batch of gather(share, bucket))
      tell({ type: 'batch', batch }, batch.bytes as Uint8Array<ArrayBuffer>);
    tell({ type: 'over' });
  });
}

/** `entry`: the module that called this, for the thread that helps. `calls`: tests put failing ones in their place. */
export function runExportThread(entry: URL, calls?: FileCalls): void {
  const data = workerData as WriterData | GatherData;
  if ('gather' in data) help(data);
  else write(data, entry, calls);
}
