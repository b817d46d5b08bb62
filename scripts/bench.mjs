// Runs the benches one after another, alone on the machine: npm run bench [-- NAME…]
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { build } from './build.mjs';
import { root, runNode } from './node.mjs';

const wanted = process.argv.slice(2);
const dir = path.join(root, 'tests', 'bench');
const benches = readdirSync(dir)
  .filter((name) => name.endsWith('.bench.ts'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .sort();

let failed = await build({ quiet: true });
if (failed === 0) {
  for (const name of benches) {
    process.stdout.write(`\n# ${name}\n`);
    failed += (await runNode(['--expose-gc', path.join(dir, name)])) === 0 ? 0 : 1;
  }
}
process.exitCode = failed === 0 ? 0 : 1;
