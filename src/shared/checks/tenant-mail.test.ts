import { expect, it } from 'vitest';
import { decodeBytes } from '../mail/charsets.ts';
import { parseHeaders } from '../mail/headers.ts';
import { assessTenantMail, type TenantMail } from './tenant-mail.ts';

const headersOf = (...lines: string[]) => parseHeaders(`${lines.join('\r\n')}\r\n`, decodeBytes).headers;
const LURE: TenantMail = {
  headers: headersOf(
    'From: "PayPal" <service@account-check.example>',
    'To: b@corp.example',
    'Subject: Your account has been limited',
  ),
  body: {
    html: '<p>Confirm your password.</p><a href="https://evil.example/login">https://www.paypal.com/signin</a>',
  },
  attachments: [],
};

it('finds in the answers of a service what it finds in a file', () => {
  const { verdict, findings, unchecked } = assessTenantMail(LURE);
  expect(verdict).not.toBeNull();
  expect(findings.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['links.text-differs', 'sender.brand']),
  );
  expect(unchecked).toEqual([]);
});

it.each<[Partial<TenantMail>, RegExp]>([
  [{ headers: null }, /headers could not be loaded/],
  [{ body: null }, /body could not be loaded/],
  [{ attachments: null }, /attachments could not be loaded/],
  [{ attachments: [{ entity_id: 'a', name: 'a.zip' }] }, /names and types only/],
  [{ body: { text: 'x'.repeat(256 * 1024 + 1) } }, /end of a very long text/],
])('names what it did not look at: %#', (missing, words) => {
  const { unchecked } = assessTenantMail({ ...LURE, ...missing });
  expect(unchecked.filter((sentence) => words.test(sentence))).toHaveLength(1);
});

it.each([{ text: 'x '.repeat(256 * 1024) }, { html: '<b></b>x'.repeat(32 * 1024 + 1) }])(
  'says once that the end of a text was not read: %#',
  (body) => {
    expect(assessTenantMail({ ...LURE, body }).unchecked).toEqual([
      'The end of a very long text was not checked',
    ]);
  },
);

it('reads a body of exactly its limit whole, and a dangerous name of an attachment', () => {
  const { findings, unchecked } = assessTenantMail({
    ...LURE,
    body: { html: '<b></b>x'.repeat(32 * 1024) },
    attachments: [{ entity_id: 'a', name: 'invoice.pdf.exe', is_inline: false }],
  });
  expect(unchecked.some((sentence) => sentence.includes('very long'))).toBe(false);
  expect(findings.some(({ tool }) => tool === 'attachments')).toBe(true);
});
