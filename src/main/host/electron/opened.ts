/** Files and links that the system asks Parapet to open: events on macOS, arguments elsewhere. */
import type { App } from 'electron';
import { LINK_MAX } from '#shared/bridge/link.ts';
import { EarlyArrivals } from '../start-app.ts';

/** Call before Electron is ready: macOS reports at once what it started Parapet for. */
export function openedBySystem(app: Pick<App, 'on'>): EarlyArrivals {
  const early = new EarlyArrivals();
  app.on('open-file', (event, path) => {
    event.preventDefault();
    early.add([{ kind: 'file', path }]);
  });
  app.on('open-url', (event, url) => {
    event.preventDefault();
    early.add([{ kind: 'link', text: url.slice(0, LINK_MAX + 1) }]);
  });
  return early;
}
