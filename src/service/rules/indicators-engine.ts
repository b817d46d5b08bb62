/**
 * Lists of indicators: what a mail contains is looked up among the values of the list, so that its length costs nothing
 * but a deeper index.
 */
import { type FindingPlace, inAttachment, inHeader, inLink } from '#shared/checks/check.ts';
import { isIp } from '#shared/model/ip.ts';
import { hostKeys, type ListedType, urlKey } from '#shared/rules/indicator-list.ts';
import type { StoredRule } from '../store/rules.ts';
import { lower } from '../store/stored-values.ts';
import type { SqliteStore } from '../store-sqlite/sqlite-store.ts';
import type { RuleEngine, RuleHit } from './engine.ts';

interface Observed {
  emailId: number;
  type: ListedType;
  value: string;
  place: FindingPlace;
}

const OF = 'email_id IN (SELECT value FROM json_each(?))';

/** What was observed in the mails of a chunk, which several lists look at. */
const LAST = new WeakMap<readonly number[], Observed[]>();

function* observe({ db }: SqliteStore, ids: string): Generator<Observed> {
  type Named = { emailId: number; name: string };
  const host = (emailId: number, name: string | null, place: FindingPlace) =>
    name === null
      ? []
      : isIp(name)
        ? [{ emailId, type: 'ip' as const, value: name, place }]
        : hostKeys(name).map((value) => ({ emailId, type: 'domain' as const, value, place }));
  for (const { emailId, name, ...hashes } of db
    .prepare<unknown[], Named & Record<'md5' | 'sha1' | 'sha256', string | null>>(
      `SELECT email_id AS emailId, name, md5, sha1, sha256 FROM attachments WHERE ${OF}`,
    )
    .all(ids))
    for (const type of ['md5', 'sha1', 'sha256'] as const)
      if (hashes[type] !== null) yield { emailId, type, value: hashes[type], place: inAttachment(name) };
  for (const { emailId, url, rewritten, name } of db
    .prepare<unknown[], { emailId: number; url: string; rewritten: string | null; name: string | null }>(
      `SELECT email_id AS emailId, url, rewritten_url AS rewritten, host AS name FROM links WHERE ${OF}`,
    )
    .all(ids)) {
    for (const written of [url, rewritten])
      if (written !== null)
        yield { emailId, type: 'url', value: urlKey(written) ?? written, place: inLink(url) };
    yield* host(emailId, name, inLink(url));
  }
  const headers = db
    .prepare<unknown[], { emailId: number; header: string; value: string | null }>(
      `WITH e AS (SELECT * FROM emails WHERE id IN (SELECT value FROM json_each(@ids)))
       SELECT id AS emailId, 'From' AS header, from_email AS value FROM e
       UNION ALL SELECT e.id, 'Reply-To', r.value ->> '$.email' FROM e, json_each(e.detail, '$.replyTo') r
       UNION ALL SELECT id, 'Return-Path', detail ->> '$.returnPath' FROM e
       UNION ALL SELECT id, 'Sender', detail ->> '$.sender.email' FROM e
       UNION ALL SELECT id, 'Received', client_ip FROM e
       UNION ALL SELECT email_id, 'Received', ip FROM hops WHERE email_id IN (SELECT value FROM json_each(@ids))`,
    )
    .all({ ids });
  for (const { emailId, header, value } of headers) {
    const text = lower(value);
    if (text === null || text === '') continue;
    const place = inHeader(header, text);
    if (header === 'Received') yield { emailId, type: 'ip', value: text, place };
    else {
      yield { emailId, type: 'address', value: text, place };
      yield* host(emailId, text.slice(text.lastIndexOf('@') + 1), place);
    }
  }
}

function observed(store: SqliteStore, emailIds: readonly number[]): Observed[] {
  const before = LAST.get(emailIds);
  if (before !== undefined) return before;
  const all = [...observe(store, JSON.stringify(emailIds))];
  LAST.set(emailIds, all);
  return all;
}

export const indicatorsEngine: RuleEngine = {
  kind: 'indicators',
  prepare(store: SqliteStore, { id }: StoredRule) {
    const has = store.db
      .prepare<unknown[], number>('SELECT 1 FROM rule_values WHERE value = ? AND type = ? AND rule_id = ?')
      .pluck();
    return {
      hits(emailIds): RuleHit[] {
        const answers = new Map<string, boolean>();
        const isListed = ({ type, value }: Observed): boolean => {
          const key = `${type} ${value}`;
          let answer = answers.get(key);
          if (answer === undefined) {
            answer = has.get(value, type, id) !== undefined;
            answers.set(key, answer);
          }
          return answer;
        };
        return observed(store, emailIds)
          .filter(isListed)
          .map(({ emailId, value, place }) => ({ emailId, place, detail: value }));
      },
    };
  },
};

const VALUES_AT_ONCE = 20_000;

/** Stores the values of a list: lines of type and value. Between the steps other work of the thread has its turn. */
export function* storeValues({ db }: SqliteStore, ruleId: string, text: string): Generator<void> {
  const drop = db.prepare(
    `DELETE FROM rule_values WHERE (value, type, rule_id) IN
       (SELECT value, type, rule_id FROM rule_values WHERE rule_id = ? LIMIT ${VALUES_AT_ONCE})`,
  );
  while (drop.run(ruleId).changes > 0) yield;
  const insert = db.prepare('INSERT OR IGNORE INTO rule_values (value, type, rule_id) VALUES (?, ?, ?)');
  for (let from = 0; from < text.length; ) {
    from = db.transaction((start: number) => {
      let at = start;
      for (let count = 0; count < VALUES_AT_ONCE && at < text.length; count++) {
        const end = text.indexOf('\n', at);
        const line = text.slice(at, end < 0 ? text.length : end);
        const space = line.indexOf(' ');
        if (space > 0) insert.run(line.slice(space + 1), line.slice(0, space), ruleId);
        at = end < 0 ? text.length : end + 1;
      }
      return at;
    })(from);
    yield;
  }
}
