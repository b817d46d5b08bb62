/** The connections of the workspace, held in memory: reading one is synchronous everywhere in the core. */
import { z } from 'zod';
import { ParapetError } from '#shared/bridge/errors.ts';
import { type Connection, connectionSettings } from '#shared/bridge/operations.ts';
import type { EmbeddedSource } from '#shared/embedded.ts';
import type { Database } from '../store/database.ts';

const source: z.ZodType<EmbeddedSource> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('demo'),
    emails: z.number().int().positive(),
    seed: z.number().int().nonnegative(),
  }),
  z.object({ kind: z.literal('evidence'), path: z.string() }),
]);

export interface ConnectionRecord extends Connection {
  /** What the embedded service is started with; null for a tenant. */
  source: EmbeddedSource | null;
  activatedAt: number | null;
}

export interface Records {
  load(): Promise<void>;
  list(): Connection[];
  /** Rejects `no-connection`. */
  get(id: string): ConnectionRecord;
  find(matches: (record: ConnectionRecord) => boolean): ConnectionRecord | null;
  save(record: ConnectionRecord): Promise<void>;
  remove(id: string): Promise<void>;
  /** The connection that was current last; null: none is. */
  active(): ConnectionRecord | null;
  setActive(id: string | null, at: number): Promise<void>;
}

interface Row {
  id: string;
  settings: string;
  source: string | null;
  has_credential: number;
  created_at: number;
  activated_at: number | null;
}

export const publicPart = ({ source: _, activatedAt: __, ...connection }: ConnectionRecord): Connection =>
  connection;

export function createRecords(workspace: Database): Records {
  const records = new Map<string, ConnectionRecord>();
  let activeId: string | null = null;

  const fromRow = (row: Row): ConnectionRecord => {
    const from = row.source === null ? null : source.parse(JSON.parse(row.source));
    return {
      ...connectionSettings.parse(JSON.parse(row.settings)),
      id: row.id,
      hasCredential: row.has_credential === 1,
      sourceLabel:
        from?.kind === 'evidence' ? (from.path.split(/[\\/]/).findLast((part) => part !== '') ?? null) : null,
      createdAt: row.created_at,
      source: from,
      activatedAt: row.activated_at,
    };
  };

  return {
    async load() {
      records.clear();
      const rows = await workspace.all<Row>('SELECT * FROM connections ORDER BY created_at, id');
      for (const row of rows) records.set(row.id, fromRow(row));
      const active = await workspace.get<{ value: string }>("SELECT value FROM kv WHERE key = 'core:active'");
      const wanted: unknown = active === undefined ? null : JSON.parse(active.value);
      activeId = typeof wanted === 'string' && records.has(wanted) ? wanted : null;
    },
    list: () => [...records.values()].map(publicPart),
    get(id) {
      const record = records.get(id);
      if (record === undefined)
        throw new ParapetError(
          'no-connection',
          'That connection does not exist any more. Choose another one.',
          {
            data: { connectionId: id },
          },
        );
      return record;
    },
    find: (matches) => [...records.values()].find(matches) ?? null,
    async save(record) {
      const { id, hasCredential, sourceLabel: _, createdAt, source: from, activatedAt, ...settings } = record;
      await workspace.write([
        {
          sql: `INSERT INTO connections (id, settings, source, has_credential, created_at, activated_at)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, source = excluded.source,
              has_credential = excluded.has_credential`,
          params: [
            id,
            JSON.stringify(settings),
            from === null ? null : JSON.stringify(from),
            hasCredential ? 1 : 0,
            createdAt,
            activatedAt,
          ],
        },
      ]);
      records.set(id, record);
    },
    async remove(id) {
      // What belongs to the connection goes with it; the journal stays, it says what was done.
      await workspace.write([
        { sql: 'DELETE FROM connections WHERE id = ?', params: [id] },
        {
          sql: "DELETE FROM kv WHERE key IN ('tabs:' || ?1, 'favourites:' || ?1, 'recent:' || ?1)",
          params: { 1: id },
        },
        {
          sql: "DELETE FROM kv WHERE key LIKE 'draft:%' AND json_extract(value, '$.connectionId') = ?",
          params: [id],
        },
      ]);
      records.delete(id);
      if (activeId === id) activeId = null;
    },
    active: () => (activeId === null ? null : (records.get(activeId) ?? null)),
    async setActive(id, at) {
      activeId = id;
      await workspace.write([
        {
          sql: `INSERT INTO kv (key, value, updated_at) VALUES ('core:active', ?, ?)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
          params: [JSON.stringify(id), at],
        },
        { sql: 'UPDATE connections SET activated_at = ? WHERE id = ?', params: [at, id] },
      ]);
      const record = id === null ? undefined : records.get(id);
      if (record !== undefined) records.set(record.id, { ...record, activatedAt: at });
    },
  };
}
