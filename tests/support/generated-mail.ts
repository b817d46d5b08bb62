/** Generated mail of realistic shape, deterministic per index, and mbox files of any size made from it. */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

const SUBJECTS = [
  'Minutes of Monday',
  'Invoice overdue',
  '=?UTF-8?Q?=C3=9Cbersicht_M=C3=A4rz?=',
  'Re: travel',
];
const SENTENCE =
  'Please find the figures attached; the second table replaces the one of last week. Call me if the totals differ. ';

const itemAt = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
/** Integer hash, so that neighbouring indexes differ in all bits. */
const mix = (value: number): number => Math.imul(value ^ (value >>> 16), 0x45d9f3b) >>> 0;

const quoted = (text: string): string =>
  text.replace(/[^\0-\x7f]+/g, (piece) =>
    Buffer.from(piece).toString('hex').toUpperCase().replace(/../g, '=$&'),
  );

/**
 * A mail with text and HTML, links, hops and results; every fourth has an attachment of `attachmentBytes`. `body`: its
 * text; by default one sentence, repeated.
 */
export function generatedMail(index: number, attachmentBytes = 24_000, body?: string): string {
  const seed = mix(index + 1);
  const host = `mail${seed % 97}.partner.example`;
  const date = new Date(Date.UTC(2026, 0, 1) + (seed % 20_000_000) * 1000)
    .toUTCString()
    .replace('GMT', '+0000');
  const text = body ?? SENTENCE.repeat(4 + (seed % 12));
  const lines = [
    `Return-Path: <sender${seed % 311}@partner.example>`,
    `Received: from ${host} (${host} [203.0.113.${seed % 255}]) by mx.aldermoor.example with ESMTPS id ${seed.toString(36)}; ${date}`,
    `Received: from desk (unknown [198.51.100.${seed % 251}]) by ${host} with ESMTPA; ${date}`,
    `Authentication-Results: mx.aldermoor.example; spf=${itemAt(['pass', 'fail'], seed)} smtp.mailfrom=partner.example; dkim=pass header.d=partner.example; dmarc=pass`,
    `From: "Sender ${seed % 311}" <sender${seed % 311}@partner.example>`,
    `To: user${seed % 40}@aldermoor.example, "Second, User" <second@aldermoor.example>`,
    `Subject: ${itemAt(SUBJECTS, seed)} ${index}`,
    `Date: ${date}`,
    `Message-ID: <${index}.${seed.toString(16)}@partner.example>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="outer"',
    '',
    '--outer',
    'Content-Type: multipart/alternative; boundary="inner"',
    '',
    '--inner',
    'Content-Type: text/plain; charset=utf-8',
    '',
    `${text}\r\nhttps://files${seed % 13}.partner.example/report/${index}`,
    '',
    '--inner',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    `<p>${quoted(text)}</p><a href=3D"https://files${seed % 13}.partner.example/report/${index}">the=\r\n report</a>`,
    '',
    '--inner--',
  ];
  if (index % 4 === 0)
    lines.push(
      '--outer',
      `Content-Type: application/pdf; name="report-${index}.pdf"`,
      `Content-Disposition: attachment; filename="report-${index}.pdf"`,
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.alloc(attachmentBytes, index % 251)
        .toString('base64')
        .replace(/.{76}/g, '$&\r\n'),
      '',
    );
  lines.push('--outer--', '');
  return lines.join('\r\n');
}

/** Writes an mbox of at least `bytes` in constant memory. Returns the number of messages. */
export async function writeMbox(file: string, bytes: number, attachmentBytes?: number): Promise<number> {
  const out = createWriteStream(file);
  let written = 0;
  let count = 0;
  while (written < bytes) {
    const mail = `From sender@partner.example Thu Jan  1 00:00:00 2026\r\n${generatedMail(count++, attachmentBytes)}\r\n`;
    written += Buffer.byteLength(mail);
    if (!out.write(mail)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  return count;
}
