/** Sentences of the profiles of users and groups. */
import { dictionary } from '#shared/dictionary.ts';
import type { PersonTab } from './person-screen.tsx';

export const TAB_LABELS: Readonly<Record<PersonTab, string>> = {
  overview: 'Overview',
  signins: 'Logins',
  received: 'Emails received',
  sent: 'Emails sent',
  clicks: 'Clicks',
  files: 'Files shared',
  findings: 'Findings',
};

export const STATE_LABELS: Readonly<Record<string, string>> = dictionary({
  active: 'Active',
  disabled: 'Disabled',
});

export const GROUP_KINDS: Readonly<Record<string, string>> = dictionary({
  team: 'Team',
  distribution: 'Distribution list',
  security: 'Security group',
  dynamic: 'Dynamic group',
});

export const LIST_WORDS = {
  notKnown: 'Whether there are any is unknown.',
  noAddress: 'The address is unknown.',
  noField: 'This service has no field for this query.',
} as const;

export const SIGN_IN_WORDS = {
  title: 'Logins',
  none: 'No logins',
  open: 'Open on the login map',
  failed: 'The logins could not be loaded',
  unknown: 'Logins unknown',
  shownInstead: 'Some logins are missing.',
  noApp: 'The service does not say which app this account belongs to.',
} as const;

/** Empty state of the logins. `last` is the last login according to the profile; '' if the profile has none. */
export const noSignIns = (last: string): { title: string; reason: string } =>
  last === ''
    ? { title: SIGN_IN_WORDS.none, reason: 'The service reports none of this user, in this app.' }
    : {
        title: 'No logins listed',
        reason: `The last login was ${last}. The service lists only some of an app’s logins, and none of this user.`,
      };
