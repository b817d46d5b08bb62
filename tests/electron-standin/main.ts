/** `electron ROOT ARGUMENTS…` for tests: runs the built product with the stand-in as its module `electron`. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { app, type Controls, controls, mainEvaluated } from './electron.ts';

const standIn = new URL('electron.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: standIn, shortCircuit: true } : next(specifier, context),
});

/** A command of a test; the reply has the same id. */
export interface Command {
  id: number;
  does: keyof Controls;
  with: unknown[];
}
process.on('message', (message: Command) => {
  const work = async () => (controls[message.does] as (...values: unknown[]) => unknown)(...message.with);
  void work().then(
    (result) => process.send?.({ id: message.id, result }),
    (error: unknown) => process.send?.({ id: message.id, error: String(error) }),
  );
});

const root = path.resolve(process.argv[2] ?? '.');
// As in Electron: the app folder is an argument unless the app is packaged.
process.argv = [process.execPath, ...(app.isPackaged ? [] : [root]), ...process.argv.slice(3)];
app.root = root;
const { main } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { main: string };
await import(pathToFileURL(path.join(root, main)).href);
mainEvaluated();
