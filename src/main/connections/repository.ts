/** The connections of the workspace, held in memory so that the core can read them synchronously. */
import { z } from 'zod';
import { ParapetError } from '#shared/bridge/errors.ts';
import { type Connection, connectionSettings } from '#shared/bridge/operations.ts';
import type { EmbeddedSource } from '#shared/embedded.ts';
import { isRecord } from '#shared/model/narrow.ts';
import type { Database, Statement } from '../store/database.ts';
import { putValue } from '../store/kv.ts';

const source: z.ZodType<EmbeddedSource> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('demo'),
    emails: z.number().int().positive(),
    seed: z.number().int().nonnegative(),
  }),
  z.object({ kind: z.literal('evidence'), path: z.string() }),
]);

export interface ConnectionRecord extends Connection {
  /** The source of an embedded service; null for a tenant. */
  source: EmbeddedSource | null;
  activatedAt: number | null;
  /** Incremented when the connection becomes another service or account. */
  generation: number;
  /** Key of its credential among the secrets, or null if it has none. */
  credentialKey: string | null;
}

/**
 * What a change leaves to be removed: a credential by key, cached data by connection id, or the index of an embedded
 * source by the source as JSON.
 */
export interface Leftover {
  kind: 'credential' | 'cache' | 'index';
  name: string;
}

interface Row {
  id: string;
  settings: string;
  source: string | null;
  created_at: number;
  activated_at: number | null;
  generation: number;
  credential_key: string | null;
}

export const publicPart = ({
  source: _source,
  activatedAt: _activatedAt,
  generation: _generation,
  credentialKey: _credentialKey,
  ...connection
}: ConnectionRecord): Connection => connection;

const leaveStatements = (leaves: readonly Leftover[]): Statement[] =>
  leaves.map(({ kind, name }) => ({
    sql: 'INSERT OR IGNORE INTO leftovers (kind, name) VALUES (?, ?)',
    params: [kind, name],
  }));

/** The name in an unreadable row, to tell the analyst which one it is. */
function nameIn(row: Row): string {
  try {
    const settings: unknown = JSON.parse(row.settings);
    const name = isRecord(settings) ? settings['name'] : null;
    return typeof name === 'string' && name !== '' ? name : row.id;
  } catch {
    return row.id;
  }
}

export class Records {
  readonly #workspace: Database;
  readonly #records = new Map<string, ConnectionRecord>();
  #activeId: string | null = null;
  /** Credential keys of unreadable rows, which must be kept. */
  #others: string[] = [];

  constructor(workspace: Database) {
    this.#workspace = workspace;
  }

  /** Returns a warning for each unreadable row; the rows themselves are kept. */
  async load(): Promise<string[]> {
    const rows = await this.#workspace.all<Row>('SELECT * FROM connections ORDER BY created_at, id');
    const active = await this.#workspace.get<{ value: string }>(
      "SELECT value FROM kv WHERE key = 'core:active'",
    );
    this.#records.clear();
    this.#others = [];
    const unreadable: string[] = [];
    for (const row of rows) {
      try {
        this.#records.set(row.id, this.#fromRow(row));
      } catch {
        unreadable.push(nameIn(row));
        if (row.credential_key !== null) this.#others.push(row.credential_key);
      }
    }
    const activeId = [...this.#records.keys()].find((id) => JSON.stringify(id) === active?.value);
    this.#activeId = activeId ?? null;
    return unreadable;
  }

  list(): Connection[] {
    return [...this.#records.values()].map(publicPart);
  }

  /** Keys of all credentials in use, including those of unreadable rows. */
  credentialKeys(): string[] {
    return [
      ...[...this.#records.values()].flatMap(({ credentialKey }) => credentialKey ?? []),
      ...this.#others,
    ];
  }

  /** Rejects `no-connection`. */
  get(id: string): ConnectionRecord {
    const record = this.#records.get(id);
    if (record === undefined)
      throw new ParapetError('no-connection', 'That connection no longer exists. Choose another one.', {
        data: { connectionId: id },
      });
    return record;
  }

  find(matches: (record: ConnectionRecord) => boolean): ConnectionRecord | null {
    return [...this.#records.values()].find(matches) ?? null;
  }

  /** Saves the connection together with what that leaves to be removed, in one transaction. */
  async save(record: ConnectionRecord, leaves: readonly Leftover[] = []): Promise<void> {
    const {
      id,
      hasCredential: _hasCredential,
      sourceLabel: _,
      createdAt,
      source: from,
      activatedAt,
      generation,
      credentialKey,
      ...settings
    } = record;
    await this.#workspace.write([
      {
        sql: `INSERT INTO connections
              (id, settings, source, created_at, activated_at, generation, credential_key)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, source = excluded.source,
              generation = excluded.generation,
              credential_key = excluded.credential_key`,
        params: [
          id,
          JSON.stringify(settings),
          from === null ? null : JSON.stringify(from),
          createdAt,
          activatedAt,
          generation,
          credentialKey,
        ],
      },
      ...leaveStatements(leaves),
    ]);
    this.#records.set(id, record);
  }

  async remove(id: string, leaves: readonly Leftover[] = []): Promise<void> {
    // Everything that belongs to the connection is removed, except the journal.
    await this.#workspace.write([
      { sql: 'DELETE FROM connections WHERE id = ?', params: [id] },
      {
        sql: "DELETE FROM kv WHERE key IN ('tabs:' || ?1, 'favourites:' || ?1, 'recent:' || ?1)",
        params: { 1: id },
      },
      {
        sql: "DELETE FROM kv WHERE key LIKE 'draft:%' AND iif(json_valid(value), json_extract(value, '$.connectionId'), NULL) = ?",
        params: [id],
      },
      ...leaveStatements(leaves),
    ]);
    this.#records.delete(id);
    if (this.#activeId === id) this.#activeId = null;
  }

  /** Records what has to be removed, unless a connection comes to use it. */
  async leave(leaves: readonly Leftover[]): Promise<void> {
    await this.#workspace.write(leaveStatements(leaves));
  }

  /** Leftovers to be removed that no connection uses. */
  leftovers(): Promise<Leftover[]> {
    return this.#workspace.all<Leftover>(
      `SELECT kind, name FROM leftovers WHERE kind <> 'credential'
          OR name NOT IN (SELECT credential_key FROM connections WHERE credential_key IS NOT NULL)`,
    );
  }

  async removed({ kind, name }: Leftover): Promise<void> {
    await this.#workspace.write([
      { sql: 'DELETE FROM leftovers WHERE kind = ? AND name = ?', params: [kind, name] },
    ]);
  }

  /** The most recently activated connection, or null if there is none. */
  active(): ConnectionRecord | null {
    return this.#activeId === null ? null : (this.#records.get(this.#activeId) ?? null);
  }

  async setActive(id: string | null, time: number): Promise<void> {
    await this.#workspace.write([
      putValue('core:active', JSON.stringify(id), time),
      { sql: 'UPDATE connections SET activated_at = ? WHERE id = ?', params: [time, id] },
    ]);
    this.#activeId = id;
    const record = id === null ? undefined : this.#records.get(id);
    if (record !== undefined) this.#records.set(record.id, { ...record, activatedAt: time });
  }

  #fromRow(row: Row): ConnectionRecord {
    const from = row.source === null ? null : source.parse(JSON.parse(row.source));
    return {
      ...connectionSettings.parse(JSON.parse(row.settings)),
      id: row.id,
      hasCredential: row.credential_key !== null,
      sourceLabel:
        from?.kind === 'evidence' ? (from.path.split(/[\\/]/).findLast((part) => part !== '') ?? null) : null,
      createdAt: row.created_at,
      source: from,
      activatedAt: row.activated_at,
      generation: row.generation,
      credentialKey: row.credential_key,
    };
  }
}
