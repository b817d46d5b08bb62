/** A process to be killed: runs one phase. Arguments: the phase's name, its stage as JSON. */
import { flushCompileCache } from 'node:module';
import { phases, type Stage } from './kill-phases.ts';

// A killed process cannot save its compile cache, so save it now.
flushCompileCache();

const [name = '', stage = ''] = process.argv.slice(2);
const core = await phases[name]?.act(JSON.parse(stage) as Stage, () => process.stdout.write('begin\n'));
process.stdout.write('end\n');
// Waits until it is killed or allowed to end.
process.stdin.once('data', () => void (core?.stop() ?? Promise.resolve()).then(() => process.exit(0)));
