import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import type { ExceptionRule } from '../exceptions/rule.ts';
import type { Attachment, EmailProfile } from './entities.ts';
import {
  AllowLists,
  commonDomains,
  emailSource,
  Indicators,
  indicatorColumns,
  indicatorLines,
  phonesIn,
  rowSource,
} from './indicators.ts';

const PROFILE = {
  from: { email: 'billing@nordlicht-logistlk.example' },
  reply_to: [{ email: 'pay@reply.example' }],
  to: [{ email: 'm.okafor@aldermoor.example' }],
  cc: [],
  client_ip: '203.0.113.77',
  subject: 'Call +1 (808) 555-0199 now',
  links: [{ url: 'https://nordlicht-logistlk.example/pay' }, { url: 'https://portal.aldermoor.example/x' }],
} as unknown as EmailProfile;
const file = (more: Partial<Attachment>): Attachment => ({ entity_id: 'a', name: 'a.pdf', ...more });
const values = (indicators: readonly { value: string }[]) => indicators.map(({ value }) => value);
const rule = (field: string, matching: string, value: string, list = 'allow'): ExceptionRule =>
  ({
    tool: 'ap_{product}',
    type: 'whitelist',
    list,
    conditions: [{ field, matching, value }],
  }) as ExceptionRule;

describe('Indicators', () => {
  const source = emailSource(PROFILE, [
    file({ sha256: 'a'.repeat(64) }),
    file({ md5: 'b'.repeat(32), is_inline: true }),
  ]);

  it('collects the sender’s side, links, files and phone numbers; lists our own side separately, and no inline pictures', () => {
    const indicators = new Indicators([], new AllowLists([]));
    indicators.add(source);
    expect(values(indicators.list())).toEqual([
      'billing@nordlicht-logistlk.example',
      'pay@reply.example',
      'nordlicht-logistlk.example',
      'reply.example',
      '203.0.113.77',
      'https://nordlicht-logistlk.example/pay',
      'a'.repeat(64),
      '+18085550199',
    ]);
    expect(values(indicators.list('own'))).toEqual([
      'portal.aldermoor.example',
      'https://portal.aldermoor.example/x',
    ]);
  });

  it('gives the same result for a row with the same values', () => {
    const fields = [
      { id: 'from_email', type: 'email' },
      { id: 'reply_to', type: 'email' },
      { id: 'client_ip', type: 'ip' },
      { id: 'link_urls', type: 'url' },
      { id: 'attachment_md5', type: 'hash' },
      { id: 'file_hashes', type: 'hash' },
      { id: 'to', type: 'email' },
      { id: 'subject', type: 'text' },
      { id: 'size', type: 'bytes' },
    ];
    expect(indicatorColumns(fields)).not.toContain('attachment_md5');
    const [first, other] = [new Indicators([], new AllowLists([])), new Indicators([], new AllowLists([]))];
    first.add(source);
    other.add(
      rowSource(
        {
          from_email: 'billing@nordlicht-logistlk.example',
          reply_to: 'pay@reply.example',
          client_ip: '203.0.113.77',
          link_urls: ['https://nordlicht-logistlk.example/pay', 'https://portal.aldermoor.example/x'],
          attachment_md5: ['b'.repeat(32)],
          file_hashes: ['a'.repeat(64)],
          to: 'm.okafor@aldermoor.example',
          subject: 'Call +1 (808) 555-0199 now',
          size: 3,
        },
        fields,
      ),
    );
    expect(other.list()).toEqual(first.list());
    expect(other.list('own')).toEqual(first.list('own'));
  });

  it.each([
    [rule('from_domain', 'ends_with', 'nordlicht-logistlk.example'), 3],
    [rule('from_email', 'exact', 'PAY@reply.example'), 1],
    [rule('client_ip', 'matching', '203.0.113.0/24'), 1],
    [rule('hash', 'exact', 'A'.repeat(64)), 1],
    [rule('links', 'contains', 'logistlk.example/pay'), 1],
    [rule('from_domain', 'ends_with', 'nordlicht-logistlk.example', 'block'), 0],
  ])('leaves out values on an allow list: %j', (allowed, count) => {
    const indicators = new Indicators([], new AllowLists([allowed]));
    indicators.add(source);
    expect(indicators.list('allowed')).toHaveLength(count);
  });

  it('recognises the organisation’s own domains and private addresses', () => {
    const indicators = new Indicators(['corp.example'], new AllowLists([]));
    indicators.add({ values: ['ceo@mail.corp.example', '10.1.2.3', 'notcorp.example'], prose: [], own: [] });
    expect(values(indicators.list())).toEqual(['notcorp.example']);
  });

  it('is listed defanged or raw, optionally with types', () => {
    const list = [
      { type: 'domain', value: 'a.example' },
      { type: 'phone', value: '+18085550199' },
    ] as const;
    expect(indicatorLines(list, { defanged: true, typed: false })).toBe('a[.]example\n+18085550199');
    expect(indicatorLines(list, { defanged: false, typed: true })).toBe(
      'domain\ta.example\nphone\t+18085550199',
    );
  });
});

describe('phonesIn', () => {
  it.each([
    ['Call +1 (808) 555-0199 now', ['+18085550199']],
    ['Tel. 0049 30 901820', ['+4930901820']],
    ['1-888-555-0142 or (888) 555-0143', ['18885550142', '8885550143']],
    ['+44 20 7946 0958, +44 20 7946 0958', ['+442079460958']],
    ['on 2026-11-19 at 12:30', []],
    ['from 192.168.100.200', []],
    ['order 12345678901', []],
    ['version 1.2.3.4', []],
  ])('%j has %j', (text, phones) => expect(phonesIn(text)).toEqual(phones));
  it.each(['+1 ', '1', '(123)'])('takes linear time for hostile text of %j', (piece) =>
    expectLinear(100_000, (count) => phonesIn(piece.repeat(count))),
  );
});

it('a domain in two spellings is one indicator, and one of our own in either', () => {
  const [unicode, punycode] = ['bücher.example', 'xn--bcher-kva.example'];
  const source = (domain: string) => ({
    values: [domain, domain.toUpperCase(), `a@${domain}`, `https://${domain}/a`],
    prose: [],
    own: [],
  });
  const indicators = new Indicators([], new AllowLists([]));
  for (const domain of [unicode, punycode]) indicators.add(source(domain));
  expect(indicators.list().map(({ type }) => type)).toEqual(['address', 'domain', 'url']);
  for (const domain of [unicode, punycode]) {
    const ours = new Indicators(commonDomains([`x@${domain}`]), new AllowLists([]));
    for (const other of [unicode, punycode]) ours.add(source(other));
    expect(ours.list()).toEqual([]);
  }
});

it('commonDomains returns the frequent ones', () =>
  expect([
    ...commonDomains([
      'a@x.example',
      'b@x.example',
      'c@x.example',
      'd@x.example',
      'e@x.example',
      'f@y.example',
    ]),
  ]).toEqual(['x.example']));

it('a cell with more values than a call can have arguments is read', () => {
  const row = { entity_id: 'x', to: Array.from({ length: 200_000 }, () => 'a@b.example') };
  expect(rowSource(row, [{ id: 'to', type: 'email' }]).own).toHaveLength(200_000);
});
