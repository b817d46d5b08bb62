// Runs the embedded service by itself: npm run service -- --port N --emails N --seed N [--mail PATH…]
import { spawn } from 'node:child_process';
import path from 'node:path';
import { nodeBinary, root } from './node.mjs';

// Node strips the types of the sources as it loads them: no build is needed.
const child = spawn(nodeBinary(), [path.join(root, 'src', 'service', 'cli.ts'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.once('exit', (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 128);
});
