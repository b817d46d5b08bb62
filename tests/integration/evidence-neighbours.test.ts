/** Neighbours of the mails of other tools' bug reports: other charsets, line ends, spellings, languages and gateways. */
import iconv from 'iconv-lite';
import { expect, it } from 'vitest';
import { parseMessage } from '#service/formats/mail/parse.ts';
import type { ParsedMail } from '#service/formats/mail/types.ts';
import { recordOf } from '#service/import/email-record.ts';
import type { EmailRecord } from '#service/store/records.ts';

const base64 = (text: string, charset = 'utf8') => iconv.encode(text, charset).toString('base64');
/** Texts in the charsets of their mails, as the bytes of one raw message. */
const raw = (text: string, charset = 'utf8') => iconv.encode(text, charset).toString('latin1');
const bytes = (message: string) => Buffer.from(message, 'latin1');

const HEAD =
  'From: Ann <ann@alpha.example>\r\nTo: bob@beta.example\r\nDate: Tue, 05 Mar 2024 10:11:12 +0000\r\nMIME-Version: 1.0\r\n';
const PDF = 'JVBERi0xLjQgZmlsZQ==';
const subjectIs = (subject: string, more = '', body = 'x') =>
  bytes(`${HEAD}Subject: ${subject}\r\n${more}\r\n${body}`);
const bodyIs = (type: string, body: string, encoding = '8bit') =>
  bytes(
    `${HEAD}Subject: s\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`,
  );
const part = (fields: string, body = PDF, encoding = 'base64') =>
  bytes(
    `${HEAD}Subject: s\r\nContent-Type: multipart/mixed; boundary="bb"\r\n\r\n--bb\r\nContent-Type: text/plain\r\n\r\nsee file\r\n--bb\r\n${fields}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n--bb--\r\n`,
  );
const topped = (fields: string) => bytes(`${fields}\r\n${HEAD}Subject: s\r\n\r\nx\r\n`);
const fromIs = (from: string) =>
  bytes(`From: ${from}\r\nSubject: s\r\nDate: Tue, 05 Mar 2024 10:11:12 +0000\r\n\r\nx\r\n`);
const toIs = (fields: string) =>
  bytes(
    `From: a@alpha.example\r\n${fields}\r\nSubject: s\r\nDate: Tue, 05 Mar 2024 10:11:12 +0000\r\n\r\nx\r\n`,
  );
const hops = (...all: string[]) =>
  topped(
    all.map((hop, index) => `Received: from ${hop}; Tue, 5 Mar 2024 10:20:${20 - index} +0000`).join('\r\n'),
  );
const PDF_PART = part('Content-Type: application/pdf; name=a.pdf').toString('latin1');

type Look = (mail: ParsedMail, record: EmailRecord) => unknown;
const files: Look = ({ attachments }) => attachments.map(({ declaredName, size }) => [declaredName, size]);
const subject: Look = ({ subject: text }) => text;
const text: Look = (mail) => mail.text.trim();
const page: Look = ({ html }) => html.replace(/<[^>]*>/g, '').trim();
const links: Look = (mail) => mail.links.map(({ url }) => url);
const author: Look = (mail) => [mail.author?.name, mail.author?.address];
const client: Look = ({ clientIp }) => clientIp;
const received: Look = ({ receivedAt }) => receivedAt && new Date(receivedAt).toISOString();
const sent: Look = ({ sentAt }) => sentAt && new Date(sentAt).toISOString();
const results: Look = ({ auth }) => [auth.spf, auth.dkim, auth.dmarc];
const recipients: Look = (_, record) => record.recipients.map(({ kind, email }) => [kind, email]);
const provider: Look = (_, { scans }) => scans[0]?.code;

const A_PDF = [['a.pdf', 13]];
const FIRST = 'http://evil.example/first';
const BOTH = [FIRST, 'http://evil.example/second'];
const ANCHORS = BOTH.map((url) => `<a href="${url}">pay</a>`).join('\r\n\r\n');
const BILL = 'Счёт на оплату';
const DUE = 'Rechnung überfällig – bitte zahlen';
const CUT = '=?utf-8?B?UmVjaG51bmcgw7xiZX?=\r\n =?utf-8?B?Jmw6RsbGlnIOKAkyBiaXR0ZSB6YWhsZW4=?=';
const NOON = '2007-08-30T13:55:12.000Z';

/** By iconv of glibc: 付款通知书; 中華民國 匯款通知; 彝餺鸞. */
const CN = '\x1b\x24)A\x0e86?nM(V*Ji\x0f';
const CN_BOTH = '\x1b\x24)A\x0eVP\x1b\x24)Ga^FaYO\x0f \x0ec>\x60!]WO!\x0f';
const CN_PLANES = '\x1b\x24)A\x0eRM\x1b\x24*H\x1bNdX\x1b\x24)G}J\x0f';
const REVERSED = PDF_PART.replaceAll('\r\n', '\n\r');

const KINDS: Readonly<Record<string, readonly (readonly [Buffer, Look, unknown])[]>> = {
  'line ends': [
    [bytes(PDF_PART.replaceAll('\r\n', '\r')), files, A_PDF],
    [bytes(PDF_PART.replaceAll('\r\n', '\r\r\r\n')), files, A_PDF],
    [bytes(PDF_PART.replace(/\r\n\r\n.*/s, (body) => body.replaceAll('\r\n', '\r\r\n'))), files, A_PDF],
    [bytes(PDF_PART.replaceAll('--bb\r\n', '--bb  \t\n')), files, A_PDF],
    [bytes(REVERSED), files, A_PDF],
    [bytes(REVERSED), subject, 's'],
    [bytes(`Received: from a by b;\n\r Tue, 5 Mar 2024 10:20:12 +0000\n\r${REVERSED}`), files, A_PDF],
    // A line of the body that begins with CR does not make lines end with LF CR.
    [bytes('Subject: s\r\n\r\nx\n\r\n\ry'), subject, 's'],
  ],
  'ISO-2022-CN': [
    [bodyIs('text/plain; charset=ISO-2022-CN', CN), text, '付款通知书'],
    [bodyIs('text/plain; charset=iso-2022-cn-ext', CN_BOTH), text, '中華民國 匯款通知'],
    [bodyIs('text/plain; charset=ISO-2022-CN', CN_PLANES), text, '彝餺鸞'],
    [
      subjectIs(`=?ISO-2022-CN?B?${Buffer.from(CN, 'latin1').toString('base64')}?= (1)`),
      subject,
      '付款通知书 (1)',
    ],
    // The next line begins in ASCII, and a set that is not read shows its characters as unknown.
    [bodyIs('text/plain; charset=iso-2022-cn', `${CN.slice(0, -1)}\npay`), text, '付款通知书\npay'],
    [
      bodyIs('text/plain; charset=iso-2022-cn', '\x1b$)E\x0e86\x0f \x1b$*H\x1bN\x7f\x7f \x1b'),
      text,
      '\ufffd \ufffd \x1b',
    ],
  ],
  'names in single quotes': [
    [fromIs("'Alice Smith' <a@alpha.example>"), author, ['Alice Smith', 'a@alpha.example']],
    [fromIs(`"'PayPal'" <a@evil.example>`), author, ['PayPal', 'a@evil.example']],
    [fromIs("=?utf-8?Q?'Ren=C3=A9e'?= <a@alpha.example>"), author, ['Renée', 'a@alpha.example']],
    [fromIs("'a@bank.example' <a@evil.example>"), author, ['a@bank.example', 'a@evil.example']],
    [fromIs("'Smith, Alice' <a@alpha.example>"), author, ['Smith, Alice', 'a@alpha.example']],
    [fromIs("'Sean O'Brien' <a@alpha.example>"), author, ["Sean O'Brien", 'a@alpha.example']],
    [fromIs("'Tis Ann <a@alpha.example>"), author, ["'Tis Ann", 'a@alpha.example']],
    [fromIs("'Ann' or 'Bob' <a@alpha.example>"), author, ["'Ann' or 'Bob'", 'a@alpha.example']],
    [fromIs("'' <a@alpha.example>"), author, ["''", 'a@alpha.example']],
    [
      toIs("To: 'Smith, Alice' <a@alpha.example>, 'Bob' <b@beta.example>"),
      (mail) => mail.to.map(({ name }) => name),
      ['Smith, Alice', 'Bob'],
    ],
  ],
  'no empty line before the body': [
    [bytes(`${HEAD}Content-Type: text/plain\r\nDear Bob, see ${BOTH.join('\r\n\r\n')}\r\n`), links, BOTH],
    [bytes(`${HEAD}Content-Type: text/html\r\n<!DOCTYPE html>\r\n<html>${ANCHORS}`), links, BOTH],
    [part(`Content-Type: text/html\r\n${ANCHORS}`, '', '7bit'), links, BOTH],
    [
      bytes(
        `${HEAD}Content-Type: multipart/mixed; boundary=bb\r\n--bb\r\nContent-Type: text/plain\r\n\r\n${FIRST}\r\n--bb--`,
      ),
      links,
      [FIRST],
    ],
  ],
  'the wrong label of words and names': [
    [subjectIs('=?iso-8859-1?Q?R=C3=BCckerstattung?='), subject, 'Rückerstattung'],
    [subjectIs(`=?windows-1251?B?${base64(BILL)}?=`), subject, BILL],
    [subjectIs(`=?shift_jis?B?${base64('請求書の確認')}?=`), subject, '請求書の確認'],
    [subjectIs(`=?big5?B?${base64('付款通知書')}?=`), subject, '付款通知書'],
    [
      fromIs('=?iso-8859-2?Q?Dzie=C5=84_dobry?= <a@alpha.example>'),
      author,
      ['Dzień dobry', 'a@alpha.example'],
    ],
    [part("Content-Type: application/pdf; name*=iso-8859-1''M%C3%A4rz.pdf"), files, [['März.pdf', 13]]],
  ],
  'raw headers in the charset of a part': [
    [
      subjectIs(raw('付款通知', 'big5'), 'Content-Type: text/plain; charset=big5\r\n', raw('您好', 'big5')),
      subject,
      '付款通知',
    ],
    [
      subjectIs(raw('請求書のご確認', 'shiftjis'), 'Content-Type: text/html; charset=Shift_JIS\r\n'),
      subject,
      '請求書のご確認',
    ],
    [subjectIs(raw(BILL, 'koi8-r'), 'Content-Type: text/plain; charset=koi8-r\r\n'), subject, BILL],
  ],
  'question marks in Q words': [
    [subjectIs('=?ISO-8859-1?Q?Are you ready?? =E9t=E9?='), subject, 'Are you ready?? été'],
    [
      subjectIs('=?utf-8?Q?Track http://a.example/?id=3D5 now?='),
      subject,
      'Track http://a.example/?id=5 now',
    ],
    [
      fromIs('=?utf-8?Q?Need help? Support?= <a@alpha.example>'),
      author,
      ['Need help? Support', 'a@alpha.example'],
    ],
  ],
  'base64 that was cut, or in another alphabet': [
    [
      subjectIs(['UmVjaG5', '1bmcgw7xiZXJmw6', 'RsbGln'].map((word) => `=?utf-8?B?${word}?=`).join('\r\n ')),
      subject,
      'Rechnung überfällig',
    ],
    [fromIs(`${CUT} <a@alpha.example>`), author, [DUE, 'a@alpha.example']],
    [subjectIs('=?utf-8?B?w7xiZXLD?=\r\n =?utf-8?B?vGJlcg==?='), subject, 'überüber'],
    [subjectIs('=?utf-8?B?4oCTID8_Pw?='), subject, '– ???'],
  ],
  'parameters without semicolons, or under another name': [
    [part('Content-Type: application/pdf name="Invoice March.pdf"'), files, [['Invoice March.pdf', 13]]],
    [part('Content-Type: application/pdf, name="a.pdf"'), files, A_PDF],
    [part('Content-Type: application/pdf\r\nContent-Disposition: attachment: filename=a.pdf'), files, A_PDF],
    [part('Content-Type: application/pdf\r\nContent-Disposition: attachment; name=a.pdf'), files, A_PDF],
    [
      part('Content-Type: application/pdf; name="UTF-8\'\'Rechnung%20M%C3%A4rz.pdf"'),
      files,
      [['Rechnung März.pdf', 13]],
    ],
  ],
  'brackets in names': [
    [part('Content-Type: a/b; name=Invoice [1] (a).pdf.exe'), files, [['Invoice [1] (a).pdf.exe', 13]]],
    [part('Content-Type: a/b; name=(1)scan.zip'), files, [['(1)scan.zip', 13]]],
    [part('Content-Type: a/b; name=a (b (c)).js; size=4'), files, [['a (b (c)).js', 13]]],
  ],
  'pages whose own charset knows better': [
    [
      bodyIs(
        'text/html; charset=iso-8859-1',
        `<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=utf-8">${raw('您好，请查收')}`,
      ),
      page,
      '您好，请查收',
    ],
    [
      bodyIs('text/html; charset=big5', `<meta charset=gb2312>${raw('您好，请查收附件中的发票', 'gbk')}`),
      page,
      '您好，请查收附件中的发票',
    ],
    [
      bodyIs(
        'text/html',
        `<?xml version="1.0" encoding="windows-1251"?><html>${raw(BILL, 'win1251')}</html>`,
      ),
      page,
      BILL,
    ],
    [bodyIs('text/html; charset=us-ascii', `<meta charset="koi8-r">${raw(BILL, 'koi8-r')}`), page, BILL],
  ],
  'hops without time, with ports, or private': [
    [
      topped('Received: by mx.example with HTTP id a 2024-03-05 10:20:12 +0100'),
      received,
      '2024-03-05T09:20:12.000Z',
    ],
    [
      topped('Received: from a ([198.51.100.7]) by mx.example; (Tue, 5 Mar 2024 10:20:12 +0000)'),
      received,
      '2024-03-05T10:20:12.000Z',
    ],
    [hops('[2001:db8::7]:51773 by mx.example with HTTP'), client, '2001:db8::7'],
    [hops('smtp (EHLO smtp) ([198.51.100.7:51773]) by mx.example'), client, '198.51.100.7'],
    [hops('a.example ([198.51.100.7] port=51773 helo=x) by mx.example'), client, '198.51.100.7'],
    ...['10.1.2.3', 'IPv6:fec0::1', '100.64.1.3', 'IPv6:64:ff9b:1::7'].map(
      (ip) =>
        [
          hops('gw.example ([198.51.100.9]) by mx.example', `pc ([${ip}]) by gw.example`),
          client,
          '198.51.100.9',
        ] as const,
    ),
  ],
  'results without semicolons': [
    [
      topped(
        'Authentication-Results: mta1.yahoo.example\r\n header.i=@alpha.example header.s=s1 dkim=permerror (no key)\r\n spfDomain=em.alpha.example spfResult=softfail;\r\n dmarc=fail(p=none) header.from=alpha.example',
      ),
      results,
      ['softfail', 'permerror', 'fail'],
    ],
    [
      topped(
        'Authentication-Results: mx.example, spf=pass smtp.mailfrom=a@alpha.example, dkim=fail header.d=alpha.example',
      ),
      results,
      ['claimed pass', 'fail', null],
    ],
    [
      topped(
        'Authentication-Results: mx.example;spf=pass smtp.mailfrom=a@alpha.example;dkim=none;dmarc=fail',
      ),
      results,
      ['claimed pass', 'none', 'fail'],
    ],
  ],
  'dates of other languages and forms': [
    'tor, 30 aug 2007 15:55:12 +0200',
    'jeu., 30 août 2007 15:55:12 +0200',
    'чт, 30 авг 2007 17:55:12 +0400',
    '2007年8月30日 22:55:12 +0900',
    '2007. 08. 30. 15:55:12 +0200',
    'T5, 30 Th8 2007 20:55:12 +0700',
    'Kam, 30 Agt 2007 20:55:12 +0700',
    'Thu, 30-Aug-2007 15:55:12 +02:00',
    '=?utf-8?Q?jeu=2E=2C_30_ao=C3=BBt_2007_15:55:12_+0200?=',
  ].map(
    (date) =>
      [bytes(`From: a@alpha.example\r\nSubject: s\r\nDate: ${raw(date)}\r\n\r\nx`), sent, NOON] as const,
  ),
  'charsets that no program of today writes': [
    [bodyIs('text/plain; charset=utf-32', raw(FIRST, 'utf-32')), links, [FIRST]],
    [bodyIs('text/plain; charset=UTF-32LE', base64(FIRST, 'utf-32le'), 'base64'), links, [FIRST]],
    [bodyIs('text/plain; charset=cp850', raw('für Größe', 'cp850')), text, 'für Größe'],
    [bodyIs('text/plain; charset=x-mac-cyrillic', raw(BILL, 'maccyrillic')), text, BILL],
    [bodyIs('text/plain; charset=cp852', raw('Dzień dobry', 'cp852')), text, 'Dzień dobry'],
    [subjectIs('=?IBM500?B?yZWlloKDhQ==?='), subject, expect.stringMatching(/^Inv/)],
    [
      part(`Content-Type: application/pdf; name="=?cp850?B?${base64('Größe.pdf', 'cp850')}?="`),
      files,
      [['Größe.pdf', 13]],
    ],
  ],
  'an address encoded as a whole': [
    [fromIs(`=?utf-8?B?${base64('CEO <ceo@evil.example>')}?=`), author, ['CEO', 'ceo@evil.example']],
    [fromIs('=?utf-8?Q?CEO_?= =?utf-8?Q?=3Cceo=40evil.example=3E?='), author, ['CEO', 'ceo@evil.example']],
    [fromIs(`=?gbk?B?${base64('"财务" <cw@evil.example>', 'gbk')}?=`), author, ['财务', 'cw@evil.example']],
    [toIs(`To: =?utf-8?B?${base64('Bob <bob@beta.example>')}?=`), recipients, [['to', 'bob@beta.example']]],
  ],
  'text declared as base64': [
    [part('Content-Type: text/html; name=a.html', `<a href="${FIRST}">x</a>`), files, [['a.html', 41]]],
    [
      part('Content-Type: text/calendar; name=a.ics', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR'),
      files,
      [['a.ics', 30]],
    ],
    [bodyIs('text/plain', `Dear Bob, please visit ${FIRST} today.`, 'base64'), links, [FIRST]],
  ],
  'addresses glued to words': [
    [
      bodyIs('text/plain; charset=utf-8', raw('请点击https://evil-login.top，谢谢')),
      links,
      ['https://evil-login.top'],
    ],
    [
      bodyIs('text/plain; charset=utf-8', raw('「https://evil-login.top/b」をご確認')),
      links,
      ['https://evil-login.top/b'],
    ],
    [
      bodyIs('text/plain; charset=utf-8', 'clickhttps://evil-login.top/c now'),
      links,
      ['https://evil-login.top/c'],
    ],
  ],
  'no recipient in words': [
    [toIs('To: (undisclosed recipients)'), recipients, []],
    [toIs('To: <undisclosed-recipients:;>'), recipients, []],
    [toIs('To: Verborgene_Empfaenger:;'), recipients, []],
    [toIs('To: \r\nCc: (none)'), recipients, []],
  ],
  'recipients that only servers name': [
    [toIs('X-Original-To: v@corp.example'), recipients, [['delivered', 'v@corp.example']]],
    [toIs('Envelope-To: v@corp.example'), recipients, [['delivered', 'v@corp.example']]],
    [
      toIs('Received: from a by b with ESMTP id x for v@corp.example; Tue, 05 Mar 2024 10:11:12 +0000'),
      recipients,
      [['delivered', 'v@corp.example']],
    ],
  ],
  'a brand in a comment of From': [
    [fromIs('(PayPal) Jill <a@evil.example>'), author, ['(PayPal) Jill', 'a@evil.example']],
    [fromIs('Jill <a@evil.example> (Amazon)'), author, ['Jill (Amazon)', 'a@evil.example']],
    [
      fromIs('a@evil.example (=?utf-8?Q?DHL_Zustellung_f=C3=BCr?=)'),
      author,
      ['DHL Zustellung für', 'a@evil.example'],
    ],
  ],
  'findings of gateways': (
    [
      ['X-MS-Exchange-Organization-SCL: 5', 'spm'],
      ['X-Forefront-Antispam-Report: CIP:198.51.100.7;SCL:9;SFV:SPM;CAT:HPHISH;', 'hphsh'],
      ['X-Barracuda-Spam-Status: Yes, SCORE=9.2', 'spm'],
      ['X-Virus-Status: Infected (Eicar)', 'malw'],
      ['X-MailScanner-SpamCheck: spam, SpamAssassin (score=12, required 5)', 'spm'],
      ['X-DSPAM-Result: Spam', 'spm'],
      ['X-Bogosity: Spam, tests=bogofilter, spamicity=0.99', 'spm'],
      ['X-VR-SPAMSTATE: SPAM', 'spm'],
      ['X-TM-AS-Result: Yes--12.3-5.0-31-10', 'spm'],
    ] as const
  ).map(([header, code]) => [topped(header), provider, code] as const),
};

it.each(
  Object.entries(KINDS).flatMap(([kind, all]) =>
    all.map((hops, index) => [kind, index + 1, ...hops] as const),
  ),
)('%s: neighbour %i', async (_kind, _at, message, look, value) => {
  const result = await parseMessage(message);
  if (!result.ok) throw new Error(result.reason);
  expect(look(result.mail, recordOf(result.mail, message, 'a'.repeat(64)))).toEqual(value);
});

it('each kind has three neighbours', () => {
  for (const [kind, all] of Object.entries(KINDS)) expect(all.length, kind).toBeGreaterThanOrEqual(3);
});

it.each([
  ['end with LF CR', bytes(REVERSED)],
  ['the form of an extended one', part('Content-Type: a/b; name="utf-8\'\'M%C3%A4rz.pdf"')],
  ['alphabet for addresses', subjectIs('=?utf-8?B?4oCTID8_Pw?=')],
  [
    'the date is an encoded word',
    bytes('From: a@a.example\r\nDate: =?utf-8?Q?30_Aug_2007_15:55:12_+0200?=\r\n\r\nx'),
  ],
])('what was guessed is listed: %s', async (words, message) => {
  const result = await parseMessage(message);
  expect(result.ok && result.mail.problems.join('; ')).toContain(words);
});
