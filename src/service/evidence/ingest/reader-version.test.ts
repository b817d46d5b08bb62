/** Evidence that was imported before a field of the reader existed gets it only when READER changes. */
import { expect, it } from 'vitest';
import { parseMessage } from '../reader/parse.ts';
import { READER } from './ingest-evidence.ts';

const FIELDS = [
  'active',
  'attachedMails',
  'attachments',
  'auth',
  'author',
  'bcc',
  'cc',
  'clientIp',
  'from',
  'headers',
  'hopIps',
  'html',
  'images',
  'inReplyTo',
  'isEncrypted',
  'links',
  'messageId',
  'parts',
  'problems',
  'receivedAt',
  'references',
  'replyTo',
  'returnPath',
  'said',
  'sender',
  'sentAt',
  'size',
  'subject',
  'text',
  'to',
];

it('a new field of a parsed mail comes with a new READER: change FIELDS and the version here', async () => {
  const result = await parseMessage(Buffer.from('From: a@x.example\r\nSubject: s\r\n\r\nHello\r\n'));
  expect(READER).toBe('18');
  expect(result.ok ? Object.keys(result.mail).sort() : result.reason).toEqual(FIELDS);
});
