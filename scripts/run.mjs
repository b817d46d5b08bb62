// Runs one of the project's TypeScript scripts under the right Node: node scripts/run.mjs FILE [ARGS]
import path from 'node:path';
import { here, root, runNode } from './node.mjs';

const [file, ...args] = process.argv.slice(2);
process.exitCode = await runNode([path.join(root, file), ...args], { cwd: here });
