/** A process to kill: goes through one phase. Arguments: the phase's name, its stage as JSON. */
import { flushCompileCache } from 'node:module';
import { phases, type Stage } from './kill-phases.ts';

// Killed, it could not leave what it compiled to the next one.
flushCompileCache();

const [name = '', stage = ''] = process.argv.slice(2);
const core = await phases[name]?.act(JSON.parse(stage) as Stage, () => process.stdout.write('begin\n'));
process.stdout.write('end\n');
// Killed now, or told that it may end.
process.stdin.once('data', () => void (core?.stop() ?? Promise.resolve()).then(() => process.exit(0)));
