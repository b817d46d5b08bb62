/**
 * Entry of the embedded service's worker threads: the one that answers HTTP (messages: src/shared/embedded.ts), and the
 * database threads.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { EmbeddedCommand, EmbeddedMessage, EmbeddedSpec, EvidenceReport } from '#shared/embedded.ts';
import { type Listening, listen } from './server.ts';
import { createFront } from './threads/http-thread.ts';
import type { ThreadData } from './threads/protocol.ts';

/** The report of the demo tenant, and of evidence before the database is open. */
const NOTHING: EvidenceReport = {
  imported: 0,
  unchanged: 0,
  removed: 0,
  notMail: 0,
  problems: [],
  unreadable: 0,
  known: 0,
  gone: 0,
  unreachable: 0,
};

const port = parentPort;
if (!port) throw new Error('The embedded service runs in a worker thread.');
const entry = new URL(import.meta.url);

function answerHttp(spec: EmbeddedSpec): void {
  let { flags } = spec;
  let server: Listening | null = null;
  let isStopping = false;
  /** Rules that arrived before the database was open. */
  const early: Extract<EmbeddedCommand, { type: 'rules' | 'run-rules' }>[] = [];
  const say = (message: EmbeddedMessage): void => port?.postMessage(message);
  const front = createFront({
    entry,
    spec,
    flags: () => flags,
    onEvent: say,
    onLost: (error) => {
      throw error;
    },
  });

  async function start(): Promise<void> {
    await front.open();
    for (const command of early.splice(0)) front.tell(command);
    server = await listen(front, 0);
    say({ type: 'ready', port: server.port });
    if (spec.source.kind === 'evidence' && !isStopping) front.tell({ type: 'import' });
  }

  const running = start().catch((error: unknown) => say({ type: 'failed', error: toBridgeError(error) }));

  async function stop(): Promise<void> {
    isStopping = true;
    await front.close();
    await running;
    await server?.close();
    port?.close();
  }

  port?.on('message', (command: EmbeddedCommand) => {
    if (command.type === 'flags') flags = command.flags;
    else if (command.type === 'stop') void stop();
    else if (front.isOpen() && spec.source.kind === 'evidence') front.tell(command);
    else if (command.type === 'rules' || command.type === 'run-rules') early.push(command);
    else if (command.type === 'report') say({ type: 'report', report: NOTHING });
  });
}

if ('role' in workerData && workerData.role === 'parser') {
  const { runParser } = await import('./import/parse-thread.ts');
  runParser(workerData.believed as string[], port, workerData.keys as Map<string, string>);
} else if ('role' in workerData && workerData.role === 'scanner') {
  const { runScanner } = await import('./rules/scan-thread.ts');
  runScanner(port, workerData.shared as SharedArrayBuffer);
} else if ('role' in workerData) {
  // The thread that answers HTTP loads no database code and stays small.
  const { runThread } = await import('./threads/thread.ts');
  await runThread(workerData as ThreadData, port, entry);
} else answerHttp(workerData as EmbeddedSpec);
