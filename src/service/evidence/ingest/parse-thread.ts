/** A thread that parses mails for an import. It has no database, and ends with the import. */
import type { MessagePort } from 'node:worker_threads';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { PoolReply, PoolRequest } from '#workers/worker-pool.ts';
import type { EmailRows } from '../../store/ingest-emails.ts';
import { readMail } from '../reader/read-mail.ts';
import type { EvidenceMail, MailResult } from '../reader/types.ts';
import { type KeptMail, keptReading } from './kept-mail.ts';

export interface RawMails {
  type: 'parse';
  mails: { raw: Uint8Array<ArrayBuffer>; sha256: string }[];
}

/** A view is copied to the other thread with all of its buffer: only what it shows goes, and is moved. */
function lone(row: EmailRows['raw'], moved: ArrayBuffer[]): EmailRows['raw'] {
  if (row === null) return null;
  const cells = Object.entries(row).map(([column, value]) => {
    if (!(value instanceof Uint8Array)) return [column, value];
    const own = new Uint8Array(value);
    moved.push(own.buffer);
    return [column, own];
  });
  return Object.fromEntries(cells);
}

function collect(mail: EvidenceMail<KeptMail>, moved: ArrayBuffer[]): void {
  for (const table of ['raw', 'shown', 'headers'] as const) mail.rows[table] = lone(mail.rows[table], moved);
  for (const { content } of mail.attached) if (content !== null) collect(content, moved);
}

export function runParser(believed: readonly string[], port: MessagePort): void {
  const reading = keptReading(believed);
  const say = (reply: PoolReply, moved: ArrayBuffer[] = []): void => port.postMessage(reply, moved);

  async function parse({ id, mails }: RawMails & { id: number }): Promise<void> {
    try {
      const value: MailResult<KeptMail>[] = [];
      const moved: ArrayBuffer[] = [];
      for (const { raw, sha256 } of mails) {
        const result = await readMail(Buffer.from(raw.buffer), sha256, reading);
        if (result.ok) collect(result.mail, moved);
        value.push(result);
      }
      say({ type: 'done', id, value }, moved);
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
