/** Composition root of the Electron host. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { app, protocol } from 'electron';
import { createApp } from './app.ts';
import { startElectronHost } from './host/electron/host.ts';
import { APP_SCHEME } from './host/electron/protocol.ts';
import { preloadPath } from './host/electron/window.ts';
import { runUntilStopped } from './host/lifetime.ts';
import { ownArguments, parseOptions, USAGE } from './host/options.ts';
import { prepareProfile } from './host/start-app.ts';

const here = import.meta.dirname;

/** The AppImage's own script adds the switch where the system forbids user namespaces: Parapet does not go along. */
const withoutSandbox = app.isPackaged && app.commandLine.hasSwitch('no-sandbox');

// No top-level await: Electron becomes ready only after this module has run to its end.
const parsed = parseOptions(ownArguments(process.argv.slice(1)), process.cwd());
if (parsed.ok && !withoutSandbox) {
  app.enableSandbox();
  protocol.registerSchemesAsPrivileged([APP_SCHEME]);
  void runUntilStopped(
    (requestStop) => {
      const profile = prepareProfile(parsed.options);
      app.setPath('userData', path.join(profile.path, 'window'));
      // The stop closes databases first; it ends with app.exit, which asks nobody.
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
        createApp,
      };
      return startElectronHost(parsed.options, profile, build, requestStop);
    },
    (code) => app.exit(code),
  );
} else {
  const reason = parsed.ok
    ? 'Parapet does not show mail without the sandbox of its window, and this system does not let the AppImage have one. Install the .deb package instead, or allow user namespaces for this program.'
    : `${parsed.reason}\n\n${USAGE}`;
  process.stderr.write(`${reason}\n`);
  app.exit(2);
}
