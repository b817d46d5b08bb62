/** The writer thread, which handles one message at a time for one export, and its helper thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { SpillFailure } from '../files/spill-file.ts';
import { MalformedFile } from '../proof/scan.ts';
import type { FileCalls } from './file-out.ts';
import type { FromWriter, ToWriter, WriterData } from './protocol.ts';
import { type FromMerge, type MergeData, mergePartition } from './sort/merge.ts';
import type { Partition } from './sort/partition.ts';
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
  // System errors unknown to Node have only a number.
  const errno =
    error instanceof Error && 'errno' in error && typeof error.errno === 'number' ? error.errno : null;
  reply({
    type: 'fail',
    code,
    errno,
    message: error instanceof Error ? error.message : String(error),
    stage: error instanceof SpillFailure ? 'working' : error instanceof MalformedFile ? 'read-back' : 'file',
  });
};

function write(data: WriterData, entry: URL, calls: FileCalls | undefined): void {
  let queue = createWriter(data, { entry, ...(calls === undefined ? {} : { calls }) });
  queue.then(() => reply({ type: 'open' }), fail);
  parentPort?.on('message', (message: ToWriter) => {
    const before = queue;
    queue = before.then(async (writer) => {
      await handle(writer, message);
      return writer;
    });
    queue.catch((error: unknown) => {
      // Every later message rejects with the same error; only the first one reports it.
      before.then(
        () => fail(error),
        () => undefined,
      );
    });
  });
}

/** The helper thread. It dies of a failure, which the writer then reports. */
function runHelper({ merge: share }: MergeData): void {
  const post = (message: FromMerge, bytes?: Uint8Array<ArrayBuffer>) =>
    parentPort?.postMessage(message, bytes === undefined ? [] : [bytes.buffer]);
  parentPort?.on('message', (partition: Partition) => {
    for (const batch of mergePartition(share, partition))
      post({ type: 'batch', batch }, batch.bytes as Uint8Array<ArrayBuffer>);
    post({ type: 'over' });
  });
}

/** `entry` is the calling module, which the helper thread is started from. `calls`: tests pass failing ones. */
export function runExportThread(entry: URL, calls?: FileCalls): void {
  const data: WriterData | MergeData = workerData;
  if ('merge' in data) runHelper(data);
  else write(data, entry, calls);
}
