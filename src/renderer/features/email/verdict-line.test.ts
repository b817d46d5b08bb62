import { describe, expect, it } from 'vitest';
import { readStack, scanDuration } from '#renderer/entity/stack-rows.ts';
import type { EmailProfile, ScanDetail } from '#shared/model/entities.ts';
import { copiesInInbox, verdictLine } from './verdict-line.ts';

const BRANDING = { product: 'guard', name: 'Mail security' };
const scan = (tool: string, more: Partial<ScanDetail> = {}): ScanDetail => ({
  tool,
  applicable: true,
  ...more,
});
const stackOf = (...details: ScanDetail[]) => readStack(details, BRANDING);
const textOf = (line: ReturnType<typeof verdictLine>) => line.parts.map(({ text }) => text).join('');
const profile = {
  received: '2026-11-19T08:41:07Z',
  verdict_reason: 'Look-alike of a known vendor',
} as EmailProfile;

describe('verdictLine', () => {
  it('says how many tools found something, and that one could not scan', () => {
    const line = verdictLine(
      stackOf(
        scan('ap_guard', { status: 'finished', verdict_code: 'hphsh', matches: 7 }),
        scan('checkpoint_te', { status: 'finished', verdict_code: 'malw', matches: 1 }),
        scan('checkpoint_av', { status: 'clean', matches: 0 }),
        scan('lastline_av_file', { status: 'error', error: 'Engine timed out' }),
        scan('dlp_gtb', { applicable: false }),
      ),
      profile,
      [
        { email: 'a@x.example', kind: 'to', folder: 'Inbox' },
        { email: 'b@x.example', kind: 'to', folder: 'Deleted' },
      ],
    );
    expect(line).toMatchObject({ verdict: 'found', word: 'Found: phishing', code: 'hphsh', error: true });
    expect(textOf(line)).toBe(
      'Look-alike of a known vendor. 2 of 4 tools found it, 1 could not scan. Still in 1 inbox.',
    );
    expect(line.parts.find(({ tone }) => tone === 'caution')?.text).toBe('1 could not scan');
  });

  it('never calls an error clean, and says that nothing scanned is not clean', () => {
    const failed = verdictLine(stackOf(scan('checkpoint_av', { status: 'error' })), undefined, undefined);
    expect(failed.verdict).toBe('not-scanned');
    expect(textOf(failed)).toBe('1 of 1 tool could not scan: this is not a clean result.');
    const none = verdictLine(stackOf(scan('checkpoint_av'), scan('checkpoint_te')), undefined, []);
    expect(textOf(none)).toContain('not a clean result');
    const partly = stackOf(
      scan('ap_guard', { status: 'finished', verdict_code: 'clean' }),
      scan('checkpoint_av'),
      scan('checkpoint_te'),
    );
    expect(textOf(verdictLine(partly, undefined, undefined))).toBe(
      '2 of 3 tools have no result: this is not a clean result.',
    );
    expect(verdictLine(stackOf(), undefined, undefined).parts[0]?.tone).toBe('caution');
  });

  it('speaks of checks for a mail of evidence, leads with the strongest reason, and says that no tool has seen it', () => {
    const finding = (weight: number, sentence: string) => ({
      check: 'sender.x',
      tool: 'sender',
      sentence,
      weight,
      place: { kind: 'header', name: 'From', text: '' },
    });
    const evidence = {
      verdict_reason: 'Another one',
      provenance: {
        findings: [finding(1, 'Weak'), finding(6, 'Leads to http://evil.test'), finding(-9, 'Answer')],
      },
    } as unknown as EmailProfile;
    const line = verdictLine(
      stackOf(
        scan('check_sender', { verdict_code: 'found' }),
        scan('check_links', { verdict_code: 'suspicious' }),
        scan('check_content', { verdict_code: 'nothing-found' }),
      ),
      evidence,
      undefined,
    );
    expect(line).toMatchObject({ verdict: 'found', word: 'Found', code: null });
    expect(textOf(line)).toBe(
      'Leads to hxxp://evil[.]test. 1 of 3 kinds of checks found it. No security tool has seen this email.',
    );
    const nothing = verdictLine(
      stackOf(scan('check_sender', { verdict_code: 'nothing-found' })),
      evidence,
      undefined,
    );
    expect(textOf(nothing)).toBe(
      '1 of 1 kind of check found nothing that decides, which does not make it clean. No security tool has seen this email.',
    );
    expect(
      textOf(verdictLine(stackOf(scan('check_sender'), scan('check_links')), undefined, undefined)),
    ).toBe('It has not been checked: this is not a clean result. No security tool has seen this email.');
  });

  it('says when a verdict changed after delivery', () => {
    const line = verdictLine(
      stackOf(
        scan('ap_guard', {
          status: 'finished',
          verdict_code: 'phsh',
          re_evaluated: true,
          scanned_at: '2026-11-19T08:42:30Z',
        }),
      ),
      profile,
      [],
    );
    expect(textOf(line)).toContain('Re-evaluated 83 s later.');
  });

  it.each([
    ['spm', 'spam', 'Spam'],
    ['bulk', 'spam', 'Spam: bulk'],
    ['malw', 'found', 'Found: malware'],
    ['clean', 'clean', 'Clean'],
  ])('[spec 3] words the code %s as %s', (code, verdict, word) => {
    const line = verdictLine(
      stackOf(scan('ap_guard', { status: 'finished', verdict_code: code })),
      undefined,
      undefined,
    );
    expect(line).toMatchObject({ verdict, word });
  });

  it('shows an unrecognised verdict as unknown, never as clean', () => {
    const line = verdictLine(stackOf(scan('ap_guard', { verdict_code: 'zebra' })), undefined, undefined);
    expect(line).toMatchObject({ verdict: 'unknown', code: 'zebra' });
    expect(textOf(line)).toContain('a verdict Parapet doesn’t recognise');
  });

  it('does not count inboxes unless the folders are known', () => {
    expect(copiesInInbox([{ email: 'a@x.example', kind: 'to' }])).toBeNull();
    expect(copiesInInbox([{ email: 'a@x.example', kind: 'to', folder: 'Junk' }])).toBe(0);
    const junk = { email: 'a@x.example', kind: 'to', folder: 'Junk' };
    const inbox = { email: 'b@x.example', kind: 'to', folder: 'Inbox' };
    const unknown = { email: 'c@x.example', kind: 'to' };
    expect(copiesInInbox([junk, unknown])).toBeNull();
    expect(copiesInInbox([inbox, junk])).toBe(1);
    expect(copiesInInbox([inbox, unknown])).toBe(1);
  });
});

describe('some tools are missing from the answer', () => {
  const lineOf = (...details: ScanDetail[]) =>
    verdictLine(readStack(details, BRANDING, [], false), undefined, undefined);

  it.each<[ScanDetail[], string, string]>([
    [
      [scan('a', { status: 'clean' }), scan('b', { status: 'ok', matches: 0 })],
      'unknown',
      'Results of other tools are missing: this is not a clean result.',
    ],
    [[], 'unknown', 'The results of the tools are missing.'],
    [
      [scan('a', { status: 'finished', matches: 2 }), scan('b', { status: 'clean' })],
      'found',
      '2 matches. 1 of 2 tools found it, results of other tools are missing.',
    ],
  ])('%j', (details, verdict, text) => {
    const line = lineOf(...details);
    expect(line.verdict).toBe(verdict);
    expect(textOf(line)).toBe(text);
  });
});

describe('readStack', () => {
  it('[spec 7] follows the order of the security stack and counts tools that do not apply', () => {
    const apps = [
      { name: 'b', label: 'B', state: 'enabled', is_saas: false, security_stack_order: 1 },
      { name: 'a', label: 'A', state: 'enabled', is_saas: false, security_stack_order: 2 },
    ];
    const stack = readStack(
      [
        scan('z', { status: 'ok', matches: 0 }),
        scan('a'),
        scan('b', { status: 'ok' }),
        scan('n', { applicable: false }),
      ],
      BRANDING,
      apps,
    );
    expect(stack.rows.map(({ tool }) => tool)).toEqual(['b', 'a', 'z']);
    expect(stack.notApplicable).toHaveLength(1);
    expect(stack.answered).toBe(2);
  });

  it('shows no vendor name', () => {
    const scans = ['checkpoint_te', 'other_te'].map((tool) => scan(tool, { label: 'Check Point Sandbox' }));
    expect(readStack(scans, BRANDING).rows.map(({ label }) => label)).toEqual([
      'Sandbox',
      'Mail security Sandbox',
    ]);
  });

  it.each([
    [null, '–'],
    [803, '0.8 s'],
    [41_000, '41 s'],
    [90_000, '90 s'],
    [150_000, '2 m 30 s'],
    [-1, '–'],
  ])('writes %s ms as %s', (ms, text) => {
    expect(scanDuration(ms)).toBe(text);
  });
});
