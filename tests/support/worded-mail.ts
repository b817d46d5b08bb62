/** Generated mail with a natural distribution of words: a few are in most mails, most are rare. */
import { randomOf } from './differential.ts';

const SYLLABLES =
  'ba ce di fo gu ha ki lo me na po qui ra se ti vo wa xe yu za bri cro dle sta tre pli'.split(' ');
const LEXICON = 40_000;
const COMMON = [
  'please',
  'invoice',
  'account',
  'meeting',
  'payment',
  'report',
  'attached',
  'regards',
  'office',
];
const CHINESE = [...'请求发票付款银行账户更新密码登录安全通知会议报告合同订单客户经理公司部门'];

function wordOf(rank: number): string {
  const common = COMMON[rank];
  if (common !== undefined) return common;
  let word = '';
  for (let remaining = rank * 7 + 3; remaining > 0; remaining = Math.floor(remaining / SYLLABLES.length))
    word += SYLLABLES[remaining % SYLLABLES.length];
  return word;
}

/** The body of a mail: some 300 words in sentences, every twentieth with a line of Chinese. */
export function wordedText(index: number): string {
  const random = randomOf(index + 1);
  const words = Array.from({ length: 150 + Math.floor(random() * 300) }, (_, index) => {
    // Zipf: the n-th word is n times rarer than the first.
    const word = wordOf(Math.floor(LEXICON ** random()) - 1);
    return index % 12 === 11 ? `${word}.` : index % 17 === 16 ? `${word},` : word;
  });
  const lines: string[] = [];
  for (let offset = 0; offset < words.length; offset += 10)
    lines.push(words.slice(offset, offset + 10).join(' '));
  if (index % 20 === 0)
    lines.push(
      Array.from({ length: 12 }, () => CHINESE[Math.floor(random() * CHINESE.length)] ?? '').join(''),
    );
  lines.push(`Ticket TK-${String(index).padStart(7, '0')}`);
  return lines.join('\r\n');
}

export function wordedMail(index: number): string {
  const date = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toUTCString().replace('GMT', '+0000');
  return [
    `Return-Path: <sender${index % 311}@partner.example>`,
    `Received: from mail.partner.example ([203.0.113.${index % 23}]) by mx.aldermoor.example with ESMTPS id ${index}; ${date}`,
    `From: "Sender ${index % 311}" <sender${index % 311}@partner${index % 7}.example>`,
    `To: user${index % 40}@aldermoor.example`,
    `Subject: ${wordedText(index).slice(0, 40).replaceAll('\r\n', ' ')} ${index % 100}`,
    `Date: ${date}`,
    `Message-ID: <${index}@partner.example>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    wordedText(index),
    '',
    `https://files${index % 13}.partner.example/report/${index}`,
    '',
  ].join('\r\n');
}
