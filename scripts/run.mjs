// Runs one of the project's TypeScript scripts under the right Node: node scripts/run.mjs FILE [ARGS]
import { runNode } from './node.mjs';

process.exitCode = await runNode(process.argv.slice(2));
