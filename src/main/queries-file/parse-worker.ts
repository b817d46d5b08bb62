/** Entry of a thread that parses one thing that would block the main thread. */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { endpointOf } from '#shared/api/catalogue.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { inPieces } from '../parsing/pieces.ts';
import type { AskedConfig, CompareWith, FromParser, Task, ToParser } from '../parsing/protocol.ts';
import { inspectRules, inspectText } from '../parsing/rule-file.ts';
import { checkShape, parseJson } from '../upstream/body.ts';
import { inspectFile } from './inspect.ts';

if (parentPort === null) throw new Error('parsing runs in a worker thread');
const port = parentPort;
const task: Task = workerData;

/** Sends a message and waits for the answer. */
async function exchange(message: FromParser): Promise<ToParser> {
  const answered = once(port, 'message');
  port.postMessage(message);
  const [answer]: ToParser[] = await answered;
  if (answer === undefined) throw new Error('the main thread sent no answer');
  return answer;
}

async function compareWith(configs: AskedConfig[]): Promise<CompareWith> {
  const response = await exchange({ type: 'ask', configs });
  if (response.type !== 'compare') throw new Error('a comparison was asked for');
  return response.with;
}

async function parse(): Promise<unknown> {
  if (task.kind === 'query-file') return inspectFile(task, task.compares ? compareWith : null);
  if (task.kind === 'rule-file') return inspectRules(task.bytes, task.name);
  if (task.kind === 'rule-text') return inspectText(task.of, task.bytes);
  const { bytes, contentType, endpoint, asked } = task;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return checkShape(endpointOf(endpoint), endpoint, parseJson(buffer, contentType, endpoint), asked);
}

try {
  const { holder, slices } = inPieces(await parse(), task.bytes.byteLength);
  await exchange({ type: 'value', holder });
  for (const slice of slices()) await exchange({ type: 'items', ...slice });
  port.postMessage({ type: 'end' } satisfies FromParser);
} catch (error) {
  port.postMessage({ type: 'fail', error: toBridgeError(error) } satisfies FromParser);
}
