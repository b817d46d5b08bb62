// Runs the benches one after another, alone on the machine:
// npm run bench [-- NAME… --rows N --mail DIR --phish DIR --ham DIR --rules DIR --lists DIR --rates FILE --json FILE]. Without a name all of them; --list prints the names.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { here, root, runNode } from './node.mjs';

const dir = path.join(root, 'tests', 'bench');

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        list: { type: 'boolean' },
        rows: { type: 'string' },
        mail: { type: 'string' },
        phish: { type: 'string' },
        ham: { type: 'string' },
        rules: { type: 'string' },
        lists: { type: 'string' },
        rates: { type: 'string' },
        json: { type: 'string' },
      },
    });
    if (values.rows !== undefined && !(Number.isInteger(Number(values.rows)) && Number(values.rows) > 0))
      throw new Error('--rows takes a whole number above 0.');
    return { ...values, names: positionals };
  } catch (error) {
    console.error(
      `${error.message}\nUsage: npm run bench [-- NAME… --rows N --mail DIR --phish DIR --ham DIR --rules DIR --lists DIR --rates FILE --json FILE | --list]`,
    );
    return null;
  }
}

const benchFiles = readdirSync(dir)
  .sort()
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => path.join(dir, file));

async function list() {
  let failed = 0;
  for (const file of benchFiles) failed += await runNode([path.join(dir, 'child.ts'), file, '--list']);
  return failed === 0 ? 0 : 1;
}

async function main({ names, rows, json, ...folders }) {
  if ((await build({ quiet: true })) !== 0) return 1;
  const work = mkdtempSync(path.join(os.tmpdir(), 'parapet-bench-'));
  const entries = [];
  let failed = 0;
  try {
    console.log(`${os.cpus().length} cores, ${os.cpus()[0]?.model ?? 'unknown processor'}, ${os.platform()}`);
    for (const file of benchFiles) {
      const out = path.join(work, `${path.basename(file)}.json`);
      const code = await runNode(['--expose-gc', path.join(dir, 'child.ts'), file, out, ...names], {
        env: {
          ...process.env,
          ...(rows === undefined ? {} : { PARAPET_BENCH_ROWS: rows }),
          ...Object.fromEntries(
            Object.entries(folders).flatMap(([name, folder]) =>
              typeof folder === 'string'
                ? [[`PARAPET_BENCH_${name.toUpperCase()}`, path.resolve(here, folder)]]
                : [],
            ),
          ),
        },
      });
      if (code !== 0) {
        console.error(`${path.basename(file)} failed`);
        failed++;
      }
      if (existsSync(out)) entries.push(...JSON.parse(readFileSync(out, 'utf8')));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const unknown = names.filter((name) => !entries.some((entry) => entry.name === name));
  if (unknown.length > 0) console.error(`No figures for: ${unknown.join(', ')}`);
  const missed = entries.filter(({ goals }) => goals.includes('MISSED'));
  if (missed.length > 0) {
    console.log('\nGoals missed (docs/performance.md):');
    for (const { name, variant, peer, goals } of missed)
      console.log(`  ${name}: ${variant}${peer === null ? '' : `, against ${peer}`}: ${goals}`);
  }
  if (json !== undefined) writeFileSync(path.resolve(here, json), `${JSON.stringify(entries, null, 2)}\n`);
  return failed === 0 && unknown.length === 0 ? 0 : 1;
}

const wanted = readArguments();
process.exitCode = wanted === null ? 2 : await (wanted.list ? list() : main(wanted));
