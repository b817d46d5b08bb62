/** Labels of the shell: what answers, and what does not. Pure. */
import type { Connection, ConnectionState } from '#shared/bridge/operations.ts';
import { type ClockSetting, profileTime } from '#shared/model/clock.ts';
import { visibleText } from '#shared/model/format.ts';

/** What to do when the browser host has gone. `lasts`: what was saved outlives a run. */
export const lostWords = (
  restarted: boolean,
  lasts: boolean,
): { title: string; todo: string; kept: string } => ({
  title: restarted ? 'Parapet was restarted' : 'Parapet has stopped',
  todo: restarted
    ? 'Paste the address that it printed into this tab’s address bar: this window then goes on where it was.'
    : 'Start it again. This window goes on by itself when Parapet opens in this browser, or when you paste the address that it prints into this tab’s address bar.',
  kept: lasts
    ? 'What you were editing is still here.'
    : 'What you were editing is still here, and nowhere else: this session keeps nothing on disk. Don’t close or reload this tab.',
});

/** Which one thing the window says of what it is connected to: what is nearest to the analyst, with its cause. */
export const hostSilentWords = (since: string): string =>
  `No answer since ${since}. It is busy or suspended; what is shown is from before. The window goes on as soon as it answers.`;

/** Words for the state of the service where Parapet itself answers. */
export const offlineWords = (state: ConnectionState, name: string, since: string): string =>
  state.phase === 'offline-user'
    ? `Set offline at ${since}.`
    : `Since ${since}: ${state.error?.message ?? `${name} does not answer.`}`;

const SOURCES = { demo: 'demo data', evidence: 'evidence', tenant: '' } as const;

/** In the margins of each printed page: what it is of and of whose data, and when it was printed. */
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

/** A window in which no bar has room for its words. */
export const TOO_SMALL =
  'This window is too small for Parapet. Make it at least 480 by 280 pixels, or zoom out (Ctrl −).';

export const DROP = {
  title: 'Drop to import',
  what: 'An .eml or .mbox file, a folder of mail, or a query file (.json)',
  notOpened: 'Nothing is opened before you confirm it.',
  openFile: 'Open this mail file?',
  openFolder: 'Open this folder of mail?',
  open: 'Open as evidence',
  inFolder: (folder: string) => `In ${folder}`,
  readInPlace:
    'Opens as a connection of its own. It is read in place and not changed, and nothing of it leaves this machine.',
} as const;
