// Runs the embedded service by itself: npm run service -- --port N --emails N --seed N [--mail PATH…]
import { spawn } from 'node:child_process';
import path from 'node:path';
import { here, nodeBinary, root, superviseToEnd } from './node.mjs';

// Node strips types when it loads the sources, so no build is needed.
const cli = path.join(root, 'src', 'service', 'cli.ts');
process.exitCode = await superviseToEnd(
  spawn(nodeBinary(), [cli, ...process.argv.slice(2)], { cwd: here, stdio: 'inherit' }),
);
