/** A thread that parses mails for an import. It has no database, and ends with the import. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { cancelled, toBridgeError } from '#shared/bridge/errors.ts';
import type { PoolReply, PoolRequest } from '#workers/worker-pool.ts';
import type { DkimKeys } from '../formats/mail/dkim-keys.ts';
import { readMail } from '../formats/mail/read-mail.ts';
import type { MailResult } from '../formats/mail/types.ts';
import { WITH_BYTES } from '../store/email-rows.ts';
import type { EvidenceMail, KeptMail } from '../store/evidence.ts';
import type { SqlValue } from '../store/stored-values.ts';
import { keptReading } from './kept-mail.ts';

/** All `raw` are views of one buffer. */
export interface RawMails {
  type: 'parse';
  mails: { raw: Uint8Array<ArrayBuffer>; sha256: string; isParted: boolean }[];
}

/** Calls back for each cell of bytes, with its row and column. */
function eachBlob(mail: EvidenceMail<KeptMail>, visit: (row: SqlValue[], index: number) => void): void {
  for (const table of WITH_BYTES)
    for (const row of mail.rows[table]?.values ?? [])
      for (let index = 0; index < row.length; index++)
        if (row[index] instanceof Uint8Array) visit(row, index);
  for (const { content } of mail.attached) if (content !== null) eachBlob(content, visit);
}

/** Copies all bytes of these mails into one buffer to transfer: each buffer costs as much as parsing a header. */
function together(results: readonly MailResult<KeptMail>[]): ArrayBuffer {
  const blobs: { row: SqlValue[]; column: number; bytes: Uint8Array }[] = [];
  for (const result of results)
    if (result.ok)
      eachBlob(result.mail, (row, index) => {
        const bytes = row[index];
        if (bytes instanceof Uint8Array) blobs.push({ row, column: index, bytes });
      });
  const all = new Uint8Array(blobs.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let end = 0;
  for (const { row, column, bytes } of blobs) {
    all.set(bytes, end);
    row[column] = new Uint8Array(all.buffer, end, bytes.length);
    end += bytes.length;
  }
  return all.buffer;
}

export function runParser(believed: readonly string[], port: MessagePort, keys?: DkimKeys): void {
  const reading = keptReading(believed, keys);
  const say = (reply: PoolReply, moved: ArrayBuffer[] = []): void => port.postMessage(reply, moved);

  async function parse({ id, mails }: RawMails & { id: number }): Promise<void> {
    try {
      const value: MailResult<KeptMail>[] = [];
      for (const { raw, ...mail } of mails)
        value.push(
          await readMail({ ...mail, raw: Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength) }, reading),
        );
      // The input goes back, too: it has waited so long that only a full garbage collection would free it here.
      say({ type: 'done', id, value }, [together(value), ...mails.slice(0, 1).map(({ raw }) => raw.buffer)]);
    } catch (error) {
      say({ type: 'fail', id, error: toBridgeError(error) });
    }
  }

  const waiting = new Map<number, RawMails & { id: number }>();
  let isBusy = false;
  // In order, one at a time: if the thread dies, the first unanswered one was in progress.
  async function parseAll(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    for (const request of waiting.values()) {
      waiting.delete(request.id);
      await parse(request);
      // Cancellations that arrived meanwhile are received in another turn of the event loop.
      await nextTurn();
    }
    isBusy = false;
  }
  port.on('message', (request: PoolRequest<RawMails>) => {
    if (request.type === 'parse') {
      waiting.set(request.id, request);
      void parseAll();
    } else if (request.type === 'close') {
      waiting.clear();
      port.close();
    } else if (waiting.delete(request.id))
      say({ type: 'fail', id: request.id, error: toBridgeError(cancelled()) });
  });
  say({ type: 'open' });
}
