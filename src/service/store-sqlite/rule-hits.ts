/** Hits of the analyst's rules, and the values of their lists of indicators. */
import { ruleCheckId } from '#shared/rules/rule.ts';
import type { HitChange, ListedValue, Observables } from '../store/rules.ts';
import { recounter } from './recount.ts';
import type { SqliteStore } from './sqlite-store.ts';

export const queuedMails = ({ db }: SqliteStore, most: number): number[] =>
  db
    .prepare<unknown[], number>('SELECT email_id FROM rule_queue ORDER BY email_id LIMIT ?')
    .pluck()
    .all(most);

export const mailsWithHits = ({ db }: SqliteStore, id: string, after: number, most: number): number[] =>
  db
    .prepare<unknown[], number>(
      'SELECT DISTINCT email_id FROM findings WHERE check_id = ? AND email_id > ? ORDER BY email_id LIMIT ?',
    )
    .pluck()
    .all(ruleCheckId(id), after, most);

export function replaceHits(store: SqliteStore, { ids, checks, findings, isNew }: HitChange): void {
  const { db } = store;
  const json = JSON.stringify(ids);
  db.transaction(() => {
    const affected = new Set<number>();
    const drop = db
      .prepare<unknown[], number>(
        'DELETE FROM findings WHERE check_id = ? AND email_id IN (SELECT value FROM json_each(?)) RETURNING email_id',
      )
      .pluck();
    const insert = db.prepare(
      `INSERT INTO findings (email_id, check_id, tool, sentence, weight, place_kind, place_name, place_text)
       SELECT id, ?, 'rules', ?, ?, ?, ?, ? FROM emails WHERE id = ?`,
    );
    for (const check of checks) for (const email of drop.all(check, json)) affected.add(email);
    for (const { emailId, check, sentence, weight, place } of findings) {
      affected.add(emailId);
      insert.run(check, sentence, weight, place.kind, place.name, place.text, emailId);
    }
    if (isNew) {
      const marked = db
        .prepare<unknown[], number>(
          `SELECT id FROM emails WHERE id IN (SELECT value FROM json_each(?))
           AND entity_id IN (SELECT entity_id FROM finding_marks)`,
        )
        .pluck();
      for (const email of marked.all(json)) affected.add(email);
      db.prepare('DELETE FROM rule_queue WHERE email_id IN (SELECT value FROM json_each(?))').run(json);
    }
    const recount = recounter(store);
    for (const email of affected) recount(email);
  })();
}

const VALUES_AT_ONCE = 20_000;

export const dropValues = ({ db }: SqliteStore, ruleId: string): boolean =>
  db
    .prepare(
      `DELETE FROM rule_values WHERE (value, type, rule_id) IN
         (SELECT value, type, rule_id FROM rule_values WHERE rule_id = ? LIMIT ${VALUES_AT_ONCE})`,
    )
    .run(ruleId).changes > 0;

export function addValues({ db }: SqliteStore, ruleId: string, values: readonly ListedValue[]): void {
  const insert = db.prepare('INSERT OR IGNORE INTO rule_values (value, type, rule_id) VALUES (?, ?, ?)');
  db.transaction(() => {
    for (const { type, value } of values) insert.run(value, type, ruleId);
  })();
}

export function listedValues(
  { db }: SqliteStore,
  ruleId: string,
  values: readonly ListedValue[],
): ReadonlySet<string> {
  const has = db.prepare('SELECT 1 FROM rule_values WHERE value = ? AND type = ? AND rule_id = ?');
  const listed = values.filter(({ type, value }) => has.get(value, type, ruleId) !== undefined);
  return new Set(listed.map(({ type, value }) => `${type} ${value}`));
}

const OF = 'email_id IN (SELECT value FROM json_each(?))';

export function observablesOf({ db }: SqliteStore, emailIds: readonly number[]): Observables {
  const ids = JSON.stringify(emailIds);
  return {
    attachments: db
      .prepare<unknown[], Observables['attachments'][number]>(
        `SELECT email_id AS emailId, name, md5, sha1, sha256 FROM attachments WHERE ${OF}`,
      )
      .all(ids),
    links: db
      .prepare<unknown[], Observables['links'][number]>(
        `SELECT email_id AS emailId, url, rewritten_url AS rewritten, host FROM links WHERE ${OF}`,
      )
      .all(ids),
    headers: db
      .prepare<unknown[], Observables['headers'][number]>(
        `WITH e AS (SELECT * FROM emails WHERE id IN (SELECT value FROM json_each(@ids)))
         SELECT id AS emailId, 'From' AS header, from_email AS value FROM e
         UNION ALL SELECT e.id, 'Reply-To', r.value ->> '$.email' FROM e, json_each(e.detail, '$.replyTo') r
         UNION ALL SELECT id, 'Return-Path', detail ->> '$.returnPath' FROM e
         UNION ALL SELECT id, 'Sender', detail ->> '$.sender.email' FROM e
         UNION ALL SELECT id, 'Received', client_ip FROM e
         UNION ALL SELECT email_id, 'Received', ip FROM hops WHERE email_id IN (SELECT value FROM json_each(@ids))`,
      )
      .all({ ids }),
  };
}
