/** What the actions of query/config change, entity by entity (query/action-catalogue.ts names them). */

import { dictionary } from '#shared/dictionary.ts';
import type { QueryAction } from '../store/action.ts';
import { type ActionOutcome, type ActionRequest, failed, isEntityAction, SUCCESS } from '../store/action.ts';
import type { EmailRow } from '../store/emails.ts';
import type { RowCondition } from '../store/rows.ts';
import { act } from './actions.ts';
import { IN_QUARANTINE } from './email-actions.ts';
import { findEmail } from './emails.ts';
import { byRule, onMessage, type Rule, rule } from './entity-rules.ts';
import { happened } from './events.ts';
import { findFile } from './files.ts';
import { matchingIds } from './query/rows.ts';
import { beginRescan, rescannable } from './rescans.ts';
import type { SqliteStore } from './sqlite-store.ts';

const REACHES_MAILBOX = ['quarantine', 'restore', 'delete', 'move'];

/** Acts on one entity and logs the attempt. */
function applyQueryAction(
  store: SqliteStore,
  domain: string,
  entityId: string,
  what: QueryAction,
): ActionOutcome {
  const outcome = slow(store, domain, entityId, what) ?? changed(store, domain, entityId, what);
  store.db
    .prepare(
      'INSERT INTO action_log (at, by, domain, entity_id, action, params, error) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    .run(
      what.at,
      what.actor.name,
      domain,
      entityId,
      what.action,
      JSON.stringify(what.params),
      outcome.success ? null : outcome.error,
    );
  return outcome;
}

/**
 * Acts on everything that the condition matches. Null, and nothing is done, if that is more than `most`. Throws
 * ConditionError.
 */
export function performOn(
  store: SqliteStore,
  condition: RowCondition,
  most: number,
  what: QueryAction,
): (ActionOutcome & { entityId: string })[] | null {
  const ids = matchingIds(store, condition, most + 1);
  if (ids.length > most) return null;
  return store.db.transaction(() =>
    ids.map((entityId) => ({ entityId, ...applyQueryAction(store, condition.domain, entityId, what) })),
  )();
}

function slow(store: SqliteStore, domain: string, entityId: string, what: QueryAction): ActionOutcome | null {
  if (domain !== 'email' || !REACHES_MAILBOX.includes(what.action)) return null;
  if (!store.source.tenant?.isSlowMailbox(entityId)) return null;
  const tried = store.db
    .prepare('SELECT 1 FROM action_log WHERE entity_id = ? AND action = ?')
    .get(entityId, what.action);
  return tried === undefined ? failed('The mailbox did not answer in time. Try again.') : null;
}

function changed(store: SqliteStore, domain: string, entityId: string, what: QueryAction): ActionOutcome {
  const request: ActionRequest = {
    entityType: domain,
    entityId,
    data: { action: what.action, reason: what.params['reason'] },
    actor: what.actor,
    at: what.at,
  };
  if ((domain === 'email' || domain === 'file') && isEntityAction(what.action)) return act(store, request);
  if (what.action === 'notify') {
    happened(store, request, entityId, 'notified', `Told ${what.params['email'] ?? 'nobody'}`);
    return SUCCESS;
  }
  if (what.action === 'rescan' && domain !== 'message') {
    const tools = rescannable(store, domain, entityId);
    if (tools === null || tools.length === 0) return failed('No security tool looks at it');
    beginRescan(store, domain, entityId, tools, what.actor, what.at);
    return SUCCESS;
  }
  switch (domain) {
    case 'email':
      return onEmail(store, request, what);
    case 'file':
      return onFile(store, request, what);
    case 'user':
      return onUser(store, request);
    case 'group':
      return onGroup(store, request, what);
    case 'message':
      return onMessage(store, request);
    case 'click':
      return onClick(store, request);
    default:
      return failed('There is no such action here');
  }
}

function onEmail(store: SqliteStore, request: ActionRequest, { action, params }: QueryAction): ActionOutcome {
  const row = findEmail(store, request.entityId);
  if (!row) return failed('There is no such email');
  if (row.file_id !== null) return failed('Mail evidence is only read: nothing can be done to it');
  switch (action) {
    case 'tag': {
      const tag = (params['tag'] ?? '').trim();
      const added = store.db
        .prepare('INSERT OR IGNORE INTO tags (email_id, tag) VALUES (?, ?)')
        .run(row.id, tag);
      if (added.changes === 0) return failed(`It has the tag ${tag} already`);
      happened(store, request, row.entity_id, 'tagged', `Tagged ${tag}`);
      return SUCCESS;
    }
    case 'untag': {
      const tag = (params['tag'] ?? '').trim();
      const gone = store.db.prepare('DELETE FROM tags WHERE email_id = ? AND tag = ?').run(row.id, tag);
      if (gone.changes === 0) return failed(`It has no tag ${tag}`);
      happened(store, request, row.entity_id, 'untagged', `Tag ${tag} removed`);
      return SUCCESS;
    }
    case 'move':
      return move(store, request, row, params['folder'] ?? 'Inbox');
    default:
      return failed('There is no such action for an email');
  }
}

function move(store: SqliteStore, request: ActionRequest, row: EmailRow, folder: string): ActionOutcome {
  if (IN_QUARANTINE.includes(row.state ?? '')) return failed('It is in quarantine: restore it first');
  if (row.direction === 'outgoing') return failed('It was sent to others and has no folder here');
  if (row.state === folder) return failed(`It is in ${folder} already`);
  store.db.prepare('UPDATE emails SET state = ? WHERE id = ?').run(folder, row.id);
  store.db
    .prepare('UPDATE recipients SET state = ? WHERE email_id = ? AND state IS NOT NULL')
    .run(folder, row.id);
  happened(store, request, row.entity_id, 'moved', `Moved to ${folder}`);
  return SUCCESS;
}

function onFile(store: SqliteStore, request: ActionRequest, { action, params }: QueryAction): ActionOutcome {
  const row = findFile(store, request.entityId);
  if (!row) return failed('There is no such file');
  if (row.is_deleted === 1) return failed('The file is deleted');
  if (action === 'vault') {
    if (row.is_vault === 1) return failed('It is in the vault already');
    store.db.prepare('UPDATE files SET is_vault = 1 WHERE id = ?').run(row.id);
    happened(store, request, row.entity_id, 'vaulted', 'Moved to the vault');
    return SUCCESS;
  }
  if (action !== 'unshare') return failed('There is no such action for a file');
  const isShared =
    row.is_shared_publicly === 1 || (params['extent'] === 'external' && row.is_shared_externally === 1);
  if (!isShared) return failed('It is not shared like that');
  store.db
    .prepare(
      'UPDATE files SET is_shared_publicly = 0, is_shared_externally = is_shared_externally * ? WHERE id = ?',
    )
    .run(params['extent'] === 'external' ? 0 : 1, row.id);
  happened(store, request, row.entity_id, 'unshared', 'Sharing removed');
  return SUCCESS;
}

const USER_RULES: Readonly<Record<string, Rule>> = dictionary({
  disable: rule(
    "state = 'disabled' OR is_admin = 1",
    'It is disabled already, or an administrator: those are disabled in the directory',
    "state = 'disabled'",
    'disabled',
    'Account disabled',
  ),
  enable: rule("state = 'active'", 'It is active already', "state = 'active'", 'enabled', 'Account enabled'),
  require_mfa: rule('mfa = 1', 'It has a second factor', 'mfa = 1', 'mfa_required', 'Second factor required'),
  sign_out: rule(
    "state = 'disabled'",
    'It is disabled',
    'risk = risk',
    'signed_out',
    'Signed out everywhere',
  ),
});

const GROUP_RULES: Readonly<Record<string, Rule>> = dictionary({
  make_private: rule(
    'is_public = 0',
    'It is private already',
    'is_public = 0',
    'made_private',
    'Made private',
  ),
  remove_external: rule(
    'external_members = 0',
    'It has no members from outside',
    'members = members - external_members, external_members = 0',
    'external_removed',
    'Members from outside removed',
  ),
  set_owner: rule('0', '', 'owner = ?', 'owner_set', 'Owner set'),
});

const CLICK_RULES: Readonly<Record<string, Rule>> = dictionary({
  block: rule('blocked = 1', 'The link is blocked already', 'blocked = 1', 'blocked', 'Link blocked'),
  allow: rule(
    "blocked = 0 OR verdict = 'found'",
    'The link is allowed already, or malicious',
    'blocked = 0',
    'allowed',
    'Link allowed',
  ),
});

const onUser = (store: SqliteStore, request: ActionRequest) => byRule(store, request, 'users', USER_RULES);
const onClick = (store: SqliteStore, request: ActionRequest) => byRule(store, request, 'clicks', CLICK_RULES);

function onGroup(store: SqliteStore, request: ActionRequest, { params }: QueryAction): ActionOutcome {
  const owner = params['owner'];
  if (request.data.action === 'set_owner' && owner !== undefined) {
    const user = store.db.prepare('SELECT 1 FROM users WHERE email = ?').get(owner);
    if (user === undefined) return failed('The owner is nobody of this tenant');
    return byRule(store, request, 'groups', GROUP_RULES, [owner]);
  }
  return byRule(store, request, 'groups', GROUP_RULES);
}
