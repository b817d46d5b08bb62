/** The demo tenant as the source of a store: everything its rows lack is generated deterministically. */
import type { MailSource } from '../store/mail-source.ts';
import { bodyOf } from './body.ts';
import { debugLinks } from './debug-links.ts';
import { fileEvents } from './file-events.ts';
import { generatedMailOf } from './generated-mail.ts';
import { headersOf } from './headers.ts';
import { filePermissions } from './permissions.ts';
import { hashOf, random } from './prng.ts';
import { rescan, rescanTime } from './rescan.ts';
import { fileScans, messageScans } from './scans.ts';
import { matchedFile } from './stand-in.ts';
import { scanDetail } from './stories.ts';

/** One in this many mailboxes does not answer the first time, as happens in practice. */
const SLOW_ONE_IN = 61;
const HELP_DESK = { role_id: 17, role_name: 'Help desk' };

export const isSlowMailbox = (entityId: string): boolean =>
  Math.abs(hashOf(`mailbox/${entityId}`)) % SLOW_ONE_IN === 0;

export const demoSource: MailSource = {
  texts: false,
  headers: async (store, row) => {
    const mail = await generatedMailOf(store, row);
    return mail ? headersOf(mail) : '';
  },
  body: async (store, row) => {
    const mail = await generatedMailOf(store, row);
    return { ...(mail ? bodyOf(mail) : { html: null, text: null, inline: {} }), truncated: false };
  },
  message: () => null,
  matchedFile,
  tenant: {
    scanDetail,
    fileScans,
    messageScans,
    rescanTime,
    rescan,
    isSlowMailbox,
    // For some emails the restore service does not answer, to show the console's fallback to the plain profile.
    restoreServiceAnswers: ({ entity_id, quarantined }) =>
      quarantined !== 1 || (hashOf(`${entity_id}/props`) >>> 0) % 29 !== 0,
    // The failed logins of one app are unavailable, to show an empty layer.
    loginsAnswer: (app, fail) => app !== 'dropbox' || fail !== true,
    userFields: ({ entity_id, isAdmin }) => {
      const rng = random(`${entity_id}/training`);
      const roles = isAdmin
        ? [{ role_id: 1, role_name: 'Admin' }]
        : [{ role_id: 100, role_name: 'End User' }, ...(rng.chance(0.03) ? [HELP_DESK] : [])];
      const assigned = rng.int(1, 6);
      return {
        roles,
        security_training: {
          assigned,
          completed: rng.int(0, assigned),
          phishing_test_failed: rng.chance(0.12),
        },
      };
    },
    debugLinks,
    filePermissions,
    fileEvents,
  },
};
