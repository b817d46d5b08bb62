/** The rows of a set as chunks of a file, in order, at constant memory. SQLite renders them in the reader workers. */
import type { Cell } from '#shared/model/entities.ts';
import type { Context } from '../core/context.ts';
import { decodeRow, selection } from '../results/encode.ts';
import type { SetRecord } from '../results/record.ts';
import type { SqlValue } from '../store/database.ts';
import { csvLine, ndjsonLine } from './cells.ts';
import { type Choice, type ChunkSource, chunkSql, type Format } from './chunk-sql.ts';

const CHUNK_ROWS = 1_000;
/** A chunk of the widest rows stays below this. */
const CHUNK_CHARACTERS = 16 * 1024 * 1024;
/** Chunks rendered at once: one per reader, and one that waits, so that no reader idles while one is written. */
const AHEAD = 3;

export interface Walk {
  record: SetRecord;
  source: ChunkSource;
  /** Rows to write: positions or ranks from 0 to this. */
  count: number;
  format: Format;
  choices: readonly Choice[];
  raw: boolean;
}

const utf8 = new TextEncoder();

async function renderInScript(ctx: Context, walk: Walk, from: number, to: number): Promise<Uint8Array> {
  const { record, choices, raw } = walk;
  const rows = await ctx.cache.rows(`SELECT ${selection(record.columns, 'r')} ${walk.source.from}`, {
    from,
    to,
  });
  const ids = choices.map((choice) => choice.id);
  const line = (cells: readonly SqlValue[]): string => {
    const values = decodeRow(record.columns, cells);
    // The entity id leads the decoded row.
    const chosen = choices.map(({ index }): Cell => values[index + 1] ?? null);
    return walk.format === 'csv' ? csvLine(chosen, raw) : ndjsonLine(ids, chosen);
  };
  return utf8.encode(rows.map(line).join(''));
}

/** Writes every chunk in order and answers the rows written. `written` is called after each chunk. */
export async function walkRows(
  ctx: Context,
  walk: Walk,
  write: (bytes: Uint8Array) => Promise<void>,
  written: (rows: number) => Promise<void>,
): Promise<number> {
  const sql = chunkSql(walk.source, walk.format, walk.choices, walk.raw);
  const step = Math.max(1, Math.min(CHUNK_ROWS, Math.floor(CHUNK_CHARACTERS / (walk.record.widest + 1))));
  const render = async (from: number): Promise<Uint8Array> => {
    const to = Math.min(from + step, walk.count);
    const [row] = await ctx.cache.rows(sql, { from, to });
    const [bytes, odd] = row ?? [];
    if (odd === 0) return bytes instanceof Uint8Array ? bytes : new Uint8Array();
    return renderInScript(ctx, walk, from, to);
  };
  const ahead: Promise<Uint8Array>[] = [];
  let asked = 0;
  let done = 0;
  const ask = () => {
    while (ahead.length < AHEAD && asked < walk.count) {
      const chunk = render(asked);
      // Awaited in order below; a later one that fails first must not count as unhandled.
      chunk.catch(() => undefined);
      ahead.push(chunk);
      asked += step;
    }
  };
  for (ask(); ahead.length > 0; ask()) {
    const bytes = await ahead.shift()!;
    await write(bytes);
    done = Math.min(done + step, walk.count);
    await written(done);
  }
  return done;
}
