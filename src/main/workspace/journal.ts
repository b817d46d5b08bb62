/** The journal: every change sent to a service, recorded before it is sent, with its outcome. */
import { userInfo } from 'node:os';
import type { EndpointName } from '#shared/api/catalogue.ts';
import { mayBeDone, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import { isRecord } from '#shared/model/narrow.ts';
import type { Ports } from '../kernel/ports.ts';
import { withoutSecrets } from '../kernel/redact.ts';
import type { Database, Statement } from '../store/database.ts';
import { reasonIn } from '../upstream/errors.ts';
import type { Intent } from '../upstream/upstream.ts';

/** Characters of a request kept in the journal. */
export const REQUEST_MAX = 100_000;

/** Stands for an internal error of Parapet in place of an endpoint's name. */
const FAULT = 'parapet.fault';

/** The operating system's user; null where it has none. */
export function currentUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

/** How a change ended: only a refusal is certain to have changed nothing. */
export const stateOf = (error: ParapetError | null): 'done' | 'failed' | 'unknown' => {
  if (error === null) return 'done';
  return mayBeDone(error) ? 'unknown' : 'failed';
};

/** What an answer says about the change itself, or null if nothing, or that it was done. */
function reportedIn(answer: unknown): { state: 'failed' | 'partial'; message: string } | null {
  if (!isRecord(answer)) return null;
  const { outcomes, imported, error } = answer;
  const named = Array.isArray(outcomes) ? outcomes.filter(isRecord) : [];
  const refused: unknown[] = named.filter(({ success }) => success === false);
  // An import names the queries that it took, and those that it did not.
  const isImport = Array.isArray(imported) && Array.isArray(error);
  const all = named.length + (isImport ? imported.length + error.length : 0);
  if (isImport) refused.push(...error);
  if (answer['success'] !== false && refused.length === 0) return null;
  const isPartial = refused.length < all;
  const words = !isPartial
    ? 'it was not done'
    : refused.length > 0
      ? `${refused.length} of ${all} were not done`
      : 'it was not done, although every outcome that it named is a success';
  const reason = reasonIn(refused, 2) ?? reasonIn(answer, 1);
  return {
    state: isPartial ? 'partial' : 'failed',
    message: `The service reported that ${words}.${reason === null ? '' : ` It says: “${reason}”.`}`,
  };
}

export const RUNNING = JSON.stringify({ ok: false, state: 'running' });
const LOST = 'Parapet closed before the service answered.';
const UNSENT = 'Not sent: Parapet closed before any of it left.';

export class Journal {
  readonly #workspace: Database;
  readonly #ports: Pick<Ports, 'now' | 'log'>;
  readonly #run: string;
  readonly #requireKept: () => void;
  #unwritten: (() => Promise<void>)[] = [];

  /** `run` marks entries of this run. `requireKept` throws while entries would not be kept. */
  constructor(workspace: Database, ports: Pick<Ports, 'now' | 'log'>, run: string, requireKept: () => void) {
    this.#workspace = workspace;
    this.#ports = ports;
    this.#run = run;
    this.#requireKept = requireKept;
  }

  /**
   * Records a change before it is sent. If this rejects, the change must not be sent. An outcome that cannot be written
   * now is written with the next change or at the end.
   */
  async recordIntent(connectionId: string, endpoint: EndpointName, request: object): Promise<Intent> {
    this.#requireKept();
    const text = JSON.stringify(withoutSecrets(request));
    const stored = text.length > REQUEST_MAX ? JSON.stringify({ omitted: text.length }) : text;
    const columns = [this.#ports.now(), connectionId, endpoint, stored] as const;
    const insert = (outcome: string): Statement => ({
      sql: `INSERT INTO journal (at, connection_id, endpoint, request, outcome, who, run)
        VALUES (?, ?, ?, ?, ?, ?, ?)`,
      params: [...columns, outcome, currentUser(), this.#run],
    });
    const [written] = await this.#workspace.write([insert(RUNNING)]).catch((error: unknown) => {
      const { code, message } = toBridgeError(error);
      throw new ParapetError(
        code,
        `Nothing was sent: a change is recorded in the journal first, and that failed. ${message}`,
        { retryable: true, cause: error, data: { endpoint, unsent: true } },
      );
    });
    const id = Number(written?.lastInsertRowid);
    const settle: Intent['settle'] = async (error, requestSent, answer) => {
      const reported = error === null ? reportedIn(answer) : null;
      const outcome = JSON.stringify({
        ok: error === null && reported === null,
        state: requestSent ? stateOf(error) : 'failed',
        ...reported,
        ...(error === null
          ? {}
          : { code: error.code, message: requestSent ? error.message : `Not sent: ${error.message}` }),
      });
      this.#unwritten.push(async () => {
        const [changed] = await this.#workspace.write([
          {
            sql: 'UPDATE journal SET outcome = ? WHERE id = ? AND run = ?',
            params: [outcome, id, this.#run],
          },
        ]);
        // Another workspace was opened meanwhile: the change is recorded there, too.
        if (changed?.changes === 0) await this.#workspace.write([insert(outcome)]);
      });
      await this.flush().catch((failure: unknown) =>
        this.#ports.log.warn('the outcome of a change could not be recorded yet', {
          reason: String(failure),
        }),
      );
    };
    return { journalId: id, settle };
  }

  /**
   * Closes entries of earlier runs that have no outcome: for most it is unknown whether the change arrived; an action
   * without a target in flight was not sent. Returns how many of each.
   */
  async recover(): Promise<{ doubtful: number; unsent: number }> {
    const run = this.#run;
    const lost = "outcome ->> 'state' = 'running' AND run IS NOT ?";
    const [, unsent, , actions, changes] = await this.#workspace.write([
      {
        sql: `UPDATE journal_targets SET state = 'not-sent' WHERE state = 'pending'
          AND journal_id IN (SELECT id FROM journal WHERE ${lost})`,
        params: [run],
      },
      {
        sql: `UPDATE journal SET outcome = json_object('ok', json('false'), 'state', 'failed', 'message', ?)
          WHERE ${lost} AND action IS NOT NULL AND NOT EXISTS
            (SELECT 1 FROM journal_targets WHERE journal_id = journal.id AND state <> 'not-sent')`,
        params: [UNSENT, run],
      },
      {
        sql: `UPDATE journal_targets SET state = 'unknown', error = ? WHERE state = 'sending'
          AND journal_id IN (SELECT id FROM journal WHERE ${lost})`,
        params: [LOST, run],
      },
      {
        sql: `UPDATE journal SET outcome = ${OUTCOME_SQL} WHERE ${lost} AND action IS NOT NULL`,
        params: [LOST, run],
      },
      {
        sql: `UPDATE journal SET outcome = json_object('ok', json('false'), 'state', 'unknown', 'message', ?)
          WHERE ${lost}`,
        params: [LOST, run],
      },
    ]);
    return {
      doubtful: (actions?.changes ?? 0) + (changes?.changes ?? 0),
      unsent: unsent?.changes ?? 0,
    };
  }

  /** Records an internal error of Parapet. */
  async recordFault(message: string): Promise<void> {
    await this.#workspace.write([
      {
        sql: 'INSERT INTO journal (at, connection_id, endpoint, request, outcome, who) VALUES (?, ?, ?, ?, ?, ?)',
        params: [this.#ports.now(), '', FAULT, '{}', JSON.stringify({ ok: false, message }), currentUser()],
      },
    ]);
  }

  /** Writes outcomes that could not be written before. */
  async flush(): Promise<void> {
    const waiting = this.#unwritten;
    this.#unwritten = [];
    for (const [index, write] of waiting.entries()) {
      try {
        await write();
      } catch (error) {
        this.#unwritten.unshift(...waiting.slice(index));
        throw error;
      }
    }
  }
}

/** SQL expression over a journal row: the outcome of an action from the outcomes of its targets. Bound: its message. */
export const OUTCOME_SQL = `(
  SELECT json_object('ok', json(iif(state = 'done', 'true', 'false')), 'state', state, 'message', ?) FROM (
    SELECT CASE
      WHEN done > 0 AND others + doubt > 0 THEN 'partial' WHEN doubt > 0 THEN 'unknown'
      WHEN done > 0 THEN 'done' ELSE 'failed' END AS state
    FROM (
      SELECT count(*) FILTER (WHERE state = 'done') AS done,
        count(*) FILTER (WHERE state IN ('failed', 'not-sent')) AS others,
        count(*) FILTER (WHERE state = 'unknown') AS doubt
      FROM journal_targets WHERE journal_id = journal.id)))`;
