/** Executes the pool's requests on one connection. Synchronous; lives in a worker thread. */
import type Sqlite from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { SqlParams } from './database.ts';
import type { StoreRequest } from './protocol.ts';
import type { Ingested, IngestTask } from './tasks.ts';

const STATEMENTS_KEPT = 200;
const SLOW_MS = 250;

export interface Engine {
  run(request: StoreRequest): unknown;
}

export interface EngineOptions {
  onSlow: (ms: number, sql: string) => void;
  /** Called before each request. */
  begin?: () => void;
  /** Stores pages of result sets. */
  ingest?: (task: IngestTask) => Ingested;
}

export function createEngine(db: Sqlite.Database, { onSlow, begin, ingest }: EngineOptions): Engine {
  const statements = new LRUCache<string, Sqlite.Statement>({ max: STATEMENTS_KEPT });

  const prepared = (sql: string): Sqlite.Statement => {
    const existingStatement = statements.get(sql);
    if (existingStatement !== undefined) return existingStatement;
    const statement = db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };

  // An array binds by position, an object by name; the driver takes either as one argument.
  const bind = (params: SqlParams | undefined) => (params === undefined ? [] : [params]);

  const answer = (request: StoreRequest): unknown => {
    switch (request.type) {
      case 'all':
        return prepared(request.sql)
          .raw(false)
          .all(...bind(request.params));
      case 'get':
        return prepared(request.sql)
          .raw(false)
          .get(...bind(request.params));
      case 'rows':
        return prepared(request.sql)
          .raw(true)
          .all(...bind(request.params));
      case 'integers': {
        const statement = prepared(request.sql).pluck(true);
        try {
          return Uint32Array.from(statement.all(...bind(request.params)) as number[]);
        } finally {
          statement.pluck(false);
        }
      }
      case 'write':
        return db
          .transaction(() =>
            request.statements.map(({ sql, params, many, each: numbers }) => {
              const statement = prepared(sql);
              if (numbers !== undefined) {
                for (const number of numbers) statement.run(number);
                return { changes: numbers.length, lastInsertRowid: 0 };
              }
              if (many === undefined) return outcome(statement.run(...bind(params)));
              const total = { changes: 0, lastInsertRowid: 0 };
              for (const each of many) {
                const ran = outcome(statement.run(...bind(each)));
                total.changes += ran.changes;
                total.lastInsertRowid = ran.lastInsertRowid;
              }
              return total;
            }),
          )
          .immediate();
      case 'ingest':
        if (ingest === undefined) throw new Error('this connection stores no pages');
        return ingest(request.task);
      case 'search':
      case 'columns':
      case 'forget':
      case 'cancel':
        throw new Error(`this connection does not ${request.type}`);
      case 'maintain':
        db.exec(request.sql);
        return null;
      case 'close':
        statements.clear();
        if (!db.readonly) {
          db.pragma('optimize');
          db.pragma('wal_checkpoint(TRUNCATE)');
        }
        db.close();
        return null;
    }
  };

  return {
    run(request) {
      const started = performance.now();
      begin?.();
      try {
        return answer(request);
      } finally {
        const ms = performance.now() - started;
        if (ms > SLOW_MS) onSlow(Math.round(ms), describe(request));
      }
    },
  };
}

const outcome = (ran: Sqlite.RunResult) => ({
  changes: ran.changes,
  lastInsertRowid: Number(ran.lastInsertRowid),
});

/** Only the SQL, never the values, which may be mail content. */
function describe(request: StoreRequest): string {
  if (request.type === 'write')
    return request.statements
      .map((statement) => statement.sql)
      .join('; ')
      .slice(0, 500);
  return 'sql' in request ? request.sql.slice(0, 500) : request.type;
}
