/** Composition root of the Electron host. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { app, protocol } from 'electron';
import { createApp } from './app.ts';
import { keepCrashDumpsIn } from './host/electron/crashes.ts';
import { startElectronHost } from './host/electron/host.ts';
import { openedBySystem } from './host/electron/opened.ts';
import { APP_SCHEME } from './host/electron/protocol.ts';
import { preloadPath } from './host/electron/window.ts';
import { runUntilStopped } from './host/lifetime.ts';
import { ownArguments, parseOptions, printInstead } from './host/options.ts';
import { readPolicy } from './host/policy.ts';
import { prepareProfile } from './host/start-app.ts';

const here = import.meta.dirname;

/**
 * The AppImage's launcher adds this switch where the system forbids user namespaces; Parapet refuses to run without a
 * sandbox.
 */
const withoutSandbox = app.isPackaged && app.commandLine.hasSwitch('no-sandbox');

// No top-level await: Electron becomes ready only after this module has been evaluated.
const parsed = parseOptions(ownArguments(process.argv.slice(1), app.isPackaged), process.cwd());
if (parsed.ok && !withoutSandbox) {
  app.enableSandbox();
  protocol.registerSchemesAsPrivileged([APP_SCHEME]);
  const early = openedBySystem(app);
  void runUntilStopped(
    (requestStop) => {
      const profile = prepareProfile(parsed.options);
      app.setPath('userData', path.join(profile, 'window'));
      keepCrashDumpsIn(profile);
      // Databases are closed first; the stop ends with app.exit, which emits no further events.
      app.on('before-quit', (event) => {
        event.preventDefault();
        requestStop();
      });
      app.on('window-all-closed', requestStop);
      const build = {
        version: app.getVersion(),
        rendererDir: path.join(here, '../renderer'),
        resources: path.join(here, '../../resources'),
        preload: preloadPath(here),
        workers: {
          store: pathToFileURL(path.join(here, 'store-worker.js')),
          embedded: pathToFileURL(path.join(here, 'embedded.js')),
          exports: pathToFileURL(path.join(here, 'export-worker.js')),
          parsing: pathToFileURL(path.join(here, 'parse-worker.js')),
        },
        policy: readPolicy(),
        createApp,
        early,
      };
      return startElectronHost(parsed.options, profile, build, requestStop);
    },
    (code) => app.exit(code),
  );
} else if (parsed.ok) {
  process.stderr.write(
    'Parapet does not show mail without the sandbox of its window, and this system does not let the AppImage have one. Install the .deb package instead, or allow user namespaces for this program.\n',
  );
  app.exit(2);
} else {
  const { text, code } = printInstead(parsed, app.getVersion());
  (code === 0 ? process.stdout : process.stderr).write(text);
  app.exit(code);
}
