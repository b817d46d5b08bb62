/** What a rule from a reason looks for: the value at its place, else the check, else the sender. */
import { expect, it } from 'vitest';
import type { EmailFinding } from '#shared/model/entities.ts';
import { ruleFrom } from './rule-from.ts';
import type { EmailReads } from './use-email.ts';

/** Only the reads that are used. */
const READS = {
  profile: {
    data: {
      subject: 'Pay now',
      from: { email: 'Ann@Mail.Evil.test' },
      reply_to: [{ email: 'bo@free.test' }],
      links: [
        { url: 'http://evil.test/a', host: 'evil.test' },
        { url: 'http://real.test/b', host: 'real.test', rewritten_url: 'https://gate.test/?u=b' },
      ],
    },
  },
  attachments: { data: { rows: [{ name: 'a.zip', sha256: 'ab12' }, { name: 'b.txt' }] } },
} as unknown as EmailReads;

const finding = (place: Partial<EmailFinding['place']>, more: Partial<EmailFinding> = {}): EmailFinding => ({
  check: 'links.text-differs',
  tool: 'links',
  sentence: 'It is odd',
  weight: 3,
  place: { kind: 'mail', name: '', text: '', ...place },
  ...more,
});

it.each<[string, EmailFinding, [field: string, operator: string, value: string]]>([
  [
    'a link: its host',
    finding({ kind: 'link', name: 'http://evil.test/a' }),
    ['link_domains', 'is', 'evil.test'],
  ],
  [
    'a rewritten link: the host behind it',
    finding({ kind: 'link', name: 'https://gate.test/?u=b' }),
    ['link_domains', 'is', 'real.test'],
  ],
  ['a link that is no web address', finding({ kind: 'link', name: 'data:x' }), ['link_urls', 'is', 'data:x']],
  [
    'an attachment: its hash',
    finding({ kind: 'attachment', name: 'a.zip' }),
    ['attachment_sha256', 'is', 'ab12'],
  ],
  [
    'an attachment without a hash: its name',
    finding({ kind: 'attachment', name: 'b.txt' }),
    ['attachment_names', 'is', 'b.txt'],
  ],
  [
    'From: the domain',
    finding({ kind: 'header', name: 'From', text: 'Ann' }),
    ['from_domain', 'is', 'mail.evil.test'],
  ],
  ['Reply-To', finding({ kind: 'header', name: 'reply-to' }), ['reply_to', 'is', 'bo@free.test']],
  ['the subject', finding({ kind: 'header', name: 'Subject' }), ['subject', 'contains_phrase', 'Pay now']],
  [
    'another header',
    finding({ kind: 'header', name: 'X-Mailer', text: 'Fox' }),
    ['headers', 'contains_phrase', 'Fox'],
  ],
  [
    'words of the body, cut',
    finding({ kind: 'body', text: 'verify now…' }),
    ['body', 'contains_phrase', 'verify now'],
  ],
  ['signs of the body', finding({ kind: 'body', text: '!!!' }), ['body', 'contains_text', '!!!']],
  ['no place: the check', finding({}), ['findings', 'contains_any', 'links.text-differs']],
  [
    'no place, of another rule: the sender',
    finding({}, { check: 'rule.r1' }),
    ['from_domain', 'is', 'mail.evil.test'],
  ],
])('%s', (_, reason, [field, operator, value]) => {
  expect(ruleFrom(reason, READS).condition).toEqual({
    operator: 'and',
    conditions: [{ field, operator, values: [value] }],
  });
});

it('the severity follows the strength, and hostile characters are visible in its words', () => {
  const { severity, name } = ruleFrom(finding({ kind: 'body', text: 'a\u202eb' }, { weight: 1 }), READS);
  expect([severity, name]).toEqual([2, 'The body says “a‹U+202E›b”']);
});

it('without anything to look for, the rule begins without a condition', () => {
  const nothing = { profile: {}, attachments: {} } as unknown as EmailReads;
  expect(ruleFrom(finding({ kind: 'header', name: 'From' }, { check: 'rule.r1' }), nothing)).toEqual({
    severity: 4,
  });
});
