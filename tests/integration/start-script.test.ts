/** The script behind `npm start`, and the product that it supervises. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const script = pathToFileURL(resolve(import.meta.dirname, '../../scripts/node.mjs')).href;

/** Stands in for the product: stops cleanly on a signal or when the IPC channel closes. */
const PRODUCT = `
  const stop = (how) => { console.log('stopped in order: ' + how); process.exit(0); };
  process.on('disconnect', () => stop('channel'));
  if (process.argv[1] === 'dies') process.kill(process.pid, 'SIGKILL');
  if (process.argv[1] === 'tells') process.send({ exitCode: 0 }, () => process.kill(process.pid, 'SIGKILL'));
  if (process.argv[1] === 'listens') process.on('SIGTERM', () => stop('signal'));
  console.log('ready');
  setInterval(() => {}, 1000);
`;

const supervisor = (platform: string, how: 'listens' | 'deaf' | 'dies' | 'tells') => `
  import { spawn } from 'node:child_process';
  import { superviseToEnd } from ${JSON.stringify(script)};
  const child = spawn(process.execPath, ['-e', ${JSON.stringify(PRODUCT)}, '${how}'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  process.exitCode = await superviseToEnd(child, '${platform}');
`;

/** The output after the signal, and the exit code. */
async function signalled(platform: string, listens: boolean, signal: NodeJS.Signals) {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', supervisor(platform, listens ? 'listens' : 'deaf')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output === 'ready\n') child.kill(signal);
  });
  const [code] = await once(child, 'close');
  return { output: output.replace('ready\n', '').trim(), code };
}

// On Windows, process.kill ends a process at once, including the script of this test. So the Windows case is tested on
// other systems, with a product that ignores signals.
const isWindows = process.platform === 'win32';
test.skipIf(isWindows).each(['SIGINT', 'SIGHUP', 'SIGTERM'] as const)(
  'on Windows, %s stops the product cleanly',
  async (signal) => {
    expect(await signalled('win32', false, signal)).toEqual({ output: 'stopped in order: channel', code: 0 });
  },
);

test.skipIf(isWindows)('on other systems the product gets the signal', async () => {
  expect(await signalled('linux', true, 'SIGTERM')).toEqual({ output: 'stopped in order: signal', code: 0 });
});

/** The exit code and the errors of a product that ends by itself. */
async function ended(how: 'dies' | 'tells') {
  const child = spawn(process.execPath, ['--input-type=module', '-e', supervisor(process.platform, how)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const [code] = await once(child, 'close');
  return { code, errors };
}

test.skipIf(isWindows)(
  'a product that the system ends, as if memory has run out, is not silent',
  async () => {
    expect(await ended('dies')).toEqual({
      code: 128,
      errors: expect.stringContaining('SIGKILL), perhaps because memory ran out. Start it again'),
    });
  },
);

test('a product that stopped in order and had to kill itself has succeeded', async () => {
  expect(await ended('tells')).toEqual({ code: 0, errors: '' });
});
