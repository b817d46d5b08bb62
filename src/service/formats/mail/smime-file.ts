/** S/MIME content saved as a file (`smime.p7m`), without the mail that it came in. */

import { readSmime } from '../crypto/smime.ts';
import { Unpacking } from '../crypto/unpacking.ts';
import { startsMail } from '../files/mail-start.ts';
import { inBase64 } from '../files/transfer.ts';
import { headerEnd, PART_START } from './header-block.ts';

/** The file is intact, and holds something other than mail. */
export class NotMailError extends Error {}

/** Fields of the part itself, which the mail around it has, too. */
const OWN_FIELD = /^(?:content-|mime-version[ \t]*:)/i;

/** The fields of a signed mail, such as From and Subject, which are those of the mail around it. */
const fieldsOf = (content: Buffer): string[] =>
  content
    .toString('latin1', 0, headerEnd(content).end)
    .trim()
    .split(/\r?\n(?![ \t])/)
    .filter((field) => !OWN_FIELD.test(field));

/**
 * The file in a mail of its own, as a mail program would have sent it, so that its content is read and marked as it is in
 * any mail. Throws, in words: it is encrypted or damaged; NotMailError: no mail or part of one is in it.
 */
export function mailOfSmime(bytes: Buffer): { mail: Buffer; isDamaged: boolean } {
  const read = readSmime(bytes, new Unpacking());
  if (read.kind === 'encrypted')
    throw new Error('encrypted with S/MIME: only the key of its recipient opens it');
  if (read.kind === 'unread') throw new Error(`S/MIME that is not opened: ${read.reason}`);
  if (read.kind === 'empty')
    throw new NotMailError('S/MIME without content, only certificates or a signature');
  const { content, isCut } = read;
  const isPart = PART_START.test(content.toString('latin1', 0, 100));
  if (!isPart && !startsMail(content)) throw new NotMailError('a signed file whose content is not a mail');
  const head = [
    ...fieldsOf(content),
    'MIME-Version: 1.0',
    'Content-Type: application/pkcs7-mime; name="smime.p7m"',
    'Content-Disposition: attachment; filename="smime.p7m"',
    'Content-Transfer-Encoding: base64',
    '',
    inBase64(bytes),
    '',
  ];
  return { mail: Buffer.from(head.join('\r\n'), 'latin1'), isDamaged: isCut };
}
