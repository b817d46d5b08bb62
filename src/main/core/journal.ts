/** The journal: every change that was sent to a service, with what came of it. */
import { userInfo } from 'node:os';
import type { EndpointName } from '#shared/api/catalogue.ts';
import type { ParapetError } from '#shared/bridge/errors.ts';
import type { Database } from '../store/database.ts';
import type { Ports } from './ports.ts';
import { withoutSecrets } from './redact.ts';

const REQUEST_MAX = 100_000;

/** The user of this machine; null where the system knows none. */
export function currentUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

export interface Journal {
  /** Never rejects: the change was made, whether it can be noted or not. */
  write(
    connectionId: string,
    endpoint: EndpointName,
    request: object,
    error: ParapetError | null,
  ): Promise<void>;
}

export function createJournal(workspace: Database, { now, log }: Pick<Ports, 'now' | 'log'>): Journal {
  return {
    async write(connectionId, endpoint, request, error) {
      const text = JSON.stringify(withoutSecrets(request));
      const kept = text.length > REQUEST_MAX ? JSON.stringify({ omitted: text.length }) : text;
      const outcome = error === null ? { ok: true } : { ok: false, code: error.code, message: error.message };
      await workspace
        .write([
          {
            sql: 'INSERT INTO journal (at, connection_id, endpoint, request, outcome, who) VALUES (?, ?, ?, ?, ?, ?)',
            params: [now(), connectionId, endpoint, kept, JSON.stringify(outcome), currentUser()],
          },
        ])
        .catch((failure: unknown) =>
          log.warn('the journal could not be written', { reason: String(failure) }),
        );
    },
  };
}
