/** Labels of the shell and its connection states. Pure. */
import type { LeftOut } from '#shared/api/repair.ts';
import type { Connection, ConnectionState } from '#shared/bridge/operations.ts';
import { type ClockSetting, profileTime } from '#shared/model/clock.ts';
import { form, plural, visibleText } from '#shared/model/format.ts';

/** What to do when the browser host has stopped. `lasts`: saved data survives the end of a run. */
export const lostWords = (
  restarted: boolean,
  lasts: boolean,
): { title: string; todo: string; kept: string } => ({
  title: restarted ? 'Parapet was restarted' : 'Parapet has stopped',
  todo: restarted
    ? 'Paste the address it printed into this tab’s address bar to continue where you were.'
    : 'Start it again. This window reconnects when Parapet opens in this browser, or when you paste the address it prints into this tab’s address bar.',
  kept: lasts
    ? 'What you were editing is still here.'
    : 'What you were editing is still here, and nowhere else: this session keeps nothing on disk. Don’t close or reload this tab.',
});

/** The one connection problem that the window reports: the one closest to the analyst, with its cause. */
export const hostSilentWords = (since: string): string =>
  `No answer since ${since}. It may be busy or suspended, and what you see may be out of date. The window continues as soon as it answers.`;

export const offlineWords = (state: ConnectionState, name: string, since: string): string =>
  state.phase === 'offline-user'
    ? `Set offline at ${since}.`
    : `Since ${since}: ${state.error?.message ?? `${name} does not answer.`}`;

/** The button beside the notices of a low window, which shows the first one on one line. */
export const moreNoticesWords = (isOpen: boolean, count: number): string =>
  isOpen ? 'Show less' : count > 1 ? plural(count - 1, 'more notice') : 'Show all';

/** What of a service's answer is not shown, as it could not be read. */
export function leftOutWords(endpoint: string, { list, count, reason }: LeftOut): string {
  const name = list.split('.').findLast((part) => part !== '*') ?? list;
  return `Of “${name}” in the answer to ${endpoint}, ${plural(count, 'entry', 'entries')} could not be read and ${form(count, 'is', 'are')} not shown: ${reason}.`;
}

const SOURCES = { demo: 'demo data', evidence: 'evidence', tenant: '' } as const;

/** The margins of each printed page: what it shows, whose data it is, and when it was printed. */
export function printedWords(of: {
  title: string;
  connection: Pick<Connection, 'name' | 'kind' | 'url' | 'sourceLabel'> | null;
  at: number;
  clock: ClockSetting;
}): readonly [string, string] {
  const { title, connection, at, clock } = of;
  const source = connection?.url ?? connection?.sourceLabel ?? SOURCES[connection?.kind ?? 'tenant'];
  const whose = [connection?.name ?? 'No connection', source].filter(Boolean).join(', ');
  return [
    visibleText(`${title.slice(0, 90)} · ${whose.slice(0, 120)}`),
    `Printed ${profileTime(new Date(at).toISOString(), clock)}`,
  ];
}

/** Shown when the window is too small for its bars. */
export const TOO_SMALL =
  'This window is too small for Parapet. Make it at least 480 by 280 pixels, or zoom out (Ctrl −).';

export const DROP = {
  title: 'Drop to import',
  what: 'A mail file (.eml, .msg, .mbox, .pst, .zip …), a folder of mail, or a query file (.json)',
  notOpened: 'Nothing opens until you confirm.',
  openFile: 'Open this mail file?',
  openFolder: 'Open this folder of mail?',
  open: 'Open as evidence',
  inFolder: (folder: string) => `In ${folder}`,
  readInPlace:
    'Opens as its own connection. It is read in place and never changed, and nothing leaves this machine.',
} as const;
