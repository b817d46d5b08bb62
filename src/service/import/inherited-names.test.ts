/** Names of properties that every JavaScript object inherits, in each place of a mail that is looked up in a table. */
import { expect, it } from 'vitest';
import { readMail } from '../formats/mail/read-mail.ts';
import { keptReading } from './kept-mail.ts';

const mailOf = (name: string): Buffer =>
  Buffer.from(
    `Received: from ${name} (${name} [192.0.2.1]) by mx.${name}.example with ${name}; Thu, 01 Jan 2026 00:04:00 ${name}
Authentication-Results: mx.${name}.example; ${name}=${name}; spf=${name} smtp.mailfrom=a@b.example; dkim=${name} header.${name}=x header.d=b.example; dmarc=${name} ${name}.${name}=z
X-Forefront-Antispam-Report: CIP:1.2.3.4;${name}:9;SFV:${name};CAT:${name}
${name}: value
X-Spam-Status: ${name}, score=${name} tests=${name}
From: =?${name}?Q?caf=E9?= <${name}@${name}.example>
To: ${name}:a@b.example;, <${name}>
Subject: =?utf-8*${name}?${name}?x?= ${name}
Date: Thu, 01 Jan 2026 00:04:00 ${name}
Content-Type: multipart/mixed; boundary=b; ${name}=${name}; charset=${name}

--b
Content-Type: text/html; charset=${name}
Content-Transfer-Encoding: ${name}

<p ${name}="https://a.example/" style="${name}:url(http://b.example/x)">hi <${name} ${name}=1 href="https://c.example/">a</${name}>
<a href="${name}:alert(1)">b</a> <a href="https://d.example" ${name}>x &${name}; y</a><meta http-equiv=${name} content=${name}>
--b
Content-Type: ${name}/${name}; name="${name}.${name}"
Content-Disposition: ${name}; filename="${name}.exe"; ${name}*=utf-8''${name}

MZ data
--b
Content-Type: text/rtf; name=x.rtf

{\\rtf1\\ansi hello \\${name} world {\\*\\${name} x} {\\field{\\*\\fldinst HYPERLINK "https://rtf.example/"}{\\fldrslt l}}}
--b--
`.replaceAll('\n', '\r\n'),
  );

/** The stored mail, with hashes and the name replaced; the provider's codes are truncated to eight letters. */
async function resultOf(name: string): Promise<string> {
  const result = await readMail(
    { raw: mailOf(name), sha256: 'ab'.repeat(32), isParted: false },
    keptReading([]),
  );
  const text = JSON.stringify(result, (key, value: unknown) => {
    if (typeof value === 'function') return 'a function';
    // Keys of campaigns are hashes of words, among which is the name; stored, they are a list in JSON.
    if (key === 'campaignKeys' && Array.isArray(value)) return value.length;
    if (typeof value === 'string' && /^\[\d{10,}(?:,\d{10,})*\]$/.test(value)) return value.split(',').length;
    return value instanceof Uint8Array ? 'bytes' : value;
  });
  return text
    .replace(/[0-9a-f]{32,64}/g, 'hash')
    .replaceAll(new RegExp(name.replaceAll('_', '').slice(0, 8), 'gi'), 'name');
}

it.each([
  ['constructor', 'zonstructor'],
  ['__proto__', '__zroto__'],
  ['toString', 'zoString'],
  ['valueOf', 'zalueOf'],
  ['hasOwnProperty', 'zasOwnProperty'],
])('a mail full of “%s” is read like any other', async (name, other) => {
  const parsed = await resultOf(name);
  expect(JSON.parse(parsed)).toMatchObject({ ok: true });
  expect(parsed).toBe(await resultOf(other));
});
