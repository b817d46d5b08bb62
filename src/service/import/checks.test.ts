/** Each check of a mail: one that fires it, one that nearly does, and mails made against the checks. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Assessment, assess, CHECKS } from '#shared/checks/assess.ts';
import type { CheckedMail } from '#shared/checks/prepared-mail.ts';
import { expectLinear } from '#tests/support/growth.ts';
import { pngOf, qrImage } from '#tests/support/qr-images.ts';
import { storedZip } from '#tests/support/stored-zip.ts';
import { readDkimKeys } from '../formats/mail/dkim-keys.ts';
import { parseMessage } from '../formats/mail/parse.ts';
import { readMail } from '../formats/mail/read-mail.ts';
import { DEFAULT_LIMITS } from '../formats/mail/types.ts';

interface Made {
  from?: string;
  to?: string;
  subject?: string;
  /** Further header lines. */
  more?: string[];
  text?: string;
  html?: string;
  /** Name, type and content of what is attached. */
  file?: [name: string, type: string, bytes: Uint8Array | string];
}

const BOUNDARY = 'b1';

function rawOf({ from, to, subject, more = [], text, html, file }: Made): Buffer {
  const lines = [
    `From: ${from ?? 'Ann Lee <ann@sender.example>'}`,
    ...(to === '' ? [] : [`To: ${to ?? 'bo@corp.example'}`]),
    `Subject: ${subject ?? 'Lunch'}`,
    ...more,
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary=${BOUNDARY}`,
    '',
  ];
  const part = (type: string, body: string) => [
    `--${BOUNDARY}`,
    `Content-Type: ${type}; charset=utf-8`,
    '',
    body,
  ];
  if (text !== undefined || html === undefined) lines.push(...part('text/plain', text ?? 'See you at noon.'));
  if (html !== undefined) lines.push(...part('text/html', html));
  if (file !== undefined) {
    const [name, type, bytes] = file;
    lines.push(
      `--${BOUNDARY}`,
      `Content-Type: ${type}`,
      `Content-Disposition: attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(bytes).toString('base64'),
    );
  }
  return Buffer.from([...lines, `--${BOUNDARY}--`, ''].join('\r\n'));
}

const PAIR = generateKeyPairSync('ed25519');
const PUBLIC = PAIR.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');
/** The keys that the analyst gave. */
const KEYS = readDkimKeys(`k._domainkey.sender.example TXT "v=DKIM1; k=ed25519; p=${PUBLIC}"`);

async function assessed(parts: Made): Promise<Assessment> {
  const result = await readMail(
    { raw: rawOf(parts), sha256: '', isParted: false },
    { limits: DEFAULT_LIMITS, believed: [], keys: KEYS, make: (mail) => ({ mail }) },
  );
  if (!result.ok) throw new Error(result.reason);
  return assess(result.mail.mail);
}

const idsOf = ({ findings }: Assessment): string[] => findings.map(({ check }) => check);
const link = (url: string, text = 'here') => `<p>Please look <a href="${url}">${text}</a></p>`;
const AUTH = 'Authentication-Results: mx.corp.example;';
const PASSED = `${AUTH} spf=pass smtp.mailfrom=sender.example; dkim=pass header.d=sender.example; dmarc=pass header.from=sender.example`;
const RECEIVED = 'Received: from a by mx.corp.example; Thu, 19 Nov 2026 08:00:00 +0000';
const ANSWER = ['In-Reply-To: <1@corp.example>', 'References: <1@corp.example>'];
const QUOTED = 'Yes.\n\n> Will you come?\n';
const WORDS =
  'The minutes of our meeting on the new building are below, with the names of all who came. '.repeat(3);

const pdf = (objects: string): string => `%PDF-1.7\n1 0 obj\n<<${objects}>>\nendobj\n%%EOF\n`;
const word = (files: Record<string, string> = {}): Buffer =>
  storedZip({ 'word/document.xml': '', 'word/styles.xml': '', ...files });
const relations = (type: string): string =>
  `<Relationships><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="https://evil.example.net/t" TargetMode="External"/></Relationships>`;
const code = async (url: string): Promise<[string, string, Uint8Array]> => [
  'code.png',
  'image/png',
  pngOf(await qrImage(url)),
];

const PLAIN =
  'Yesterday several children gathered berries beneath ancient branches while their teacher quietly counted everybody twice. '.concat(
    'Afterwards everyone walked along narrow paths toward another village, where friendly neighbours offered bread, cheese, apples. ',
    'Nobody noticed clouds gathering behind distant mountains until thunder finally interrupted cheerful singing.',
  );

/** A signature over the body of the mail with this text, or another body, in a form; `length`: the bytes that it covers. */
function signed(form: 'simple' | 'relaxed', body?: string, length?: number): string {
  const raw = rawOf({ text: 'See you at noon.' }).toString('latin1');
  const covered = (body ?? raw.slice(raw.indexOf('\r\n\r\n') + 4)).slice(0, length);
  const hash = createHash('sha256').update(covered, 'latin1').digest('base64');
  const limit = length === undefined ? '' : ` l=${length};`;
  return `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/${form}; d=sender.example; s=x;${limit} bh=${hash}; b=x`;
}

/** That signature over From as well, by the key that is given. */
function signedByKey(): string {
  const field = signed('simple').replace('rsa', 'ed25519').replace('s=x; ', 's=k; h=from; ').slice(0, -1);
  const covered = `from:Ann Lee <ann@sender.example>\r\n${field.replace('DKIM-Signature: ', 'dkim-signature:')}`;
  const bytes = createHash('sha256').update(covered).digest();
  return `${field}${sign(null, bytes, PAIR.privateKey).toString('base64')}`;
}

/** A mail that fires the check, and one that nearly does. */
const CASES: Record<string, [fires: Made, nearly: Made]> = {
  'provider.verdict': [{ more: ['X-Spam-Flag: YES'] }, { more: ['X-Spam-Flag: NO'] }],
  'provider.junk': [
    { more: ['X-Microsoft-Antispam-Mailbox-Delivery: ucf:0;jmr:0;dest:J;OFR:SpamFilterAuthJ;'] },
    { more: ['X-Microsoft-Antispam-Mailbox-Delivery: ucf:0;jmr:0;dest:I;'] },
  ],
  'sender.brand': [
    { from: 'PayPal Support <help@billing-mail.example.com>' },
    { from: 'PayPal Support <help@e.paypal.co.uk>' },
  ],
  'sender.disguised-name': [
    { from: 'Trust WaIIet <a@sender.example>' },
    { from: 'Trust Wallet II <a@sender.example>' },
  ],
  'sender.unrelated-name': [
    { from: 'Auto Warranty Offers <a@funnysnails.example>' },
    { from: 'Funny Snails Offers <a@funnysnails.example>' },
  ],
  'sender.brand-subject': [{ subject: 'Your Netflix membership' }, { subject: 'Your film membership' }],
  'sender.look-alike': [{ from: 'Team <a@paypa1.com>' }, { from: 'Team <a@paypal.com>' }],
  'sender.other-address': [
    { from: '"boss@corp.com" <x@evil.net>' },
    { from: '"boss@corp.com" <boss@mail.corp.com>' },
  ],
  'sender.no-domain': [{ from: 'Bank <a@bank.invalidtld>' }, { from: 'Bank <a@bank.example>' }],
  'sender.free-mailer': [{ from: 'Barrister John <j@gmail.com>' }, { from: 'John <j@gmail.com>' }],
  'sender.reply-to': [
    { more: ['Reply-To: other@gmail.com'] },
    { more: ['Reply-To: desk@mail.sender.example'] },
  ],
  'sender.random': [{ from: 'News <x@7cbp7nkr85oxosmhaj80.com>' }, { from: 'News <x@contactdetails.com>' }],
  'sender.tenant': [{ from: 'Team <a@yander3.firebaseapp.com>' }, { from: 'Team <a@firebase.google.com>' }],
  'sender.risky-suffix': [{ from: 'Team <a@bonus.icu>' }, { from: 'Team <a@bonus.org>' }],
  'sender.mixed-letters': [{ subject: 'Your wallet iѕ Ѕuѕpended' }, { subject: 'Ваш кошелёк' }],
  'sender.ornaments': [{ from: '"✅ Winner" <a@sender.example>' }, { from: '"Winner" <a@sender.example>' }],
  'sender.no-recipient': [{ to: '' }, { to: 'bo@corp.example' }],
  'sender.foreign-address': [
    { from: 'Anders Pedersen <ousmane.b@gmail.com>' },
    { from: 'Anders Pedersen <a.pedersen77@gmail.com>' },
  ],
  'sender.own-name': [
    { from: '"bo.smith@corp.example" <a@sender.example>', to: 'bo.smith@corp.example' },
    { from: '"Bo Smith" <a@sender.example>', to: 'bo.smith@corp.example' },
  ],
  'sender.false-answer': [{ subject: 'Re: payment' }, { subject: 'Re: payment', more: ANSWER, text: QUOTED }],
  'sender.subject-address': [
    { subject: 'bo.smith77, your parcel', to: 'bo.smith77@corp.example' },
    { subject: 'Your parcel', to: 'bo.smith77@corp.example' },
  ],
  'sender.several': [{ from: 'a@one.example.com, b@two.example.org' }, { from: 'a@one.example.com' }],
  'authentication.dmarc': [{ more: [`${AUTH} dmarc=fail header.from=sender.example`] }, { more: [PASSED] }],
  'authentication.spf': [{ more: [`${AUTH} spf=softfail smtp.mailfrom=sender.example`] }, { more: [PASSED] }],
  'authentication.dkim': [{ more: [`${AUTH} dkim=fail header.d=sender.example`] }, { more: [PASSED] }],
  'authentication.body-changed': [
    { more: [signed('simple', 'Another text.\r\n')], text: 'See you at noon.' },
    { more: [signed('simple')], text: 'See you at noon.' },
  ],
  'authentication.body-extended': [
    { more: [signed('relaxed', undefined, 6)], text: 'See you at noon.' },
    { more: [signed('relaxed')], text: 'See you at noon.' },
  ],
  'authentication.signature-failed': [
    { more: [signedByKey()], from: 'Ann Leigh <ann@sender.example>' },
    { more: [signedByKey()] },
  ],
  'authentication.signature-verified': [
    { more: [signedByKey()] },
    { more: [signedByKey()], from: 'Ann Lee <ann@sender.example>, Eve <eve@evil.example>' },
  ],
  'authentication.none': [{ more: [`${AUTH} spf=none; dkim=none; dmarc=none`] }, { more: [PASSED] }],
  'authentication.other-signer': [
    { more: [`${AUTH} spf=pass`, 'DKIM-Signature: v=1; d=mailer.example.net; s=x; b=x'] },
    { more: [`${AUTH} spf=pass`, 'DKIM-Signature: v=1; d=mail.sender.example; s=x; b=x'] },
  ],
  'authentication.vouched': [
    { more: [PASSED, 'Received: from a by mx.corp.example; Thu, 19 Nov 2026 08:00:00 +0000'] },
    { more: [`${AUTH} dmarc=none`] },
  ],
  'authentication.subscription': [
    {
      more: [PASSED, 'List-Unsubscribe: <https://sender.example/u>'],
      html: link('https://www.sender.example/a'),
    },
    {
      more: [PASSED, 'List-Unsubscribe: <https://sender.example/u>'],
      html: link('https://evil.example.net/a'),
    },
  ],
  'authentication.conversation': [
    { more: ANSWER, text: QUOTED },
    { more: ANSWER, text: 'Yes.' },
  ],
  'links.text-differs': [
    { html: link('https://evil.example.net/x', 'www.paypal.com') },
    { html: link('https://www.paypal.com/x', 'www.paypal.com') },
  ],
  'links.address': [{ html: link('http://203.0.113.9/login') }, { html: link('http://192.168.1.1/login') }],
  'links.user': [
    { html: link('https://www.paypal.com@evil.example.net/') },
    { html: link('https://evil.example.net/@name') },
  ],
  'links.port': [
    { html: link('http://evil.example.net:4433/') },
    { html: link('http://evil.example.net:8080/') },
  ],
  'links.brand': [{ html: link('https://paypal-secure.com/x') }, { html: link('https://paypal.de/x') }],
  'links.shortener': [{ html: link('https://bit.ly/abc') }, { html: link('https://bit.example.net/abc') }],
  'links.redirector': [
    { html: link('https://translate.google.com/translate?u=https://evil.example.net') },
    { html: link('https://www.google.com/maps') },
  ],
  'links.hosting': [
    { html: link('https://x-1.web.app/') },
    { html: link('https://web.appetite.example.net/') },
  ],
  'links.credential-host': [
    { html: link('https://secure-account-check.example.org.uk/') },
    { html: link('https://garden.example.net/') },
  ],
  'links.risky-suffix': [{ html: link('https://prizes.icu/') }, { html: link('https://prizes.org/') }],
  'links.script': [{ html: link('data:text/html,<form>') }, { html: link('mailto:bo@corp.example') }],
  'links.recipient': [
    { html: link('https://evil.example.net/#bo@corp.example') },
    { html: link('https://evil.example.net/unsubscribe?a=bo@corp.example') },
  ],
  'links.all-elsewhere': [
    { html: link('https://evil.example.net/') },
    { html: link('https://www.sender.example/') },
  ],
  'links.qr': [
    { text: 'Scan it to keep your mailbox.', file: await code('https://evil.example.net/x') },
    { text: 'Scan it to keep your mailbox.', file: await code('a text without an address') },
  ],
  'links.unencrypted': [
    { more: [RECEIVED], html: link('http://evil.example.net/') },
    { more: [RECEIVED], html: link('https://evil.example.net/') },
  ],
  'links.punycode': [{ html: link('https://xn--e1awd7f.com/') }, { html: link('https://xn-e1awd7f.com/') }],
  'attachments.program': [
    { file: ['holiday.scr', 'application/octet-stream', 'x'] },
    { file: ['holiday.txt', 'text/plain', 'x'] },
  ],
  'attachments.packed-program': [
    { file: ['photos.zip', 'application/zip', storedZip({ 'a/inner.zip': storedZip({ 'b.exe': 'x' }) })] },
    { file: ['photos.zip', 'application/zip', storedZip({ 'a.exe/b.txt': 'x' })] },
  ],
  'attachments.double-extension': [
    { file: ['a.jpg_.jpg.exe', 'application/octet-stream', 'x'] },
    { file: ['a.min.txt', 'text/plain', 'x'] },
  ],
  'attachments.turned-name': [
    { file: ['invoice\u202efdp.exe', 'application/octet-stream', 'x'] },
    { file: ['invoice.pdf', 'application/pdf', '%PDF-1.7'] },
  ],
  'attachments.other-type': [
    { file: ['photo.jpg', 'image/jpeg', 'MZ\x90\0'] },
    { file: ['photo.jpg', 'image/jpeg', new Uint8Array([0xff, 0xd8, 0xff, 0xe0])] },
  ],
  'attachments.page': [
    { file: ['invoice.html', 'text/html', '<form action="https://evil.example.net"><input></form>'] },
    { file: ['invoice.txt', 'text/plain', 'html'] },
  ],
  'attachments.disk': [
    { file: ['order.iso', 'application/octet-stream', 'x'] },
    { file: ['order.isolated', 'text/plain', 'x'] },
  ],
  'attachments.macro': [
    { file: ['order.docx', 'application/octet-stream', word({ 'word/vbaProject.bin': 'x' })] },
    { file: ['order.docx', 'application/octet-stream', word()] },
  ],
  'attachments.smuggling': [
    { file: ['a.html', 'text/html', '<script>const b = new Blob([atob("TVo=")])</script>'] },
    { file: ['a.html', 'text/html', '<script>const b = atob("TVo=")</script>'] },
  ],
  'attachments.template': [
    {
      file: [
        'a.docx',
        'application/zip',
        word({ 'word/_rels/settings.xml.rels': relations('attachedTemplate') }),
      ],
    },
    { file: ['a.docx', 'application/zip', word({ 'word/_rels/document.xml.rels': relations('hyperlink') })] },
  ],
  'attachments.objects': [
    { file: ['a.rtf', 'application/rtf', '{\\rtf1{\\object\\objemb{\\*\\objdata 01}}}'] },
    { file: ['a.rtf', 'application/rtf', '{\\rtf1 objdata}'] },
  ],
  'attachments.script': [
    { file: ['a.pdf', 'application/pdf', pdf('/OpenAction<</S/J#61vaScript/JS(x)>>')] },
    { file: ['a.pdf', 'application/pdf', pdf('/Title(/JavaScript)')] },
  ],
  'attachments.launch': [
    { file: ['a.pdf', 'application/pdf', pdf('/A<</S/Launch/F(cmd.exe)>>')] },
    { file: ['a.pdf', 'application/pdf', pdf('/A<</S/LaunchPad>>')] },
  ],
  'attachments.embedded': [
    { file: ['a.pdf', 'application/pdf', pdf('/Names<</EmbeddedFiles 2 0 R>>')] },
    { file: ['a.pdf', 'application/pdf', pdf('/Names<</Dests 2 0 R>>')] },
  ],
  'attachments.locked': [
    {
      text: 'The password is 4711.',
      file: ['a.zip', 'application/zip', storedZip({ 'a.txt': '' }, 1)],
    },
    { text: 'The password is 4711.', file: ['a.zip', 'application/zip', storedZip({ 'a.txt': '' })] },
  ],
  'attachments.odd-archive': [
    { file: ['order.ace', 'application/octet-stream', 'x'] },
    { file: ['order.zip', 'application/octet-stream', 'x'] },
  ],
  'attachments.only': [
    { text: 'See it', file: ['order.pdf', 'application/pdf', '%PDF-1.7'] },
    { text: WORDS, file: ['order.pdf', 'application/pdf', '%PDF-1.7'] },
  ],
  'content.sextortion': [
    { text: 'I recorded you through your webcam. Pay in bitcoin within 48 hours.' },
    { text: 'The recording of the concert is ready.' },
  ],
  'content.advancefee': [
    { text: 'I am the next of kin and want to transfer the sum of ten million dollars.' },
    { text: 'The next train is of a kin design.' },
  ],
  'content.donation': [
    { text: 'We have decided to donate the sum of money to you. You are a beneficiary of our donation.' },
    { text: 'Thank you for your donation to the museum.' },
  ],
  'content.loan': [
    { text: 'We offer loans at 3% interest rate, apply now for a loan.' },
    { text: 'The library loans books.' },
  ],
  'content.crypto': [
    { text: 'Your wallet has been suspended. Validate your wallet with your seed phrase.' },
    { text: 'I forgot my wallet at your place.' },
  ],
  'content.mailbox': [
    { text: 'Your mailbox is full. Your mailbox will be deactivated.' },
    { text: 'Our mailbox at the gate is green.' },
  ],
  'content.credentials': [
    { text: 'Please verify your account, or your account will be suspended.' },
    { text: 'On account of the rain we stay at home.' },
  ],
  'content.bankchange': [
    { text: 'Please note our new bank details. Our bank details have changed.' },
    { text: 'The river bank has changed in detail.' },
  ],
  'content.giftcard': [
    { text: 'Are you at your desk? I need you to buy some gift cards.' },
    { text: 'Thank you for the card and the gift.' },
  ],
  'content.parcel': [
    { text: 'Your parcel could not be delivered. Pay the customs fee to schedule a new delivery.' },
    { text: 'A parcel of land is for sale.' },
  ],
  'content.prize': [
    { text: 'Congratulations, you have been selected. Claim your prize now.' },
    { text: 'She got the first prize in school.' },
  ],
  'content.payment': [
    { text: 'Your payment was declined. Please update your payment method.' },
    { text: 'The bill was split between us.' },
  ],
  'content.antivirus': [
    { text: 'Your antivirus subscription has expired. Your computer is infected with viruses.' },
    { text: 'He has the flu, a virus.' },
  ],
  'content.tax': [{ text: 'You are eligible for a tax refund.' }, { text: 'The tax office is opposite.' }],
  'content.document': [
    { text: 'The document is ready for your signature.' },
    { text: 'We documented the voyage.' },
  ],
  'content.investment': [
    { text: 'Double your money with guaranteed returns on your investment.' },
    { text: 'We invested time in the garden.' },
  ],
  'content.job': [
    { text: 'Work from home and earn $500 per week. No experience needed.' },
    { text: 'The job is done.' },
  ],
  'content.romance': [
    { text: 'Lonely women near you want to meet. Hot singles in your area.' },
    { text: 'The near side of the lake.' },
  ],
  'content.health': [
    { text: 'Lose weight fast with keto gummies. Erectile dysfunction cured.' },
    { text: 'I lost my keys.' },
  ],
  'content.gambling': [
    { text: 'Casino welcome bonus: 200 free spins without deposit.' },
    { text: 'The wheel spins freely.' },
  ],
  'content.marketing': [
    { text: 'We can put your website on the first page of Google. Our SEO services are affordable.' },
    { text: 'The first page of the book is torn.' },
  ],
  'content.opendetails': [
    { text: 'Send your full name, address, age, occupation and phone number.' },
    { text: 'What is the name of your dog?' },
  ],
  'content.stranger': [
    { text: 'I have something important to discuss with you. Kindly get back to me for more details.' },
    { text: 'I have no time to discuss the details of the garden.' },
  ],
  'content.enquiry': [
    { text: 'We are interested in your products. Kindly send us your latest price list.' },
    { text: 'The list of our products is on the wall.' },
  ],
  'content.urgency': [
    { text: 'This is your final notice. Act now within 24 hours.' },
    { text: 'There is no hurry at all.' },
  ],
  'content.web-form': [
    { text: 'Message body: Ann likes you https://bit.ly/32sW8BP This e-mail was sent from a contact form.' },
    { text: 'Message body: see https://www.sender.example/a This e-mail was sent from a contact form.' },
  ],
  'content.mixed-letters': [
    { text: 'Deаr сustomеr, yоur ассоunt is сlоsеd.' },
    { text: 'Привет, это обычное письмо.' },
  ],
  'content.split-words': [
    { text: 'pa\u200bss\u200bwo\u200brd ex\u200bpi\u200bres' },
    { text: 'password\u200b expires\u200b' },
  ],
  'content.letters-as-signs': [{ text: '𝗩𝗲𝗿𝗶𝗳𝘆 𝘆𝗼𝘂𝗿 𝗮𝗰𝗰𝗼𝘂𝗻𝘁 𝗻𝗼𝘄' }, { text: 'The set 𝗔 is empty.' }],
  'content.form': [
    { html: '<form action="https://evil.example.net"><input type="password"></form>' },
    { html: '<p>password</p>' },
  ],
  'content.image-only': [
    { html: `<a href="https://evil.example.net/"><img src="https://evil.example.net/a.png"></a>` },
    {
      html: `<p>${WORDS}${WORDS}</p><a href="https://evil.example.net/"><img src="https://evil.example.net/a.png"></a>`,
    },
  ],
  'content.few-words': [
    { text: 'Look https://evil.example.net/x' },
    { text: `${WORDS} https://evil.example.net/x` },
  ],
  'content.short-letter': [
    { to: 'undisclosed-recipients:;', text: 'Can we do this together?' },
    { text: 'Can we do this together?' },
  ],
  'content.hidden': [
    { html: `<div style="display:none">${'noise words for filters '.repeat(30)}</div><p>Hi</p>` },
    { html: '<div style="display:none">In this issue</div><p>Hi</p>' },
  ],
  'content.far-below': [
    { html: '<p>Verify now</p><div style="margin-top: 470500px">In this issue</div>' },
    {
      html: '<div style="max-height: 99999px; padding-bottom: 32767px; min-height: 100vh">In this issue</div>',
    },
  ],
  'content.two-texts': [
    {
      text: PLAIN,
      html: `<p>${'Entirely different sentences stand within this other version. '.repeat(6)}</p>`,
    },
    { text: PLAIN, html: `<p>${PLAIN}</p>` },
  ],
  'content.brand': [
    { text: 'Dear client of PayPal, please verify your account.' },
    { from: 'PayPal <a@paypal.com>', text: 'Dear client of PayPal, please verify your account.' },
  ],
  'content.crypto-address': [
    { text: 'Pay to bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq today.' },
    { text: 'The tag is bc1q today.' },
  ],
  'content.callback': [
    { from: 'Billing <b@gmail.com>', text: 'Your subscription was renewed. To cancel call +1 888 555 0123.' },
    { from: 'Ann <ann@sender.example>', text: 'To cancel our dinner call +1 888 555 0123.' },
  ],
  'content.large-sum': [{ text: 'A sum of $5,500,000 is ready.' }, { text: 'It costs $55.' }],
  'content.greeting': [{ text: 'Dear customer,\n\nhello.' }, { text: 'Dear Bo,\n\nhello.' }],
  'content.empty-subject': [{ subject: 'Hello dear friend' }, { subject: 'Hello from the lake' }],
  'content.subject-link': [
    { subject: 'Alice wants to meet you https://bit.ly/32sW8BP' },
    { subject: 'News of https://www.sender.example/a' },
  ],
  'content.loud-subject': [{ subject: 'OPEN THIS IMMEDIATELY' }, { subject: 'Open this when you can' }],
  'content.priority': [{ more: ['X-Priority: 1 (Highest)'] }, { more: ['X-Priority: 3 (Normal)'] }],
  'content.number-subject': [
    { subject: 'Invoice is issued 6ZFYe8mltso' },
    { subject: 'Invoice is issued 2026' },
  ],
};

describe('each check', () => {
  it('has a mail that fires it and one that nearly does', () => {
    expect(Object.keys(CASES).sort()).toEqual(CHECKS.map(({ id }) => id).sort());
  });

  it.each(Object.entries(CASES))('%s', async (id, [fires, nearly]) => {
    const finding = (await assessed(fires)).findings.find(({ check }) => check === id);
    expect(finding?.sentence).toMatch(/^\P{Ll}.{10,}/u);
    expect(idsOf(await assessed(nearly))).not.toContain(id);
  });
});

describe('the password of an encrypted archive', () => {
  const file: Made['file'] = ['a.zip', 'application/zip', storedZip({ 'a.txt': '' }, 1)];
  const lockedFinding = async (text: string) =>
    (await assessed({ text, file })).findings.find(({ check }) => check === 'attachments.locked');

  it.each([
    ['Password: 1234', 'Password: 1234'],
    ['The password for the archive is Qx7', 'password for the archive is Qx7'],
    ['Das Passwort lautet geheim7', 'Passwort lautet geheim7'],
    ['Kennwort 4711', 'Kennwort 4711'],
    ['Mot de passe : abc', 'Mot de passe : abc'],
    ['La contraseña es 99x', 'contraseña es 99x'],
    ['Senha: 55', 'Senha: 55'],
    ['Hasło do pliku: abcd', 'Hasło do pliku: abcd'],
    ['Пароль: 123', 'Пароль: 123'],
    ['Şifre: 777', 'Şifre: 777'],
    ['解压密码：8888', '密码：8888'],
    ['パスワード：abc1', 'パスワード：abc1'],
    ['비밀번호: 0000', '비밀번호: 0000'],
    ['كلمة المرور: 123', 'كلمة المرور: 123'],
  ])('%s', async (text, quotation) => {
    expect(await lockedFinding(text)).toMatchObject({
      weight: 3.5,
      place: { kind: 'body', text: quotation },
    });
  });

  it.each(['We passed 1234 cars', 'Please send it to me', 'The compass points north'])(
    '%s: none',
    async (text) => {
      expect(await lockedFinding(text)).toMatchObject({ weight: 1, place: { kind: 'attachment' } });
    },
  );

  it('may be in a picture, which is said', async () => {
    const { findings } = await assessed({ text: '', html: '<img src="cid:a">', file });
    expect(findings.find(({ check }) => check === 'attachments.locked')?.sentence).toMatch(
      /picture.*unknown/,
    );
  });
});

it('a program in an archive is found with its place, and hardly counts among many files', async () => {
  const zip = (more: Record<string, string>) =>
    assessed({ file: ['photos.zip', 'application/zip', storedZip({ 'x/p.jpg_.jpg.exe': 'MZ', ...more })] });
  const findingsOf = async (more: Record<string, string>) =>
    (await zip(more)).findings.filter(({ check }) => /program|double/.test(check));
  expect(await findingsOf({})).toEqual([
    expect.objectContaining({
      check: 'attachments.packed-program',
      sentence: '“p.jpg_.jpg.exe” in “photos.zip” is a program: opening it runs it',
      weight: 5,
      place: { kind: 'attachment', name: 'photos.zip', text: 'x/p.jpg_.jpg.exe' },
    }),
    expect.objectContaining({ check: 'attachments.double-extension', weight: 5 }),
  ]);
  const sources = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`src/${index}.c`, 'x']));
  expect((await findingsOf(sources))[1]).toMatchObject({ check: 'attachments.packed-program', weight: 1.5 });
});

describe('the verdict', () => {
  it('of an ordinary mail is none, which is not clean', async () => {
    expect(await assessed({ more: [PASSED] })).toMatchObject({ verdict: null });
  });

  it.each(Object.entries(CASES))('no single weak sign decides: %s', async (id, [fires]) => {
    const { findings } = await assessed(fires);
    const [finding] = findings.filter(({ check }) => check === id);
    expect(finding?.weight ?? 0).toBeLessThanOrEqual(5);
  });

  it('of a mail with a name, a link and a lure of another organisation is found', async () => {
    const assessment = await assessed({
      from: 'PayPal Support <x@bonus.icu>',
      subject: 'Action required',
      html: `<p>Please verify your account within 24 hours.</p>${link('https://bonus.icu/login', 'www.paypal.com')}`,
    });
    expect(assessment.verdict).toBe('found');
    expect(assessment.findings[0]?.weight).toBeGreaterThan(2);
  });

  it('is not changed by list headers', async () => {
    const parts = {
      from: 'Mr. Right <a@gmail.com>',
      text: 'I am the next of kin. Transfer the sum of $5,000,000. God bless you.',
    };
    const alone = await assessed({ ...parts, more: ['Reply-To: b@yandex.com'] });
    const listed = await assessed({
      ...parts,
      more: ['Reply-To: b@yandex.com', 'List-Id: <x.example.org>', 'Precedence: list'],
    });
    expect(listed.verdict).toBe(alone.verdict);
    expect(listed.verdict).not.toBeNull();
  });

  const LIST = ['List-Id: <talk.lists.example>', 'List-Post: <mailto:talk@lists.example>'];
  it.each([
    ['names nobody', { to: '', more: LIST }, 3],
    ['names its own sender', { to: 'ann@sender.example', more: LIST }, 2.4],
    ['names somebody else', { to: 'cy@corp.example', more: LIST }, 1.8],
    [
      'names somebody else, through a list known by its owner',
      { to: 'cy@corp.example', more: ['Precedence: bulk', 'Return-Path: <talk-owner@lists.example>'] },
      1.8,
    ],
    ['names the list', { to: 'talk@lists.example', more: LIST }, undefined],
    ['names the list by another host', { to: 'talk@mx.lists.example', more: LIST }, undefined],
    ['answers', { to: 'cy@corp.example', more: [...LIST, ...ANSWER] }, undefined],
    [
      'is a newsletter to its reader',
      { to: 'cy@corp.example', more: ['List-Id: <1.mc.example>'] },
      undefined,
    ],
  ] as const)('of mail through a list that %s', async (_, { to, more }, weight) => {
    const { findings } = await assessed({ to, more: [...more] });
    expect(findings.find(({ check }) => check === 'sender.no-recipient')?.weight).toBe(weight);
  });

  it.each([
    'Fwd: Your funds',
    'WG: Ihr Geld',
    'ENC: Seu dinheiro',
    'RV: Su dinero',
    'TR: Votre argent',
    '转发：付款',
  ])('is not eased for what is passed on: %s', async (subject) => {
    const text = 'De: Barrister John\n\nI am the next of kin. Transfer the sum of $5,000,000.';
    const ids = (parts: Made) => assessed({ text, more: ANSWER, ...parts });
    expect(idsOf(await ids({ subject }))).not.toContain('authentication.conversation');
    expect(idsOf(await ids({ subject: `Re: ${subject}` }))).toContain('authentication.conversation');
    expect((await ids({ subject })).score).toBeGreaterThan(
      (await ids({ subject: `Re: ${subject}` })).score + 2,
    );
  });

  it('does not count what was judged behind a gateway or inside an organisation', async () => {
    const failed = 'spf=fail smtp.mailfrom=sender.example; dkim=fail; dmarc=fail; compauth=';
    const within = 'Received: from A.outlook.com (10.1.1.1) by B.prod.outlook.com with HTTPS';
    const border =
      'Received: from gateway.example (192.0.2.7) by A.protection.outlook.com with Microsoft SMTP Server';
    const of = async (results: string, above = [within], below = [border]) =>
      idsOf(await assessed({ more: [...above, `Authentication-Results: ${results}`, ...below] }));
    expect(await of(`${failed}fail reason=001`)).toEqual(
      expect.arrayContaining(['authentication.spf', 'authentication.dmarc', 'authentication.none']),
    );
    expect(await of(`${failed}none reason=301`)).toContain('authentication.spf');
    expect(await of(`${failed}none reason=451`)).toEqual(['authentication.dkim']);
    // Written by the sender: below the line of Microsoft's border, or where Microsoft did not receive the mail.
    expect(await of(`${failed}none reason=451`, [within, border], [])).toContain('authentication.spf');
    const other = 'Received: from x.outlook.com (192.0.2.7) by mx.victim.example with ESMTP';
    expect(await of(`${failed}none reason=451`, [other], [border])).toContain('authentication.spf');
    expect(await of(`${failed}none reason=451`, [], [])).toContain('authentication.spf');
    expect(await of('spf=none; dkim=none; dmarc=none')).toEqual(['authentication.none']);
    expect(await of('dkim=none (message not signed); dmarc=none')).toEqual([]);
    expect(await of('dkim=none (message not signed); dmarc=fail')).toContain('authentication.none');
  });

  it('does not take the phrases of a letter in a newsletter for one', async () => {
    const text = '<p>Get back to me for more details.</p>';
    const links = Array.from({ length: 4 }, (_, index) => link(`https://www.sender.example/${index}`)).join(
      '',
    );
    expect(idsOf(await assessed({ html: text }))).toContain('content.stranger');
    expect(idsOf(await assessed({ html: text + links }))).not.toContain('content.stranger');
  });

  it('of letters in full width depends on the script around them', async () => {
    const ids = async (subject: string) => idsOf(await assessed({ subject }));
    expect(await ids('ＰＡＹＰＡＬ account')).toContain('sender.mixed-letters');
    expect(await ids('ＥＴＣマイレージ')).not.toContain('sender.mixed-letters');
  });

  it('counts a phrase once, however often it is repeated', async () => {
    const once = await assessed({ text: 'You are the next of kin.' });
    expect((await assessed({ text: 'You are the next of kin. '.repeat(50) })).score).toBeLessThanOrEqual(
      once.score + 0.1,
    );
  });

  it('names what was not looked at', async () => {
    expect((await assessed({ text: 'word '.repeat(20_000) })).unchecked).toContain(
      'The end of a very long text was not checked',
    );
  });
});

describe('mails made against the checks', () => {
  it.each([
    ['invisible characters inside a lure', 'veri\u200bfy your ac\u200bcount'],
    ['letters of another alphabet', 'vеrify yоur аccоunt'],
    ['accents and width', 'vérify yóur account'],
    ['line breaks and punctuation', 'verify…\n  your\n account!'],
  ])('%s hide no phrase', async (_, text) => {
    expect(idsOf(await assessed({ text: `${text} now` }))).toContain('content.credentials');
  });

  const SIZE = 200_000;
  const PIECES = [
    'a ',
    '@',
    '<a href="https://x.test">',
    'verify ',
    '# ',
    '\u200b',
    'а',
    '1,000 ',
    '1',
    '_',
    'On a ',
    'i am your fund ',
    'dear ',
    '(555) ',
    'https://bit.ly/x ',
    'style="display:none" ',
    '<div style="font-size:1px">',
    'xn--',
    '. ',
    '\u{1d400}',
    'password: ',
  ];
  it.each(PIECES)('a text of many %j takes linear time', async (piece) => {
    const mails = new Map<number, CheckedMail>();
    for (const size of [SIZE / 8, SIZE]) {
      const text = piece.repeat(size / piece.length);
      const result = await parseMessage(rawOf({ text, html: text }));
      if (result.ok) mails.set(size, result.mail);
    }
    await expectLinear(SIZE, (size) => assess(mails.get(size)!));
  });
});
