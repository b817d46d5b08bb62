import { describe, expect, it } from 'vitest';
import { extraColumns, extraFacts } from '#renderer/entity/extra-facts.ts';
import { analyseHeaders } from '#shared/mail/analysis.ts';
import { parseHeaders } from '#shared/mail/headers.ts';
import { type Attachment, emailProfile } from '#shared/model/entities.ts';
import { bestHash } from '#shared/model/similar.ts';
import { expectLinear } from '#tests/support/growth.ts';
import { authBoxes } from './auth-boxes.ts';
import {
  blockedRemote,
  contactedHosts,
  contentIdKey,
  firstOfSrcset,
  isRasterData,
  nothingBlocked,
  removedActive,
} from './body-blocked.ts';
import { isTooNested, readableText, stripTags } from './body-text.ts';
import { codeRows, cutAtHits, findRows, MAX_ROW } from './code-lines.ts';
import { attachmentVerdict, nameParts, otherType, totalSize } from './email-values.ts';
import { recipientCounts, recipientKind, recipientPlace } from './labels.ts';

const attachment = (more: Partial<Attachment> = {}): Attachment => ({
  entity_id: 'a',
  name: 'a.pdf',
  ...more,
});

describe('attachments', () => {
  it.each([
    ['application/pdf', 'application/x-msdownload', 'application/x-msdownload'],
    ['application/octet-stream', 'application/pdf', 'application/pdf'],
    [null, 'application/pdf', 'application/pdf'],
    ['application/PDF', 'application/pdf', null],
    ['application/x-zip-compressed', 'application/zip', null],
    ['application/msword', 'application/x-cfb', null],
    ['application/pdf', 'application/x-cfb', 'application/x-cfb'],
    ['text/csv', 'text/plain', null],
    ['application/pdf', null, null],
  ])('declared as %s, with the bytes of %s: shows %s', (mime_type, content_type, shown) =>
    expect(otherType(attachment({ mime_type, content_type }))).toBe(shown),
  );
  it.each([
    ['INV.pdf.html', 'INV.pdf', '.html', true],
    ['photo.jpg.exe', 'photo.jpg', '.exe', true],
    ['INV.pdf.application', 'INV.pdf', '.application', true],
    ['INV.pdf.SettingContent-ms', 'INV.pdf', '.SettingContent-ms', true],
    ['INV.pdf.exe ', 'INV.pdf', '.exe ', true],
    ['archive.tar.gz', 'archive.tar', '.gz', false],
    ['page.html', 'page', '.html', false],
    ['v1.2.html', 'v1.2', '.html', false],
    ['no extension', 'no extension', '', false],
    ['.profile', '.profile', '', false],
  ])('splits %s before its last extension', (name, lead, end, isDouble) => {
    expect(nameParts(name)).toEqual({ lead, end, isDouble });
  });

  it('an attachment without a code or a count is not scanned', () => {
    expect(attachmentVerdict(attachment()).verdict).toBe('not-scanned');
    expect(attachmentVerdict(attachment({ verdict_code: 'malw', matches: 1 })).verdict).toBe('found');
    expect(attachmentVerdict(attachment({ verdict_code: 'clean', matches: 0 })).verdict).toBe('clean');
  });

  it('prefers the strongest hash, and shows no total size if one is unknown', () => {
    expect(bestHash(attachment({ md5: 'm', sha256: 's' }))).toMatchObject({
      value: 's',
      field: 'attachment_sha256',
    });
    expect(bestHash(attachment())).toBeNull();
    expect(totalSize([attachment({ size: 2 }), attachment({ size: 3 })])).toBe(5);
    expect(totalSize([attachment({ size: 2 }), attachment()])).toBeNull();
  });
});

describe('blocked content', () => {
  it('is found in a srcset of many commas in linear time', () =>
    expectLinear(50_000, (count) => firstOfSrcset(`${','.repeat(count)}x`)));

  it('is summarised by kind, with the hosts that would be contacted', () => {
    const blocked = {
      ...nothingBlocked(),
      images: ['https://a.example/1', 'https://a.example/2', 'https://b.example/3'],
      trackers: ['https://t.example/o'],
      scripts: 2,
      forms: ['x.example'],
    };
    expect(blockedRemote(blocked)).toBe('3 images, 1 tracker');
    expect(removedActive(blocked)).toBe('2 scripts, 1 form');
    expect(blockedRemote(nothingBlocked())).toBe('');
    expect(contactedHosts(blocked.images)).toEqual([
      { host: 'a.example', shown: 'a[.]example', images: 2 },
      { host: 'b.example', shown: 'b[.]example', images: 1 },
    ]);
  });

  it.each([
    ['data:image/png;base64,iVBORw0KGgo=', true],
    ['DATA:IMAGE/JPEG;base64,AA==', true],
    ['data:image/svg+xml;base64,AA==', false],
    ['data:text/html;base64,AA==', false],
    ['data:image/png,raw', false],
    ['data:image/png;base64,AA==")url(https://x.example', false],
  ])('accepts %s as a picture: %s', (url, is) => {
    expect(isRasterData(url)).toBe(is);
  });

  it('reads Content-IDs and srcsets as mail writes them', () => {
    expect(contentIdKey('<Logo@X.example>')).toBe('logo@x.example');
    expect(contentIdKey('cid:logo%40x.example')).toBe('logo@x.example');
    expect(contentIdKey('cid:%E0%A4%A')).toBe('%e0%a4%a');
    expect(firstOfSrcset(' https://a.example/1.png 1x, https://a.example/2.png 2x')).toBe(
      'https://a.example/1.png',
    );
  });
});

describe('raw text', () => {
  it('splits long lines without renumbering, and searches without regard to case', () => {
    const rows = codeRows(`From: a\r\n${'x'.repeat(MAX_ROW + 1)}\nSubject: Hello`);
    expect(rows.map(({ line }) => line)).toEqual([1, 2, 0, 3]);
    expect(findRows(rows, 'hello')).toEqual([3]);
    expect(findRows(rows, '')).toEqual([]);
    expect(cutAtHits('Hello hello', 'HELLO')).toEqual(['', 'Hello', ' ', 'hello', '']);
    expect(cutAtHits('İİ fraud İ', 'FRAUD')).toEqual(['İİ ', 'fraud', ' İ']);
  });
});

describe('text of a body', () => {
  it.each([
    ['<p>Dear <b>you</b>,<br>see</p><p>bye</p>', 'Dear you,\nsee\n\nbye'],
    ['<style>p{}</style><script>x()</script>a<!-- no -->b', 'ab'],
    ['<img alt="a>b">1 < 2 &amp; 3', '1 < 2 &amp; 3'],
    ['<td>a<td>b', 'a b'],
    ['<script>never closed', ''],
    ['<a href="x', ''],
    [
      `<p>${'İ'.repeat(120)}</p><style>x</style>the fraud<script>y</script> and more`,
      `${'İ'.repeat(120)}\nthe fraud and more`,
    ],
  ])('strips %s', (html, text) => {
    expect(stripTags(html)).toBe(text);
  });
  it.each(['<a href="', '<script>', '<!--', '<', '<div>'])('strips %j, repeated, in linear time', (piece) =>
    expectLinear(200_000, (count) => stripTags(piece.repeat(count))),
  );
  it('defangs addresses and names hidden characters', () => {
    expect(readableText('go https://a.example/x\nnow\u202e')).toBe('go hxxps://a[.]example/x\nnow‹U+202E›');
  });
  it('detects markup that nests too deeply', () => {
    expect(isTooNested('<div>'.repeat(3000))).toBe(true);
    expect(isTooNested('<p>x<td>y'.repeat(3000))).toBe(false);
    expect(isTooNested('<div>x</div>'.repeat(3000))).toBe(false);
  });
});

describe('authBoxes', () => {
  const boxes = (text: string) =>
    authBoxes(analyseHeaders(parseHeaders(text, (bytes) => new TextDecoder().decode(bytes)).headers));
  const RECEIVED = 'Received: from h by mx.example; Mon, 1 Jan 2024 10:00:00 +0000';
  const of = (results: string) =>
    boxes(`Authentication-Results: mx.example; ${results}\r\n${RECEIVED}\r\nFrom: a@x.example\r\n\r\n`);
  it('[promise] mentions alignment only for checks that passed', () => {
    const [spf, dkim, dmarc] = of(
      'spf=fail smtp.mailfrom=a@x.example; dkim=none header.d=x.example; dmarc=fail header.from=x.example',
    );
    expect([spf?.detail, dkim?.detail, dmarc?.detail]).toEqual([
      'for x.example',
      'no signature',
      'for x.example',
    ]);
  });
  it('a failed DKIM signature of From’s domain outranks a pass of another domain', () => {
    const [, dkim] = of('dkim=pass header.d=other.example; dkim=fail header.d=x.example');
    expect(dkim).toMatchObject({ result: 'fail', tone: 'bad', detail: 'for x.example, 2 signatures' });
  });
  it('[promise] with one aligned pass for DMARC, the other identifier causes no caution', () => {
    const [spf, dkim] = of(
      'spf=pass smtp.mailfrom=a@bulk.example; dkim=pass header.d=x.example; dmarc=pass header.from=x.example',
    );
    expect(spf).toMatchObject({ tone: 'none', detail: 'for bulk.example, not aligned' });
    expect(dkim).toMatchObject({ tone: 'good', detail: 'aligned with From' });
    const [unproven] = of('spf=pass smtp.mailfrom=a@bulk.example; dmarc=fail header.from=x.example');
    expect(unproven).toMatchObject({ tone: 'caution' });
    const forwarded = 'spf=softfail smtp.mailfrom=a@x.example; dkim=pass header.d=x.example; dmarc=';
    expect(of(`${forwarded}pass header.from=x.example`)[0]).toMatchObject({
      result: 'softfail',
      tone: 'none',
    });
    expect(of(`${forwarded}none header.from=x.example`)[0]).toMatchObject({ tone: 'caution' });
    const refused = 'spf=fail smtp.mailfrom=a@x.example; dkim=pass header.d=x.example; dmarc=';
    expect(of(`${refused}pass header.from=x.example`)[0]).toMatchObject({ tone: 'bad' });
  });
  it('trusts the receiving server’s results, and marks a pass of another domain as not aligned', () => {
    const [spf, dkim, dmarc, arc] = boxes(
      'Authentication-Results: mx.example; spf=softfail smtp.mailfrom=a@x.example; dkim=pass header.d=other.example; dmarc=pass (p=none) header.from=x.example\r\nReceived: from h by mx.example; Mon, 1 Jan 2024 10:00:00 +0000\r\nFrom: a@x.example\r\n\r\n',
    );
    expect(spf).toMatchObject({ result: 'softfail', tone: 'caution' });
    expect(dkim).toMatchObject({ result: 'pass', tone: 'none', detail: 'for other.example, not aligned' });
    expect(dmarc).toMatchObject({ result: 'pass', tone: 'good' });
    expect(arc).toMatchObject({ result: 'none', detail: 'no seals' });
  });
  it('shows nothing as good without authentication headers', () => {
    expect(boxes('From: a@x.example\r\n\r\n').map(({ tone }) => tone)).toEqual([
      'none',
      'none',
      'none',
      'none',
    ]);
  });
});

describe('recipients and extra fields', () => {
  it('an unknown folder or read state is not shown as none or unread', () => {
    expect(recipientPlace({ email: 'a', kind: 'to' })).toBe('Unknown folder');
    expect(recipientPlace({ email: 'a', kind: 'to', folder: 'Inbox', is_read: false })).toBe('Inbox');
    expect(recipientKind('CC')).toBe('Cc');
    expect(recipientKind('delivered')).toBe('Delivered to');
    expect(recipientKind('x-list')).toBe('x-list');
    expect(recipientCounts([{ email: 'a', kind: 'to', is_read: true }])).toBe('1 · 1 opened');
  });
  it('[spec 3] shows fields that the schema does not have under readable labels', () => {
    expect(
      extraFacts(
        {
          entity_id: 'x',
          spf: 'pass',
          thread_id: null,
          nested: { a: 1 },
          re_evaluated_at: '2026-11-19T08:41:07.462Z',
          released_at: '2026-11-19 08:41',
        },
        emailProfile.shape,
        'utc',
      ),
    ).toEqual([
      { label: 'SPF', value: 'pass' },
      { label: 'Thread ID', value: null },
      { label: 'Nested', value: '{"a":1}' },
      { label: 'Re-evaluated', value: '2026-11-19 08:41:07 UTC' },
      // A time without a zone cannot be converted, so it is shown as sent.
      { label: 'Released at', value: '2026-11-19 08:41' },
    ]);
  });
  it('[limit 40 fields] lists the fields beyond the limit by name', () => {
    const many = Object.fromEntries(Array.from({ length: 42 }, (_, index) => [`field_${index}`, index]));
    expect(extraFacts(many, {}, 'utc').at(-1)).toEqual({
      label: 'Not shown',
      value: '2 fields: field_40, field_41',
    });
  });
  it('[limit 12 columns] extra fields get a column each, and those beyond the limit share one', () => {
    const address = { email: null, kind: null };
    const rows = [
      { email: 'a', kind: 'to', license: 'E5', nested: { a: 1 } },
      { email: 'b', kind: 'to', mfa: false },
    ];
    const columns = extraColumns<Record<string, unknown>>(rows, address, 'utc');
    expect(columns.map(({ label, value }) => [label, ...rows.map(value)])).toEqual([
      ['License', 'E5', null],
      ['Nested', '{"a":1}', null],
      ['MFA', null, 'No'],
    ]);
    const wide = [Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`f${index}`, index]))];
    const last = extraColumns(wide, {}, 'utc').at(-1);
    expect([last?.label, last?.value(wide[0] ?? {})]).toEqual(['2 more fields', '{"f12":12,"f13":13}']);
  });
});
