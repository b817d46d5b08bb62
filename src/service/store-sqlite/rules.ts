/** The rules of the analyst in the index of evidence: as they were last applied, and how far. */

import type { RuleState } from '#shared/model/entities.ts';
import { type RuleHead, ruleCheckId } from '#shared/rules/rule.ts';
import { iso } from '../store/instants.ts';
import type { AppliedState, StoredRule, WholeRule } from '../store/rules.ts';
import type { SqliteStore } from './sqlite-store.ts';

const COLUMNS = 'id, kind, name, severity, sentence, is_enabled, digest, state, reason';

export const storedRules = ({ db }: SqliteStore): StoredRule[] =>
  db.prepare<unknown[], StoredRule>(`SELECT ${COLUMNS} FROM rules ORDER BY id`).all();

export const storedRule = ({ db }: SqliteStore, id: string): WholeRule | null =>
  db.prepare<unknown[], WholeRule>(`SELECT ${COLUMNS}, text FROM rules WHERE id = ?`).get(id) ?? null;

export const hasPendingRule = ({ db }: SqliteStore): boolean =>
  db.prepare("SELECT EXISTS (SELECT 1 FROM rules WHERE state NOT IN ('applied', 'failed'))").pluck().get() ===
  1;

const stateFor = (head: RuleHead, before: StoredRule): AppliedState => {
  if (!head.isEnabled)
    return before.is_enabled === 1 || before.state === 'changed' ? 'changed' : before.state;
  if (before.is_enabled === 0) return 'pending';
  const isReworded = head.severity !== before.severity || head.sentence !== before.sentence;
  return isReworded && before.state === 'applied' ? 'changed' : before.state;
};

export function adoptRules(store: SqliteStore, heads: readonly RuleHead[]): string[] {
  const { db } = store;
  return db.transaction(() => {
    const before = new Map(storedRules(store).map((rule) => [rule.id, rule]));
    const update = db.prepare(
      'UPDATE rules SET name = @name, severity = @severity, sentence = @sentence, is_enabled = @enabled, state = @state WHERE id = @id',
    );
    const withoutText: string[] = [];
    for (const head of heads) {
      const { id, name, severity, sentence } = head;
      const stored = before.get(id);
      before.delete(id);
      if (stored === undefined || stored.digest !== head.digest) withoutText.push(id);
      else {
        const state = stateFor(
          head,
          stored.state === 'removed' ? { ...stored, is_enabled: 0, state: 'changed' } : stored,
        );
        update.run({ id, name, severity, sentence, enabled: head.isEnabled ? 1 : 0, state });
      }
    }
    const remove = db.prepare("UPDATE rules SET state = 'removed', is_enabled = 0 WHERE id = ?");
    for (const id of before.keys()) remove.run(id);
    return withoutText;
  })();
}

export function putRule({ db }: SqliteStore, head: RuleHead, text: string): void {
  db.prepare(
    `INSERT OR REPLACE INTO rules (id, kind, name, severity, sentence, is_enabled, digest, text, state, reason)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)`,
  ).run(
    head.id,
    head.kind,
    head.name,
    head.severity,
    head.sentence,
    head.isEnabled ? 1 : 0,
    head.digest,
    text,
    head.isEnabled ? 'pending' : 'changed',
  );
}

export function settleRule(
  { db }: SqliteStore,
  id: string,
  state: 'applied' | 'failed',
  reason: string | null,
  now: number,
): void {
  db.prepare('UPDATE rules SET state = ?, reason = ?, applied_at = ? WHERE id = ?').run(
    state,
    reason,
    now,
    id,
  );
}

export function forgetRule({ db }: SqliteStore, id: string): void {
  db.prepare('DELETE FROM rules WHERE id = ?').run(id);
}

export function restartRules({ db }: SqliteStore, ids: readonly string[] | null): void {
  db.prepare(
    `UPDATE rules SET state = 'pending' WHERE is_enabled = 1 AND state <> 'removed'
     AND (@ids IS NULL OR id IN (SELECT value FROM json_each(@ids)))`,
  ).run({ ids: ids === null ? null : JSON.stringify(ids) });
}

export function ruleStates({ db }: SqliteStore): RuleState[] {
  const counts = db.prepare<unknown[], { hits: number; struck: number }>(
    `SELECT count(DISTINCT email_id) AS hits, count(DISTINCT email_id) FILTER (WHERE struck = 1) AS struck
     FROM findings WHERE check_id = ?`,
  );
  return db
    .prepare<
      unknown[],
      {
        id: string;
        state: Exclude<AppliedState, 'removed'>;
        reason: string | null;
        applied_at: number | null;
      }
    >("SELECT id, state, reason, applied_at FROM rules WHERE state <> 'removed' ORDER BY id")
    .all()
    .map(({ id, state, reason, applied_at }) => {
      const { hits = 0, struck = 0 } = counts.get(ruleCheckId(id)) ?? {};
      return {
        id,
        state: state === 'changed' ? 'pending' : state,
        reason,
        hits,
        false_positives: struck,
        applied: iso(applied_at),
      };
    });
}
