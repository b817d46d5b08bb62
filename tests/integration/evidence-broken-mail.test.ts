/** Mails of other tools' bug reports, whose lines, headers and parts are broken, compared with what they say. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseMessage } from '#service/formats/mail/parse.ts';
import type { ParsedMail } from '#service/formats/mail/types.ts';
import { recordOf } from '#service/import/email-record.ts';
import type { EmailRecord } from '#service/store/records.ts';

const shared = process.env['PARAPET_SHARED'] ?? path.join(import.meta.dirname, '..', '..', '..', 'shared');
const folder = path.join(shared, 'data', 'reports', 'mail');

const files = ({ attachments }: ParsedMail) =>
  attachments.map(({ declaredName, size }) => [declaredName, size]);
const instant = (time: number | null) => (time === null ? null : new Date(time).toISOString());

describe.skipIf(!existsSync(folder))('broken mail (needs the shared mail folder)', () => {
  it.each<[string, (mail: ParsedMail, record: EmailRecord) => unknown, unknown, RegExp | null]>([
    ['01-crcrlf', files, [['a.pdf', 13]], /CR CR LF/],
    [
      '02-no-blank-line',
      ({ links }) => links.map(({ url }) => url),
      ['http://evil.example/first', 'http://evil.example/second'],
      /empty line .* is missing/,
    ],
    ['06-b64-unaligned', ({ subject }) => subject, 'Rechnung überfällig – bitte zahlen', /cut between/],
    ['07-nosemicolon', files, [['request.ics', 32]], /semicolon is missing/],
    [
      '07b-nosemicolon-html',
      (mail) => [files(mail), mail.html],
      [[['invoice.html', 44]], ''],
      /semicolon is missing/,
    ],
    ['08-parens', files, [['Invoice (final) March.pdf.exe', 13]], /brackets/],
    [
      '10-sendgrid',
      ({ receivedAt }) => instant(receivedAt),
      '2024-03-05T10:11:12.000Z',
      /another place or form/,
    ],
    ['11-tonline', ({ clientIp }) => clientIp, '198.51.100.7', null],
    [
      '12-yahoo-ar',
      ({ auth: { spf, dkim, dmarc } }) => [spf, dkim, dmarc],
      ['claimed pass', 'claimed pass', 'claimed pass'],
      /lacks semicolons/,
    ],
    [
      '13-date-es',
      ({ sentAt }) => instant(sentAt),
      '2007-08-30T13:55:12.000Z',
      /read as 2007-08-30T13:55:12/,
    ],
    ['18-not-base64', files, [['order.xml', 49]], /declared as base64 is text/],
    [
      '20-delivered-to',
      (_, { recipients }) => recipients.map(({ kind, email }) => [kind, email]),
      [['delivered', 'victim@corp.example']],
      null,
    ],
    ['23-scl', (_, { scans }) => scans[0]?.code, 'spm', null],
    ['24-no-to', (_, { recipients }) => recipients, [], null],
    ['25-name-comment', ({ author }) => author?.name, 'Jillian Easy (DHL Delivery)', null],
  ])('%s', async (name, look, value, problem) => {
    const raw = readFileSync(path.join(folder, `${name}.eml`));
    const result = await parseMessage(raw);
    if (!result.ok) throw new Error(result.reason);
    expect(look(result.mail, recordOf(result.mail, raw, 'a'.repeat(64)))).toEqual(value);
    if (problem === null) expect(result.mail.problems).toEqual([]);
    else expect(result.mail.problems.join('; ')).toMatch(problem);
  });
});
