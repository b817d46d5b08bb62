/** Labels of the settings. */

import type { AppInfo } from '#shared/bridge/operations.ts';
import type { Preferences } from '#shared/bridge/workspace.ts';
import { bytes, plural } from '#shared/model/format.ts';
import type { Managed } from '#shared/model/policy.ts';
import type { UpdateChannel } from '#shared/model/update.ts';

const OFF: Readonly<Record<Managed['off'][number], string>> = {
  'remote-images': 'Remote images',
  updates: 'Updates',
  'exports-in-clear': 'Files without a password',
};

const updatesText = ({ on, channel }: Managed['updates']): string | null => {
  const words = [on === null ? null : on ? 'On' : 'Off', channel === null ? null : `${channel} channel`];
  return words.filter((word) => word !== null).join(', ') || null;
};

/** The settings controlled by the policy; those left to the analyst are not listed. */
export function managedFacts(managed: Managed, budget: string | null): { label: string; value: string }[] {
  const updates = updatesText(managed.updates);
  return [
    ...(managed.off.length === 0
      ? []
      : [{ label: 'Off', value: managed.off.map((what) => OFF[what]).join(', ') }]),
    ...(updates === null ? [] : [{ label: 'Updates', value: updates }]),
    ...(budget === null ? [] : [{ label: 'Offline data', value: `At most ${budget}` }]),
    ...(managed.connections.length === 0
      ? []
      : [{ label: 'Connections', value: plural(managed.connections.length, 'connection') }]),
    ...(managed.authorities.length === 0
      ? []
      : [{ label: 'Authorities', value: managed.authorities.join(', ') }]),
  ];
}

export const MANAGED = {
  title: 'Managed by your organisation',
  policy: 'Policy',
  note: 'Only an administrator of this machine can change it. It is read when Parapet starts.',
  mark: 'managed',
};

const CHANNELS: { value: UpdateChannel; label: string }[] = [
  { value: 'stable', label: 'Stable' },
  { value: 'beta', label: 'Beta' },
];

export const UPDATES = {
  title: 'Updates',
  look: 'Check for updates',
  onOff: [
    { value: 'off' as const, label: 'Off' },
    { value: 'on' as const, label: 'Once a day' },
  ],
  channel: 'Channel',
  channels: CHANNELS,
  checkNow: 'Check now',
  checking: 'Checking',
  never: 'Never checked on this channel.',
  asked: (time: string, isNews: boolean) => `Last checked: ${time}.${isNews ? '' : ' No newer version.'}`,
  managed: (by: string | null) => `Your organisation manages this${by === null ? '' : ` in ${by}`}.`,
  found: (version: string) => `Version ${version} is available`,
  released: (date: string) => `Released ${date}`,
  notes: 'Release notes',
  noNotes: 'No release notes.',
  elsewhere: 'This installation is updated by your package manager or your administrator.',
  fetch: (size: string) => `Download ${size}`,
  fetched: (done: number, size: number) => `${bytes(done)} of ${bytes(size)} downloaded`,
  checked: 'Downloaded; signature verified.',
  restart: 'Restart to install',
  openImage: 'Open the disk image',
} as const;

export const DIAGNOSTICS = {
  open: 'Save diagnostics…',
  title: 'Save diagnostics',
  save: 'Save…',
  intro:
    'One zip for whoever helps you with Parapet. Nothing is sent: you choose where it is saved and who gets it. It contains:',
  reading: 'Reading…',
  saved: 'Diagnostics saved',
};

export const SECRETS_LABELS: Readonly<Record<AppInfo['secrets']['mode'], string>> = {
  keychain: 'System keychain',
  passphrase: 'File protected by a passphrase',
  run: 'This session only',
  undecided: 'Not chosen; nothing lasts beyond this session',
};

export const THEME_OPTIONS: { value: Preferences['theme']; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'dark', label: 'Dark' },
  { value: 'light', label: 'Light' },
];
