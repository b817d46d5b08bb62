/** Raw headers of a generated mail, deterministic for each mail. */

import type { GeneratedMail } from './generated-mail.ts';
import { HOME_DOMAIN } from './organisation.ts';
import { random } from './prng.ts';

const MINUTE = 60_000;

/** RFC 5322 date in UTC. */
function mailDate(ms: number): string {
  return new Date(ms).toUTCString().replace('GMT', '+0000');
}

/** RFC 2047 words of at most 75 characters, for non-ASCII text. */
function encodeWords(text: string): string {
  // Checked without a pattern, since Biome refuses control characters in one.
  const plain =
    [...text].every((character) => character >= ' ' && character <= '~') && !/=\?|^\s|\s$/.test(text);
  if (plain) return text;
  const words: string[] = [];
  let part = '';
  for (const character of text) {
    if (Buffer.byteLength(part + character) > 42) {
      words.push(part);
      part = '';
    }
    part += character;
  }
  if (part !== '') words.push(part);
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ');
}

function mailbox(name: string | null, email: string): string {
  if (name === null || name === '') return `<${email}>`;
  const encoded = encodeWords(name);
  return encoded === name ? `"${name.replace(/(["\\])/g, '\\$1')}" <${email}>` : `${encoded} <${email}>`;
}

const list = (items: readonly { name: string | null; email: string }[]): string =>
  items.map(({ name, email }) => mailbox(name, email)).join(',\r\n ');

export function headersOf(mail: GeneratedMail): string {
  const rng = random(`${mail.entityId}/headers`);
  const domain = mail.fromDomain ?? HOME_DOMAIN;
  const ip = mail.clientIp ?? '192.0.2.1';
  const received = mail.receivedAt ?? 0;
  const delay =
    mail.template.kind === 'phishing' && rng.chance(0.5) ? 4 * MINUTE + 10_000 : rng.int(1, 4) * 1000;
  const lines: string[] = [];
  const add = (name: string, value: string) => lines.push(`${name}: ${value}`);
  const first = received - delay - rng.int(3, 9) * 1000;
  const mx = `mx${rng.int(1, 3)}.filter.${HOME_DOMAIN}`;

  add('Delivered-To', mail.recipients[0]?.email ?? `postmaster@${HOME_DOMAIN}`);
  if (mail.direction === 'internal' || mail.direction === 'outgoing') {
    add(
      'Received',
      `from [${ip}] (client.${HOME_DOMAIN} [${ip}])\r\n\tby mail.${HOME_DOMAIN} (Postfix) with ESMTPSA id ${rng.hex(10).toUpperCase()}\r\n\t(using TLSv1.3 with cipher TLS_AES_256_GCM_SHA384);\r\n\t${mailDate(received)}`,
    );
  } else {
    const edge = `eur0${rng.int(1, 9)}.mail.protection.example`;
    add(
      'Authentication-Results',
      `${edge};\r\n\tspf=${mail.spf ?? 'none'} (sender IP is ${ip}) smtp.mailfrom=${mail.returnPath ?? mail.fromEmail ?? ''};\r\n\tdkim=${mail.dkim ?? 'none'} header.d=${domain} header.s=s1;\r\n\tdmarc=${mail.dmarc ?? 'none'} action=none header.from=${domain}`,
    );
    add(
      'Received-SPF',
      `${capital(mail.spf ?? 'none')} (${edge}: domain of ${mail.fromEmail ?? ''} ${mail.spf === 'pass' ? 'designates' : 'does not designate'} ${ip} as permitted sender) client-ip=${ip}; helo=${mail.template.helo};`,
    );
    add(
      'Received',
      `from ${mx} (192.0.2.25) by\r\n ${edge} (2001:db8:4:1::19) with Microsoft SMTP Server\r\n (version=TLS1_3, cipher=TLS_AES_256_GCM_SHA384) id 15.20.${rng.int(1000, 9999)}.${rng.int(1, 40)};\r\n ${mailDate(received)}`,
    );
    add(
      'Received',
      `from relay.${domain} (relay.${domain} [198.51.100.14])\r\n\tby ${mx} (Postfix) with ESMTPS id ${rng.hex(11).toUpperCase()}\r\n\tfor <${mail.recipients[0]?.email ?? ''}>; ${mailDate(received - 3000)}`,
    );
    add(
      'Received',
      `from ${mail.template.helo} (unknown [${ip}])\r\n\tby relay.${domain} with ESMTP id ${rng.hex(8)};\r\n\t${mailDate(first)}`,
    );
    if (rng.chance(0.2)) {
      add(
        'ARC-Seal',
        `i=1; a=rsa-sha256; s=arc1; d=${HOME_DOMAIN}; t=${Math.floor(received / 1000)}; cv=none;\r\n b=${signature(rng)}`,
      );
      add(
        'ARC-Message-Signature',
        `i=1; a=rsa-sha256; c=relaxed/relaxed; d=${HOME_DOMAIN}; s=arc1;\r\n h=from:to:subject:date; bh=${signature(rng).slice(0, 44)};\r\n b=${signature(rng)}`,
      );
      add(
        'ARC-Authentication-Results',
        `i=1; ${mx}; spf=${mail.spf ?? 'none'} smtp.mailfrom=${domain}; dkim=${mail.dkim ?? 'none'} header.d=${domain}; dmarc=${mail.dmarc ?? 'none'}`,
      );
    }
  }
  if (mail.dkim === 'pass' || mail.dkim === 'fail')
    add(
      'DKIM-Signature',
      `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=s1;\r\n\th=from:to:subject:date:message-id:mime-version; t=${Math.floor(first / 1000)};\r\n\tbh=${signature(rng).slice(0, 43)}=;\r\n\tb=${signature(rng)}`,
    );
  add('Return-Path', `<${mail.returnPath ?? mail.fromEmail ?? ''}>`);
  add('From', mailbox(mail.fromName, mail.fromEmail ?? ''));
  const to = mail.recipients.filter(({ kind }) => kind === 'to');
  const cc = mail.recipients.filter(({ kind }) => kind === 'cc');
  add('To', to.length > 0 ? list(to) : 'undisclosed-recipients:;');
  if (cc.length > 0) add('Cc', list(cc));
  if (mail.replyTo.length > 0) add('Reply-To', list(mail.replyTo));
  add('Subject', encodeWords(mail.subject));
  add('Date', mailDate(mail.sentAt ?? received));
  if (mail.messageId) add('Message-ID', `<${mail.messageId}>`);
  if (mail.inReplyTo) {
    add('In-Reply-To', `<${mail.inReplyTo}>`);
    add('References', `<${mail.inReplyTo}>`);
  }
  if (mail.template.kind === 'newsletter') {
    add('List-Id', `<news.${domain}>`);
    add('List-Unsubscribe', `<https://www.${domain}/unsubscribe?u=${rng.hex(8)}>`);
    add('Precedence', 'bulk');
  }
  add('MIME-Version', '1.0');
  add('Content-Language', mail.language ?? 'en');
  add(
    'Content-Type',
    `multipart/${mail.attachments > 0 ? 'mixed' : 'alternative'}; boundary="=_${rng.hex(24)}"`,
  );
  add(
    'X-Mailer',
    mail.template.kind === 'spam' || mail.template.kind === 'phishing' ? 'PHPMailer 6.0.2' : 'Outlook 16.0',
  );
  if (mail.template.kind === 'spam')
    add('X-Spam-Status', `Yes, score=${rng.int(51, 190) / 10} required=5.0 tests=BAYES_99,HTML_MESSAGE`);
  return `${lines.join('\r\n')}\r\n`;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const signature = (rng: ReturnType<typeof random>): string =>
  Buffer.from(rng.hex(172), 'hex').toString('base64');
