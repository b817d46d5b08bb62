/** The actions that each domain offers, as named by query/config. Their effects are in store/actions.ts. */
import type { ActionConfig } from '#shared/model/entities.ts';

type Param = NonNullable<ActionConfig['params']>[number];

const param = (id: string, label: string, type: string, more: Partial<Param> = {}): Param => ({
  id,
  label,
  type,
  required: true,
  ...more,
});
const action = (id: string, label: string, more: Partial<ActionConfig> = {}): ActionConfig => ({
  id,
  label,
  ...more,
});

const QUARANTINE = action('quarantine', 'Quarantine', { danger: true });
const RESTORE = action('restore', 'Restore');
const RESCAN = action('rescan', 'Rescan');
const DELETE = action('delete', 'Delete', { danger: true });
const NOTIFY = action('notify', 'Notify', {
  params: [param('email', 'Send to', 'email'), param('text', 'Words to add', 'text', { required: false })],
});

export const EMAIL_ACTIONS: readonly ActionConfig[] = [
  QUARANTINE,
  RESTORE,
  action('move', 'Move to folder', {
    params: [
      param('folder', 'Folder', 'enum', {
        allowedValues: ['Inbox', 'Junk', 'Archive'].map((value) => ({ value, label: value })),
      }),
    ],
  }),
  DELETE,
  RESCAN,
  action('tag', 'Tag', { params: [param('tag', 'Tag', 'text')] }),
  action('untag', 'Remove tag', { params: [param('tag', 'Tag', 'text')] }),
  NOTIFY,
];

export const FILE_ACTIONS: readonly ActionConfig[] = [
  QUARANTINE,
  RESTORE,
  action('vault', 'Move to vault', { danger: true }),
  action('unshare', 'Remove sharing', {
    danger: true,
    params: [
      param('extent', 'Which sharing', 'enum', {
        allowedValues: [
          { value: 'public', label: 'Public links' },
          { value: 'external', label: 'Public links and people outside' },
        ],
      }),
    ],
  }),
  DELETE,
  RESCAN,
];

export const USER_ACTIONS: readonly ActionConfig[] = [
  action('disable', 'Disable account', { danger: true }),
  action('enable', 'Enable account'),
  action('require_mfa', 'Require second factor'),
  action('sign_out', 'Sign out everywhere'),
  NOTIFY,
];

export const GROUP_ACTIONS: readonly ActionConfig[] = [
  action('make_private', 'Make private'),
  action('remove_external', 'Remove members from outside', { danger: true }),
  action('set_owner', 'Set owner', { params: [param('owner', 'Owner', 'email')] }),
  NOTIFY,
];

export const MESSAGE_ACTIONS: readonly ActionConfig[] = [QUARANTINE, RESTORE, DELETE, RESCAN];

export const CLICK_ACTIONS: readonly ActionConfig[] = [
  action('block', 'Block link', { danger: true }),
  action('allow', 'Allow link'),
  NOTIFY,
];
