/** The score and verdict of mails of evidence after rules or marks changed their findings. */

import { mostOfCheck } from '#shared/checks/assess.ts';
import { scoreOf, verdictOfScore } from '#shared/checks/score.ts';
import { CHECK_TOOLS, type CheckTool, checkToolId } from '#shared/model/enums.ts';
import { NOTHING_FOUND } from '#shared/model/verdict.ts';
import { checkScans } from '../store/check-scans.ts';
import type { ScanRecord } from '../store/records.ts';
import type { FindingMark } from '../store/rules.ts';
import { storedVerdict } from '../store/verdicts.ts';
import type { SqliteStore } from './sqlite-store.ts';

/** SQL: the finding `m` speaks against its mail, and the analyst has not marked it as a false positive. */
export const AGAINST = 'm.weight > 0 AND m.struck = 0';

/** SQL of the place of a finding `f`, as marks name it. */
const PLACE = 'json_array(f.place_kind, f.place_name, f.place_text)';

interface FindingRow {
  check: string;
  tool: string;
  sentence: string;
  weight: number;
}

const isCheckTool = (tool: string): tool is CheckTool => (CHECK_TOOLS as readonly string[]).includes(tool);

/** Strikes the marked findings of a mail and adds up the others. Call within a transaction. */
export function recounter({ db }: SqliteStore): (emailId: number) => void {
  const strike = db.prepare(
    `UPDATE findings AS f SET struck = EXISTS (SELECT 1 FROM finding_marks m, emails e WHERE e.id = f.email_id
       AND m.entity_id = e.entity_id AND m.check_id = f.check_id AND m.place = ${PLACE})
     WHERE f.email_id = ?`,
  );
  const read = db.prepare<unknown[], FindingRow>(
    `SELECT check_id AS "check", tool, sentence, weight FROM findings
     WHERE email_id = ? AND struck = 0 ORDER BY weight DESC, id`,
  );
  const scansOf = db.prepare<unknown[], string>('SELECT scans FROM emails WHERE id = ?').pluck();
  const update = db.prepare(
    `UPDATE emails SET score = @score, verdict = @verdict, verdict_rank = @rank, verdict_code = @code,
       stack = @stack, scans = @scans WHERE id = @id`,
  );
  return (id) => {
    const scans = scansOf.get(id);
    if (scans === undefined) return;
    strike.run(id);
    const findings = read
      .all(id)
      .flatMap(({ tool, ...rest }) => (isCheckTool(tool) ? { tool, ...rest } : []));
    const score = scoreOf(findings, mostOfCheck);
    const tool = checkToolId('provider');
    const provider = (JSON.parse(scans) as ScanRecord[]).find((scan) => scan.tool === tool);
    const verdict = storedVerdict(
      checkScans({ verdict: verdictOfScore(score), findings }, provider ?? { tool, code: NOTHING_FOUND }),
      true,
    );
    update.run({ id, score, ...verdict });
  };
}

/** Marks a finding as a false positive, or removes the mark. False if the mail has no such finding. */
export function markFinding(
  store: SqliteStore,
  { entityId, check, place }: FindingMark,
  isMarked: boolean,
  { now, by }: { now: number; by: string | null },
): boolean {
  const { db } = store;
  const values = [place.kind, place.name, place.text];
  return db.transaction(() => {
    const email = db
      .prepare<unknown[], number>(
        `SELECT e.id FROM emails e JOIN findings f ON f.email_id = e.id
         WHERE e.entity_id = ? AND f.check_id = ? AND ${PLACE} = json_array(?, ?, ?)`,
      )
      .pluck()
      .get(entityId, check, ...values);
    if (email === undefined) return false;
    if (isMarked)
      db.prepare(
        `INSERT OR IGNORE INTO finding_marks (entity_id, check_id, place, marked_at, marked_by)
         VALUES (?, ?, json_array(?, ?, ?), ?, ?)`,
      ).run(entityId, check, ...values, now, by);
    else
      db.prepare(
        'DELETE FROM finding_marks WHERE entity_id = ? AND check_id = ? AND place = json_array(?, ?, ?)',
      ).run(entityId, check, ...values);
    recounter(store)(email);
    return true;
  })();
}
