/** The script behind `npm run build`, in folders without sources: what it does before the build itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const scripts = path.resolve(import.meta.dirname, '../../scripts');
const WAITING = 'Waiting for another build of this folder…\n';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-build-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The exit code of the build tool in these folders. */
const BUILT = 7;

/** Starts the script in a copy of the scripts with a build tool that ends at once. */
function start(name: string, prepare: (out: string) => void = () => {}) {
  const project = path.join(folder, name);
  cpSync(scripts, path.join(project, 'scripts'), { recursive: true });
  const tool = path.join(project, 'node_modules/electron-vite');
  mkdirSync(tool, { recursive: true });
  writeFileSync(path.join(tool, 'package.json'), JSON.stringify({ bin: 'tool.cjs' }));
  writeFileSync(path.join(tool, 'tool.cjs'), `process.exitCode = ${BUILT};`);
  prepare(path.join(project, 'out'));
  const child = spawn(process.execPath, [path.join(project, 'scripts/build.mjs')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return { project, child, done: outputOf(child) };
}

async function outputOf(child: ChildProcess): Promise<{ code: number; output: string }> {
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = await once(child, 'close');
  return { code, output };
}

const lockOf = (out: string): string => {
  mkdirSync(out);
  writeFileSync(path.join(out, '.building'), '');
  return path.join(out, '.building');
};

test.skipIf(process.platform === 'win32').each(['C#', 'what?'])(
  'in a folder called "%s" the build says that it does not support the name',
  async (name) => {
    const { code, output } = await start(name).done;
    expect(code).toBe(1);
    expect(output).toContain(`${name}: the build does not support # or ? in a path.`);
  },
);

test('a folder that cannot be written is an error with its reason, not a wait', async () => {
  const { code, output } = await start('project', (out) => writeFileSync(out, '')).done;
  expect(code).toBe(1);
  expect(output).toMatch(/cannot be built in .*project: E[A-Z]+.*npm run build/);
});

test('a build waits for another one, and says so', async () => {
  const { project, child, done } = start('project', lockOf);
  const [first] = (await once(child.stderr as NodeJS.ReadableStream, 'data')) as [Buffer];
  expect(first.toString()).toBe(WAITING);
  rmSync(path.join(project, 'out/.building'));
  expect(await done).toEqual({ code: BUILT, output: WAITING });
});

test('the lock of a killed build is taken over', async () => {
  const { done } = start('project', (out) => {
    const before = new Date(Date.now() - 60_000);
    utimesSync(lockOf(out), before, before);
  });
  expect(await done).toEqual({ code: BUILT, output: '' });
});

test.each(['start', 'test', 'check', 'build', 'service', 'run'])(
  'before npm ci, %s.mjs says that the packages are missing',
  async (script) => {
    cpSync(scripts, path.join(folder, 'scripts'), { recursive: true });
    const child = spawn(process.execPath, [path.join(folder, 'scripts', `${script}.mjs`)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    expect(await outputOf(child)).toEqual({
      code: 1,
      output: 'Parapet is not installed yet: run npm ci first.\n',
    });
  },
);
