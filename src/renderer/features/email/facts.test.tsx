import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it, test } from 'vitest';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import { Facts } from '#renderer/ui/facts.tsx';
import { parseHeaders } from '#shared/mail/headers.ts';
import type { EmailProfile } from '#shared/model/entities.ts';
import { lookalikeReader } from '#shared/model/lookalike.ts';
import { emailFacts, knownFacts } from './facts.tsx';
import type { EmailReads } from './use-email.ts';

const NOW = Date.UTC(2026, 10, 19, 12);
const PROFILE: EmailProfile = {
  entity_id: 'e1',
  saas: 'office365_emails',
  from: { name: 'Ada', email: 'ada@corp.example' },
  to: [{ email: 'b@home.example' }],
  cc: [],
  bcc: null,
  subject: 'x',
  received: '2026-11-19T08:00:00Z',
  sent: '2026-11-19T07:59:00Z',
};
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** The facts as text, by label. */
function factsOf(
  more: Partial<EmailProfile>,
  reads: { props?: unknown; headers?: string; classification?: unknown } = {},
): Record<string, string> {
  const email = {
    entityId: 'e1',
    props: reads.props ?? { data: undefined, error: null },
    restorable: { data: undefined },
    classification: reads.classification ?? { data: undefined, loading: false, error: null },
    parsed: reads.headers === undefined ? null : { headers: parseHeaders(reads.headers, decode) },
    tools: { appName: (saas: string) => (saas === 'office365_emails' ? 'Microsoft 365 Mail' : saas) },
  } as unknown as EmailReads;
  const facts = emailFacts(
    { ...PROFILE, ...more },
    {
      clock: 'utc',
      now: NOW,
      email,
      lookalike: lookalikeReader(['home.example', 'paypal.com']),
      onRecipients: () => undefined,
      onIdentify: null,
    },
  );
  return Object.fromEntries(
    facts.map((fact) => [
      fact.label,
      renderToStaticMarkup(<Facts facts={[fact]} />)
        .replace(/<dt>.*?<\/dt>/, '')
        .replaceAll('<wbr/>', '')
        .replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    ]),
  );
}

it('the facts show the full subject, and say so if there is none', () => {
  const long = 'Invoice overdue '.repeat(20).trim();
  expect(factsOf({ subject: long })['Subject']).toBe(long);
  expect(factsOf({ subject: '' })['Subject']).toBe('None');
});

it('recipients that only servers name are listed under a label of their own, if there are any', () => {
  expect(factsOf({ delivered_to: [{ email: 'c@home.example' }] })['Delivered to']).toContain('c@');
  expect(factsOf({})).not.toHaveProperty('Delivered to');
  expect(factsOf({ delivered_to: [] })).not.toHaveProperty('Delivered to');
});

it('a date in another language is shown with its text', () => {
  const { Sent } = factsOf({ sent: '2007-08-30T13:55:12Z' }, { headers: 'Date: jue ago 30 13:55:12 2007' });
  expect(Sent).toContain('read from “jue ago 30 13:55:12 2007”; no time zone; read as UTC');
});

describe('the sender', () => {
  it('[limit 5 addresses] a reply to another organisation is marked, one within the same is not', () => {
    expect(factsOf({ reply_to: [{ email: 'x@evil.example' }] })['Reply-To']).toContain('differs from From');
    expect(factsOf({ reply_to: [{ email: 'x@mail.corp.example' }] })['Reply-To']).not.toContain('differs');
    expect(factsOf({ reply_to: [] })['Reply-To']).toBe('None');
    const harmless = Array.from({ length: 40 }, (_, index) => ({ email: `x${index}@corp.example` }));
    const hidden = factsOf({ reply_to: [...harmless, { email: 'x@evil.example' }] })['Reply-To'];
    expect(hidden).toMatch(/^x@ ?evil\.example.*and 36 more.*differs from From/);
    expect(factsOf({ reply_to: harmless.slice(0, 5) })['Reply-To']).not.toContain('more');
    expect(factsOf({})['Reply-To']).toBe('Not recorded');
  });

  it('a return path of another domain is noted', () => {
    expect(factsOf({ return_path: 'bounce@bulk.example' })['Return-Path']).toContain(
      'different domain from From',
    );
    expect(factsOf({ return_path: 'bounce@corp.example' })['Return-Path']).not.toContain('different');
  });

  it('a Sender that only repeats From is left out', () => {
    expect(factsOf({ sender: { email: 'ADA@corp.example' } })).not.toHaveProperty('Sender');
    expect(factsOf({ sender: { email: 'list@corp.example' } })['Sender']).toContain('list@corp.example');
  });

  it('an address that imitates a known domain says which', () => {
    const from = { email: 'service@p\u0430ypal.com' };
    expect(factsOf({ from })['From']).toContain('looks like');
    expect(factsOf({})['From']).not.toContain('looks like');
  });

  it('[promise] a homograph is shown in Punycode, beside the domain that it imitates', () => {
    const words = factsOf({ from: { email: 'l.petrova@аррӏе.example' } })['From'];
    expect(words).toMatch(/l\.petrova@ xn--80ak6aa92e/);
    expect(words).toContain('looks like apple.example');
    expect(words).not.toMatch(/[а-ӿ]/);
  });

  it('[promise] a long address wraps behind @, dots and hyphens', () => {
    const html = renderToStaticMarkup(<EntityValue entity={{ kind: 'email', value: 'a.b@c-d.example' }} />);
    expect(html).toContain('>a.<wbr/>b@<wbr/>c-<wbr/>d.<wbr/>example<');
  });
});

describe('times', () => {
  it.each([
    ['2026-12-24T00:00:00Z', 'Implausible: ahead'],
    ['1970-01-01T00:00:00Z', 'Implausible: too far in the past'],
  ])('%s is marked', (received, words) => {
    expect(factsOf({ received })['Received']).toContain(words);
  });

  it('a Date header that is not a date is shown as it is, and one without a zone says so', () => {
    expect(factsOf({ sent: null }, { headers: 'Date: next week\r\n\r\n' })['Sent']).toBe(
      'Unreadable: “next week”',
    );
    expect(factsOf({}, { headers: 'Date: Thu, 19 Nov 2026 07:59:00\r\n\r\n' })['Sent']).toContain(
      'no time zone',
    );
    expect(factsOf({ sent: null })['Sent']).toBe('Not recorded');
  });
});

describe('quarantine and restore', () => {
  const held = { quarantined: true, by: 'policy' };
  it.each([
    ['nothing requested', {}, 'Not requested'],
    ['requested', { restore_info: { requested: true, restored: false, by: 'b@home.example' } }, 'Requested'],
    [
      'declined although restored',
      { restore_info: { requested: true, restored: true }, decline_info: { declined: true } },
      'also marked as restored',
    ],
  ])('%s', (_, more, words) => {
    const info = { quarantine_info: held, restore_info: { requested: false, restored: false }, ...more };
    expect(factsOf(info)['Restore']).toContain(words);
  });

  it('says so when the values come from the plain profile because the restore service failed', () => {
    const props = { data: undefined, error: { code: 'server', message: 'no' } };
    expect(factsOf({ quarantine_info: held }, { props })['Restore']).toContain(
      'the restore service did not answer',
    );
  });
});

test.each([
  [{ by: ['ada', 'bob'], count: 5 }, 'By 5 users', 'by ada, bob and 3 more'],
  [{ by: ['ada', 'bob', 'cy', 'di', 'ed'], count: 5 }, 'By 5 users', 'by ada, bob, cy and 2 more'],
  [{ by: ['ada', 'bob', 'cy'], count: 3 }, 'By 3 users', 'by ada, bob, cy'],
  [{ by: ['ada', 'bob', 'cy', 'di'], count: 2 }, 'By 4 users', 'by ada, bob, cy and 1 more'],
  [{ by: ['ada'] }, 'By 1 user', 'by ada'],
  [{ count: 7 }, 'By 7 users', ''],
  [{}, 'Yes', ''],
])('who reported it: %j', (info, count, who) => {
  const fact = factsOf({ report_phishing_info: { reported: true, ...info } })['Reported'];
  expect(fact).toBe(`${count} ${who}`.trim());
});

test('classifications are capitalised like verdicts', () => {
  const classification = {
    data: { rows: [{ entity_id: 'e1', classification: 'not_scanned' }] },
    loading: false,
    error: null,
  };
  expect(factsOf({}, { classification })['Classified']).toBe('Not scanned');
});

test('recipients that the service does not report are shown as not recorded, not as none', () => {
  const facts = factsOf({ to: null, cc: null, saas: null });
  expect([facts['To'], facts['Cc'], facts['App']]).toEqual(['Not recorded', 'Not recorded', 'Not recorded']);
  expect(factsOf({ to: [], cc: [] })['Cc']).toBe('None');
});

test('until the profile has loaded, only the values from the list are shown', () => {
  const row = {
    list: 'Q',
    verdict: null,
    code: null,
    from: 'a@b.example',
    fromName: null,
    to: null,
    received: null,
  };
  expect(knownFacts(row, 'utc')?.map(({ label }) => label)).toEqual(['From']);
});

test('unknown values are shown neither as none nor as no', () => {
  const facts = factsOf({ to: [], bcc: null });
  expect([facts['To'], facts['Bcc'], facts['Reported'], facts['Encrypted']]).toEqual([
    'None',
    'Not recorded',
    'Not recorded',
    'Not recorded',
  ]);
  expect(factsOf({}, { classification: { data: undefined, loading: false, error: {} } })['Classified']).toBe(
    'Unknown',
  );
});

test('recipients beyond the limit are counted, and the app is shown by its label', () => {
  const to = Array.from({ length: 5 }, (_, n) => ({ email: `u${n}@home.example` }));
  expect(factsOf({ to })['To']).toContain('4 others');
  expect(factsOf({})['App']).toBe('Microsoft 365 Mail');
});

describe('the origin of a mail of evidence', () => {
  const EVIDENCE = {
    sha256: 'ab'.repeat(32),
    imported: '2026-11-19T08:00:00Z',
    importer: '7',
    places: [
      { file: 'M\\xFCller\u202e.mbox', offset: 1_234, length: 99, quoted: true, absent: null },
      { file: 'b.eml', offset: 0, length: 99, quoted: false, absent: 'gone' },
    ],
    places_total: 12,
    attached_to: [{ entity_id: 'r1', subject: 'Fwd: look', from: 'user@corp.example', part: '2' }],
    attached_to_total: 1,
    attached: [{ entity_id: 'l1', subject: 'Lure', from: null, part: '3/reports.zip/in/lure.eml' }],
    attached_total: 1,
    problems: ['the date "x" cannot be read'],
    active: { remote: 2, forms: 1, scripts: 0, handlers: 0 },
    auth_trusted: false,
    findings: [],
    score: null,
    unchecked: [],
  };

  it('shows its files, the report, the hash and the importer', () => {
    const facts = factsOf({ provenance: EVIDENCE });
    expect(facts['Attached to']).toBe('Fwd: look user@corp.example');
    expect(facts['Found in']).toContain('99 bytes at 1,234');
    expect(facts['Found in']).toContain('b.eml 99 bytes at 0 No longer there');
    expect(facts['Found in']).toContain('and 10 more');
    expect(facts['Found in']).not.toContain('\u202e');
    expect(facts['Imported']).toContain('By importer version 7');
    expect(facts['Active content']).toBe('2 remote resources, 1 form');
    expect(facts['Parsing problems']).toBe('the date &quot;x&quot; cannot be read');
    expect(facts['Attached emails']).toBe('Lure No sender in reports.zip/in/lure.eml');
    expect(factsOf({ provenance: { ...EVIDENCE, attached_total: 0 } })['Attached emails']).toBeUndefined();
  });

  it('is omitted for a tenant, and a mail that is only an attachment has no file', () => {
    expect(factsOf({})['Found in']).toBeUndefined();
    expect(factsOf({ provenance: { ...EVIDENCE, places: [], places_total: 0 } })['Found in']).toBe(
      'Only attached to other emails',
    );
  });

  const received = (headers: string, more: Partial<EmailProfile>) =>
    factsOf({ sent: PROFILE.received, ...more }, { headers })['Received'];

  it('“Received” says that it is only the sender’s date if no server recorded one', () => {
    expect(received('Date: x\r\n\r\n', { provenance: EVIDENCE })).toContain('from the Date header');
  });
  it('“Received” needs no such note if a server recorded it, or a service reports it', () => {
    const hop = 'Received: by mx.test; Thu, 19 Nov 2026 08:00:00 +0000\r\n\r\n';
    expect(received(hop, { provenance: EVIDENCE })).not.toContain('Date header');
    expect(received('Date: x\r\n\r\n', {})).not.toContain('Date header');
  });
});
