/** A thread that parses mails for an import. It has no database, and ends with the import. */
import type { MessagePort } from 'node:worker_threads';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { PoolReply, PoolRequest } from '#workers/worker-pool.ts';
import type { SqlValue } from '../../store/store.ts';
import { readMail } from '../reader/read-mail.ts';
import type { EvidenceMail, MailResult } from '../reader/types.ts';
import { type KeptMail, keptReading } from './kept-mail.ts';

/** All `raw` are views of one buffer. */
export interface RawMails {
  type: 'parse';
  mails: { raw: Uint8Array<ArrayBuffer>; sha256: string }[];
}

type Cells = Record<string, SqlValue>;

function blobRows(mail: EvidenceMail<KeptMail>, rows: Cells[]): void {
  for (const table of ['raw', 'shown', 'headers'] as const) {
    const row = mail.rows[table];
    if (row !== null) rows.push(row);
  }
  for (const { content } of mail.attached) if (content !== null) blobRows(content, rows);
}

/** All bytes of these mails in one buffer, which is moved: each of its own costs as much as parsing a header. */
function together(results: readonly MailResult<KeptMail>[]): ArrayBuffer {
  const rows: Cells[] = [];
  for (const result of results) if (result.ok) blobRows(result.mail, rows);
  const blobs = rows.flatMap((row) =>
    Object.entries(row).flatMap(([column, value]) =>
      value instanceof Uint8Array ? [{ row, column, value }] : [],
    ),
  );
  const all = new Uint8Array(blobs.reduce((sum, { value }) => sum + value.length, 0));
  let end = 0;
  for (const { row, column, value } of blobs) {
    all.set(value, end);
    row[column] = new Uint8Array(all.buffer, end, value.length);
    end += value.length;
  }
  return all.buffer;
}

export function runParser(believed: readonly string[], port: MessagePort): void {
  const reading = keptReading(believed);
  const say = (reply: PoolReply, moved: ArrayBuffer[] = []): void => port.postMessage(reply, moved);

  async function parse({ id, mails }: RawMails & { id: number }): Promise<void> {
    try {
      const value: MailResult<KeptMail>[] = [];
      for (const { raw, sha256 } of mails)
        value.push(await readMail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), sha256, reading));
      say({ type: 'done', id, value }, [together(value)]);
    } catch (error) {
      say({ type: 'fail', id, error: toBridgeError(error) });
    }
  }

  port.on('message', (request: PoolRequest<RawMails>) => {
    if (request.type === 'close') port.close();
    else if (request.type === 'parse') void parse(request);
  });
  say({ type: 'open' });
}
