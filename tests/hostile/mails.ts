/**
 * Small mails that deceive their reader, one trick each, all written by us. Each comes with what its profile must say;
 * tests/e2e/hostile.e2e.ts reads that from the screen.
 */
import { deflateSync } from 'node:zlib';

/** Where it is checked: a tab of the profile, or a view of its body. `frame`: the body's own frame. */
export type Place =
  | 'overview'
  | 'links'
  | 'attachments'
  | 'headers'
  | 'body'
  | 'frame'
  | 'text'
  | 'source'
  | 'message';

export interface HostileMail {
  /** Part of its Message-ID and of its file's name. */
  name: string;
  /** What the mail makes the reader believe. */
  lie: string;
  mail: string | Buffer;
  /** Texts that must appear; runs of white space count as one space. */
  shown: Partial<Record<Place, readonly string[]>>;
  /** Texts that must not appear. */
  never?: Partial<Record<Place, readonly string[]>>;
  /** Number of green boxes among SPF, DKIM, DMARC and ARC. */
  green?: number;
}

const TO = 'To: m.okafor@aldermoor.example';
const DATE = 'Date: Thu, 19 Nov 2026 08:41:07 +0000';
/** The header of the reader's own server when it accepted the mail. */
const RECEIVED =
  'Received: from mail.evil.example (mail.evil.example [203.0.113.7]) by mx.aldermoor.example with ESMTPS id 1; Thu, 19 Nov 2026 08:41:09 +0000';
const PASSES = (server: string, domain: string) =>
  `Authentication-Results: ${server}; spf=pass smtp.mailfrom=${domain}; dkim=pass header.d=${domain}; dmarc=pass header.from=${domain}`;

interface Parts {
  from?: string;
  subject?: string;
  date?: string;
  /** Above the topmost Received. */
  above?: readonly string[];
  received?: string;
  /** Below it, where the sender may have written it. */
  below?: readonly string[];
  type?: string;
  body?: string;
}

/** Lines end with CRLF; non-ASCII text is UTF-8. */
function eml(name: string, parts: Parts): string {
  const { from = '"Accounts" <billing@evil.example>', subject = name, date = DATE } = parts;
  const { above = [], received = RECEIVED, below = [], type = 'text/plain; charset=utf-8' } = parts;
  return [
    ...above,
    ...(received === '' ? [] : [received]),
    ...below,
    `From: ${from}`,
    TO,
    `Subject: ${subject}`,
    `Message-ID: <${name}@hostile.example>`,
    ...(date === '' ? [] : [date]),
    'MIME-Version: 1.0',
    `Content-Type: ${type}`,
    'Content-Transfer-Encoding: 8bit',
    '',
    parts.body ?? 'seen',
    '',
  ].join('\r\n');
}

const html = (name: string, body: string, parts: Parts = {}) =>
  eml(name, { type: 'text/html; charset=utf-8', ...parts, body });

const lines = (...all: string[]) => all.join('\r\n');

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** A black picture of one bit a pixel: 20 000 × 20 000 of them fit in 49 KB. */
export function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 1;
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A mail whose HTML shows an attached picture. */
function pictured(name: string, picture: Buffer): string {
  return eml(name, {
    type: 'multipart/related; boundary=cut',
    body: lines(
      '--cut',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>seen</p><img src="cid:picture" alt="invoice">',
      '--cut',
      'Content-Type: image/png; name=invoice.png',
      'Content-ID: <picture>',
      'Content-Transfer-Encoding: base64',
      '',
      ...(picture.toString('base64').match(/.{1,76}/g) ?? []),
      '--cut--',
    ),
  });
}

const CLAIMED = 'unverified claims: none of them stands';

/** Part 1: false claims. */
const CLAIMS: readonly HostileMail[] = [
  {
    name: 'auth-below',
    lie: 'checks passed: the sender wrote so, below the header of the server that took the mail',
    mail: eml('auth-below', {
      from: 'service@paypal.com',
      below: [PASSES('mx.aldermoor.example', 'paypal.com')],
    }),
    shown: { overview: ['SPF pass', 'DKIM pass', 'DMARC pass', 'unverified claim'], headers: [CLAIMED] },
    green: 0,
  },
  {
    name: 'auth-alone',
    lie: 'checks passed: no server wrote a header at all',
    mail: eml('auth-alone', {
      from: 'service@paypal.com',
      received: '',
      above: [PASSES('mx.aldermoor.example', 'paypal.com')],
    }),
    shown: { overview: ['SPF pass', 'unverified claim'], headers: [CLAIMED] },
    green: 0,
  },
  {
    name: 'auth-other-server',
    lie: 'checks passed: above the last server’s header, in the name of another one',
    mail: eml('auth-other-server', {
      from: 'service@paypal.com',
      above: [PASSES('mx.paypal.com', 'paypal.com')],
    }),
    shown: { overview: ['SPF pass', 'unverified claim'], headers: [CLAIMED] },
    green: 0,
  },
  {
    name: 'auth-genuine',
    lie: 'none: the last server vouches, and that must be seen as well',
    mail: eml('auth-genuine', { above: [PASSES('mx.aldermoor.example', 'evil.example')] }),
    shown: { overview: ['aligned with From'], headers: ['says mx.aldermoor.example'] },
    green: 3,
  },
  {
    name: 'auth-gateway',
    lie: 'none: a server in front of the last one vouches, for whoever trusts it',
    mail: eml('auth-gateway', {
      received:
        'Received: from gateway.example (gateway.example [203.0.113.9]) by mx.aldermoor.example with ESMTPS id 2; Thu, 19 Nov 2026 08:41:10 +0000',
      below: [
        PASSES('gateway.example', 'evil.example'),
        'Received: from mail.evil.example (mail.evil.example [203.0.113.7]) by gateway.example with ESMTPS id 1; Thu, 19 Nov 2026 08:41:09 +0000',
      ],
    }),
    shown: { overview: ['unverified claim', 'SPF claimed pass'], headers: [CLAIMED] },
    green: 0,
  },
  {
    name: 'received-spf',
    lie: 'SPF passed: a lone Received-SPF of the sender',
    mail: eml('received-spf', {
      from: 'service@paypal.com',
      below: [
        'Received-SPF: pass (mx.aldermoor.example: domain of service@paypal.com designates 203.0.113.7 as permitted sender) client-ip=203.0.113.7;',
      ],
    }),
    shown: { overview: ['SPF pass', 'unverified claim'] },
    green: 0,
  },
  {
    name: 'quoted-pair',
    lie: 'DMARC passed: a quote in the sender’s own address ends the string early',
    mail: eml('quoted-pair', {
      from: 'service@paypal.com',
      above: [
        'Authentication-Results: mx.aldermoor.example; spf=fail smtp.mailfrom="a\\"; dmarc=pass header.from=paypal.com; x=\\""@evil.example; dmarc=fail header.from=paypal.com',
      ],
    }),
    shown: { overview: ['DMARC fail'], headers: ['DMARC failed'] },
    never: { overview: ['DMARC pass'] },
    green: 0,
  },
  {
    name: 'contradiction',
    lie: 'DMARC passed: of two results of one server the better one stands first',
    mail: eml('contradiction', {
      from: 'service@paypal.com',
      above: [
        'Authentication-Results: mx.aldermoor.example; dmarc=pass header.from=paypal.com; dmarc=fail header.from=paypal.com',
      ],
    }),
    shown: { overview: ['DMARC fail'] },
    green: 0,
  },
  {
    name: 'helo-address',
    lie: 'it came from 8.8.8.8: the sender said so in its greeting',
    mail: eml('helo-address', {
      received:
        'Received: from unknown (HELO [8.8.8.8]) (203.0.113.7) by mx.aldermoor.example with SMTP; 19 Nov 2026 08:41:09 -0000',
    }),
    shown: { headers: ['1 unknown 203.0.113.7 to mx.aldermoor.example'] },
    never: { headers: ['unknown 8.8.8.8'] },
  },
  {
    name: 'host-named-ssl',
    lie: 'the way was encrypted: the host calls itself ssl',
    mail: eml('host-named-ssl', {
      received:
        'Received: from ssl-tls1-3.evil.example (ssl-tls1-3.evil.example [203.0.113.7]) by mx.aldermoor.example with ESMTP id 1; Thu, 19 Nov 2026 08:41:09 +0000',
    }),
    shown: { headers: ['not encrypted'] },
  },
  {
    name: 'public-suffix',
    lie: 'replies go to the same house: two customers of one host have nothing in common',
    mail: eml('public-suffix', {
      from: 'shop@honest.github.io',
      below: ['Reply-To: shop@thief.github.io'],
    }),
    shown: { overview: ['differs from From'], headers: ['Replies go to another domain'] },
  },
];

/** Part 2: deceptive display. */
const SHOWN: readonly HostileMail[] = [
  {
    name: 'punycode',
    lie: 'it is from paypal.com: its a is Cyrillic',
    mail: eml('punycode', { from: 'PayPal <service@xn--pypal-4ve.com>' }),
    shown: {
      overview: ['service@xn--pypal-4ve.com', 'looks like paypal.com'],
      headers: ['xn--pypal-4ve.com'],
    },
  },
  {
    name: 'stray-comma',
    lie: 'it has no sender: a comma parts the name from the address',
    mail: eml('stray-comma', { from: 'PayPal Security, <thief@attacker.example>' }),
    shown: { overview: ['PayPal Security', 'thief@attacker.example'] },
    never: { headers: ['From contains no email address'] },
  },
  {
    name: 'two-senders',
    lie: 'it is from the first of two',
    mail: eml('two-senders', { from: 'service@paypal.com, thief@attacker.example' }),
    shown: { headers: ['From names 2 mailboxes; mail programs differ in which one they show.'] },
  },
  {
    name: 'name-as-address',
    lie: 'it is from service@paypal.com: that is only the name',
    mail: eml('name-as-address', { from: '"service@paypal.com" <thief@attacker.example>' }),
    shown: { headers: ['The display name shows another address, service@paypal.com'] },
  },
  {
    name: 'mixed-case',
    lie: 'none: a sender is shown as it wrote itself',
    mail: eml('mixed-case', {
      from: 'Finance <Accounts.PAYABLE@Evil.Example>',
      subject: 'mixed case',
    }),
    shown: { overview: ['Accounts.PAYABLE@Evil.Example'] },
  },
  {
    name: 'hidden-mark',
    lie: 'the link goes to paypal.com: the mail hides what is said of it',
    mail: html(
      'hidden-mark',
      '<style>.pp-host,span,span *{position:absolute!important;left:-9999px!important;clip-path:inset(50%)!important;font-size:0!important;transform:scale(0)!important}</style><div style="width:1px;height:1px;overflow:hidden"><a href="https://evil.example/">https://www.paypal.com/</a></div>',
    ),
    shown: { body: ['hxxps://www[.]paypal[.]com/ → evil[.]example'], links: ['evil[.]example', 'Yes'] },
  },
  {
    name: 'forged-mark',
    lie: 'Parapet says that it goes to paypal.com: the mail draws the mark itself',
    mail: html(
      'forged-mark',
      '<p><a href="https://evil.example/x">Sign in</a><span class="pp-host">paypal[.]com</span></p>',
    ),
    shown: { frame: ['evil[.]example'], links: ['hxxps://evil[.]example/x'] },
  },
  ...(
    [
      ['javascript', 'javascript:alert(1)', 'Yes, javascript:', 'javascript[:], not a web address'],
      ['data', 'data:text/html,hello', 'Yes, data:', 'data[:], not a web address'],
      ['file', 'file:///c:/x.exe', 'Yes, file:', 'file[:], not a web address'],
      ['unc', '\\\\evil.example\\share\\x.exe', 'Yes, file:', 'file[:], not a web address'],
      ['ms', 'ms-word:ofe|u|https://evil.example/x.docm', 'Yes, ms-word:', 'ms-word[:], not a web address'],
      [
        'slashes',
        'javascript://paypal.com/%0aalert(1)',
        'Yes, javascript:',
        'javascript[:], not a web address',
      ],
      ['tab', 'java&#9;script:alert(1)', 'Yes, javascript:', 'javascript[:], not a web address'],
      ['control', '&#1;javascript:alert(1)', 'Yes, javascript:', 'javascript[:], not a web address'],
    ] as const
  ).map(([name, href, differs, goesTo]) => ({
    name: `link-${name}`,
    lie: 'the link goes to paypal.com: it goes to no web address at all',
    mail: html(`link-${name}`, `<p><a href="${href}">https://www.paypal.com/signin</a></p>`),
    shown: { links: [differs], body: [`→ ${goesTo}`] },
    never: { links: ['paypal[.]com No'] },
  })),
  {
    name: 'link-mailto',
    lie: 'the link goes to paypal.com: it writes a mail to the sender',
    mail: html('link-mailto', '<a href="mailto:thief@attacker.example">https://www.paypal.com/</a>'),
    shown: { links: ['Yes, mailto:'] },
  },
  {
    name: 'vanishing-text',
    lie: 'there is nothing about a transfer: letters that grow in lower case eat the sentence',
    mail: html(
      'vanishing-text',
      `${'\u0130'.repeat(120)}<style>p{color:red}</style><p>Transfer the 40 000 today.</p><p>Regards</p>`,
    ),
    shown: { text: ['Transfer the 40 000 today.', 'Regards'] },
  },
  {
    name: 'bidi-file',
    lie: 'the file is a PDF: its name is turned around',
    mail: eml('bidi-file', {
      type: 'multipart/mixed; boundary=cut',
      body: lines(
        '--cut',
        'Content-Type: text/plain',
        '',
        'seen',
        '--cut',
        'Content-Type: application/octet-stream',
        "Content-Disposition: attachment; filename*=utf-8''invoice%E2%80%AEfdp.exe",
        '',
        'x',
        '--cut--',
      ),
    }),
    shown: { attachments: ['invoice‹U+202E›fdp.exe'] },
  },
  {
    name: 'bidi-subject',
    lie: 'the subject reads otherwise than it is written',
    mail: eml('bidi-subject', { subject: '=?utf-8?Q?Pay_=E2=80=AEemos?=' }),
    shown: { overview: ['Pay ‹U+202E›emos'] },
  },
  {
    name: 'part-without-headers',
    lie: 'there is nothing to read: the part has no headers of its own',
    mail: eml('part-without-headers', {
      type: 'multipart/mixed; boundary=cut',
      body: lines('--cut', 'Pay at https://lure.example/bare today.', 'It is urgent', '--cut--'),
    }),
    shown: {
      text: ['Pay at hxxps://lure[.]example/bare today. It is urgent'],
      source: ['It is urgent'],
      links: ['hxxps://lure[.]example/bare'],
    },
  },
  {
    name: 'outside-the-parts',
    lie: 'that is all: the rest stands before the first part and after the last',
    mail: eml('outside-the-parts', {
      type: 'multipart/mixed; boundary=cut',
      body: lines(
        'Before \u202eall parts',
        '--cut',
        'Content-Type: text/plain',
        '',
        'seen',
        '--cut--',
        'After them\u0000',
      ),
    }),
    shown: { message: ['Before ‹U+202E›all parts', 'After them‹U+0000›', 'Complete message, 514 bytes'] },
  },
  {
    name: 'attachment-only',
    lie: 'there is no message: nothing of it is text',
    mail: eml('attachment-only', { type: 'application/octet-stream; name=x.bin', body: 'MZ only bytes' }),
    shown: { message: ['MZ only bytes'] },
  },
  {
    name: 'clicks',
    lie: 'nobody clicked: nothing counts clicks in mail files',
    mail: eml('clicks', { body: 'See https://lure.example/x' }),
    shown: { links: ['Clicks are not tracked', 'Recipients of this email may have clicked'] },
    never: { links: ['Nobody clicked', 'recorded 0 clicks'] },
  },
  {
    name: 'unknown-state',
    lie: 'it was not deleted and not split: mail files say neither',
    mail: eml('unknown-state', {}),
    shown: { overview: ['Deleted Not recorded'] },
    never: { overview: ['Deleted No ', 'Split emails 0'] },
  },
  {
    name: 'flowed',
    lie: 'it takes seconds to read: lines that flow into each other',
    mail: eml('flowed', {
      type: 'text/plain; charset=utf-8; format=flowed',
      body: `Transfer the \r\n40 000 today.\r\n${'a \r\n'.repeat(400_000)}`,
    }),
    shown: { text: ['Transfer the 40 000 today.'] },
  },
  {
    name: 'huge-picture',
    lie: 'it is a small picture: 49 KB that stand for 400 million pixels',
    mail: pictured('huge-picture', png(20_000, 20_000)),
    shown: { body: ['1 image not shown: 20,000 × 20,000 pixels'], frame: ['seen', 'invoice'] },
  },
  {
    name: 'small-picture',
    lie: 'none: a picture of any usual size is drawn',
    mail: pictured('small-picture', png(300, 200)),
    shown: { frame: ['seen'] },
    never: { body: ['not shown'], frame: ['invoice'] },
  },
  {
    name: 'dated-1969',
    lie: 'it was never sent: its date is that of a clock that was never set',
    mail: eml('dated-1969', { date: 'Date: Wed, 31 Dec 1969 23:59:59 +0000' }),
    shown: {
      overview: ['Sent 1969-12-31 23:59:59 UTC', 'Implausible: too far in the past'],
    },
  },
  {
    name: 'dated-2069',
    lie: 'it is the newest mail: its date lies ahead',
    mail: eml('dated-2069', { date: 'Date: Sat, 19 Nov 2044 08:41:07 +0000', received: '' }),
    shown: { overview: ['Implausible: ahead of this machine’s clock'] },
  },
  {
    name: 'dated-late',
    lie: 'it was sent after it came',
    mail: eml('dated-late', {
      date: 'Date: Thu, 19 Nov 2020 08:41:07 +0000',
      received:
        'Received: from mail.evil.example (mail.evil.example [203.0.113.7]) by mx.aldermoor.example with ESMTPS id 1; Mon, 9 Nov 2020 08:41:09 +0000',
    }),
    shown: { overview: ['Implausible: 9 days after receipt'] },
  },
  {
    name: 'received-9998',
    lie: 'it was on its way for thousands of years: the sender wrote a Received header of its own',
    mail: eml('received-9998', {
      below: ['Received: from a.example by b.example with ESMTP id 2; Fri, 31 Dec 9998 23:00:00 +0000'],
    }),
    shown: {
      headers: ['Implausible', '1 of 2 Received headers has a time that no mail can have'],
      overview: ['2026-11-19 08:41:09 UTC'],
    },
    never: { headers: ['It waited'] },
  },
  {
    name: 'no-such-day',
    lie: 'it has no date: 31 February is none',
    mail: eml('no-such-day', { date: 'Date: Sat, 31 Feb 2026 08:41:07 +0000' }),
    shown: { overview: ['Sent Unreadable: “Sat, 31 Feb 2026 08:41:07 +0000”'] },
  },
  {
    name: 'written-link',
    lie: 'it holds no link: the address is only written out',
    mail: html('written-link', '<p>Open https://lure.example/x yourself</p>'),
    shown: { links: ['hxxps://lure[.]example/x', 'Text'] },
    never: { links: ['No links'] },
  },
  {
    name: 'link-before-cjk',
    lie: 'the link goes on: the next sentence follows without a space',
    mail: eml('link-before-cjk', { body: '请点击https://lure.example/a。然后回复我。' }),
    shown: { links: ['hxxps://lure[.]example/a '] },
  },
  {
    name: 'outlook-only',
    lie: 'it holds no link: what only Outlook reads stands in a comment',
    mail: html(
      'outlook-only',
      '<p>seen</p><!--[if mso]><v:roundrect href="https://lure.example/vml"></v:roundrect><a href="https://lure.example/mso">Pay</a><![endif]-->',
    ),
    shown: { links: ['hxxps://lure[.]example/vml', 'hxxps://lure[.]example/mso'] },
  },
  {
    name: 'comma-in-name',
    lie: 'it is from two people: the comma stands inside an encoded name',
    mail: eml('comma-in-name', { from: '=?utf-8?Q?Okafor=2C_Mary?= <m.okafor@aldermoor.example>' }),
    shown: { overview: ['Okafor, Mary m.okafor@aldermoor.example'] },
    never: { headers: ['From names 2'] },
  },
  {
    name: 'joined-words',
    lie: 'the subject is broken: it is one Japanese text in two encoded words',
    mail: eml('joined-words', { subject: '=?ISO-2022-JP?B?GyRCQEEbKEI=?= =?ISO-2022-JP?B?GyRCNWEbKEI=?=' }),
    shown: { overview: ['請求'] },
    never: { overview: ['\ufffd'] },
  },
  {
    name: 'zone-other',
    lie: 'none: a date is shown on the one clock, whatever its zone',
    mail: eml('zone-other', { date: 'Date: Thu, 19 Nov 2026 11:41:07 +0300' }),
    shown: { overview: ['Sent 2026-11-19 08:41:07 UTC'] },
  },
  {
    name: 'no-zone',
    lie: 'it was sent at that hour: nobody knows of which zone',
    mail: eml('no-zone', { date: 'Date: Thu, 19 Nov 2026 08:41:07' }),
    shown: { overview: ['no time zone; read as UTC'] },
  },
];

export const HOSTILE_MAILS: readonly HostileMail[] = [...CLAIMS, ...SHOWN];
