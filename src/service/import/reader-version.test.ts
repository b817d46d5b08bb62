/** Evidence that was imported before a field of a reader existed gets it only when the reader's version changes. */
import { expect, it } from 'vitest';
import { parseMessage } from '../formats/mail/parse.ts';
import { signinReader } from '../formats/signins/signin-row.ts';
import { READER } from './ingest-evidence.ts';
import { LOG_READER } from './ingest-signins.ts';

const FIELDS = [
  'active',
  'attachedArchives',
  'attachedMails',
  'attachments',
  'auth',
  'author',
  'bcc',
  'cc',
  'clientIp',
  'delivered',
  'from',
  'headerCharset',
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
  'sender',
  'sentAt',
  'shownText',
  'signedBodies',
  'size',
  'subject',
  'text',
  'to',
  'unsearched',
];

it('a new field of a parsed mail comes with a new READER: change FIELDS and the version here', async () => {
  const result = await parseMessage(Buffer.from('From: a@x.example\r\nSubject: s\r\n\r\nHello\r\n'));
  expect(READER).toBe('40');
  expect(result.ok ? Object.keys(result.mail).sort() : result.reason).toEqual(FIELDS);
});

it('a sign-in that is read differently comes with a new LOG_READER: change the result and the version here', () => {
  const read = signinReader()(
    new Map<string, unknown>([
      ['createddatetime', '2026-11-18T09:30:00Z'],
      ['userprincipalname', 'Ann@corp.example'],
      ['ipaddress', '192.0.2.7:443'],
      ['errorcode', 0],
      ['city', 'Zürich'],
      ['countryorregion', 'ch'],
    ]),
  );
  expect([LOG_READER, read]).toEqual([
    '9',
    {
      login: {
        saas: 'evidence',
        failed: false,
        at: Date.UTC(2026, 10, 18, 9, 30),
        user: 'Ann@corp.example',
        ip: '192.0.2.7',
        lat: expect.closeTo(47.4, 0),
        lon: expect.closeTo(8.5, 0),
        country: 'CH',
        city: 'Zürich',
        count: 1,
      },
      identity: {
        hex: '990d2cd75673170189c3a651910db0d686961fa098ab20074a24cbd6309b044a',
        isUnique: false,
      },
      placed: 'city',
      isInterrupted: false,
      lacksAddress: false,
      guessesDate: false,
    },
  ]);
});
