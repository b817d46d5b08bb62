// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseHeaders } from '#shared/mail/headers.ts';
import type { EmailFinding } from '#shared/model/entities.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { located } from './reasons.ts';
import { ChecksPanel, type OpenReason, ReasonsPanel } from './reasons-panel.tsx';
import type { EmailReads } from './use-email.ts';

const finding = (
  weight: number,
  sentence: string,
  place: Partial<EmailFinding['place']> = {},
): EmailFinding => ({
  check: `content.${sentence}`,
  tool: 'content',
  sentence,
  weight,
  place: { kind: 'body', name: '', text: '', ...place },
});

const RAW =
  'From: "A" <a@x.test>\r\nReceived: one\r\nReceived: two\r\n three\rSubject: forged\r\nSubject: =?utf-8?Q?Caf=C3=A9?=\r\n';
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Only the reads that are used. */
function reads(more: {
  findings?: EmailFinding[];
  score?: number | null;
  unchecked?: string[];
  html?: string;
}) {
  const { findings = [], score = 1, unchecked = [], html = '' } = more;
  const places: [number, number][] = [];
  const headers = parseHeaders(RAW, decode, { places });
  const links = ['https://a.test/', 'https://b.test/', 'https://b.test/'].map((url, index) => ({
    url,
    text: `n${index}`,
  }));
  return {
    parsed: { headers, places },
    headers: { error: null },
    body: { data: { html, text: null }, error: null },
    attachments: {
      data: {
        rows: [{ name: 'a.pdf' }, { name: 'b.exe' }, { name: 'c.zip', members: [{ path: 'in.zip/d.exe' }] }],
      },
      error: null,
    },
    profile: { data: { links, provenance: { findings, score, unchecked } }, refresh: () => {} },
  } as unknown as EmailReads;
}

const mounted: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const unmount of mounted.splice(0)) await unmount();
});

async function drawn(email: EmailReads, onOpen: OpenReason = () => {}, last: EmailFinding | null = null) {
  const { container, unmount } = await mount(<ReasonsPanel email={email} last={last} onOpen={onOpen} />);
  mounted.push(unmount);
  const list = (label: string) =>
    [...container.querySelectorAll(`ul[aria-label="${label}"] .em-reason-sentence`)].map(
      (element) => element.textContent,
    );
  return { container, against: list('Against it'), inFavour: list('For it') };
}

describe('what a mail shows', () => {
  it('a false positive stays visible, is not counted, and can be counted again', async () => {
    const { container, against } = await drawn(
      reads({
        findings: [
          { ...finding(6, 'a'), false_positive: true },
          { ...finding(3, 'b', { kind: 'mail' }), false_positive: false },
        ],
      }),
    );
    expect(against).toEqual(['a', 'b']);
    expect(container.textContent).toContain('1 reason against it, 1 false positive');
    expect(container.querySelector('[data-struck]')?.textContent).toContain('False positive, not counted');
    expect(container.textContent).toContain('The whole email');
    expect(
      [...container.querySelectorAll('.em-shows .bp6-button')].flatMap(
        ({ textContent }) => textContent || [],
      ),
    ).toEqual(['Count again', 'False positive']);
  });

  it('reasons against it stand worst first, apart from those for it, with their strength in a word', async () => {
    const { container, against, inFavour } = await drawn(
      reads({ findings: [finding(0.5, 'b'), finding(-1, 'd'), finding(6, 'a'), finding(-3, 'c')] }),
    );
    expect([against, inFavour]).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect([...container.querySelectorAll('.em-strength')].map((element) => element.textContent)).toEqual([
      'Strong',
      'Weak',
      'Strong',
      'Weak',
    ]);
    // What speaks for a mail makes no rule.
    expect(container.querySelectorAll('[data-side="against"] [aria-label="Rule from this…"]')).toHaveLength(
      2,
    );
    expect(container.querySelectorAll('[data-side="for"] [aria-label="Rule from this…"]')).toHaveLength(0);
    expect(container.textContent).toContain('2 reasons against it, 2 for it');
    expect(container.textContent).toContain('No security tool has seen this mail.');
  });

  it('what was not checked is named, and neither no finding nor no check is clean', async () => {
    const none = await drawn(reads({ unchecked: ['The text is encrypted and could not be checked'] }));
    expect(none.container.querySelector('.em-unchecked')?.textContent).toContain('is encrypted');
    expect(none.container.textContent).toContain('nothing against it. That does not make it clean.');
    const never = await drawn(reads({ score: null }));
    expect(never.container.textContent).toContain('It has not been checked. That does not make it clean.');
    expect(never.container.textContent).not.toContain('0 reasons');
  });

  it('hostile words are text: no markup, visible control characters, and isolated between their quotation marks', async () => {
    const { container, against } = await drawn(
      reads({ findings: [finding(1, 'It says “<b>\u202egpj\u0007 אבג” to https://evil.test')] }),
    );
    expect(against).toEqual(['It says “<b>‹U+202E›gpj‹U+0007› אבג” to hxxps://evil[.]test']);
    expect(container.querySelector('.em-reason b')).toBeNull();
    expect(container.querySelector('.em-reason-sentence bdi')?.textContent).toBe(
      '<b>‹U+202E›gpj‹U+0007› אבג',
    );
  });

  it('a press opens the reason, arrows move between them, and the one that was followed has the focus', async () => {
    const findings = [
      finding(3, 'a'),
      finding(2, 'b', { kind: 'elsewhere' }),
      finding(1, 'c'),
      finding(-1, 'd'),
    ];
    const onOpen = vi.fn();
    const { container } = await drawn(reads({ findings }), onOpen, { ...findings[2]! });
    const buttons = [...container.querySelectorAll<HTMLButtonElement>('button.em-reason')];
    expect(buttons).toHaveLength(3);
    expect(document.activeElement).toBe(buttons[1]);
    const press = (key: string) =>
      doing(() =>
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })),
      );
    await press('ArrowDown');
    await press('ArrowDown');
    expect(document.activeElement).toBe(buttons[2]);
    await press('Home');
    expect(document.activeElement).toBe(buttons[0]);
    await doing(() => buttons[0]?.click());
    expect(onOpen.mock.calls).toEqual([[findings[0]]]);
  });
});

it('each kind of check lists its findings; one that found nothing that decides, or had nothing to look at, says so', async () => {
  const row = (tool: string, verdict: string, summary: string | null = null) => ({
    tool,
    summary,
    derived: { verdict, rawCode: verdict, error: false },
  });
  const email = {
    ...reads({ findings: [finding(1, 'a'), finding(-1, 'b')] }),
    attachments: { data: { rows: [] } },
    tools: {
      stack: {
        rows: [
          row(
            'check_provider',
            'nothing-found',
            'The mail’s own header says SCL 1, which anyone could have written',
          ),
          row('check_content', 'nothing-found'),
          row('check_attachments', 'nothing-found'),
        ],
      },
    },
  } as unknown as EmailReads;
  const { container, unmount } = await mount(<ChecksPanel email={email} last={null} onOpen={() => {}} />);
  mounted.push(unmount);
  const textOf = (tool: string) => container.querySelector(`[data-tool="check_${tool}"]`)?.textContent;
  expect(container.querySelectorAll('.em-check')).toHaveLength(7);
  expect(textOf('content')).toMatch(/^ContentNothing that decidesaBodyWeakbFor it · BodyWeak$/);
  expect(textOf('provider')).toContain('which anyone could have written');
  expect(textOf('attachments')).toBe('AttachmentsNothing foundIt has no attachments to check.');
  expect(textOf('sender')).toBe('SenderNo reason. That does not make it clean.');
});

describe('the place of a reason', () => {
  const look = (place: Partial<EmailFinding['place']>, html = '') =>
    located(reads({ html }), finding(1, 's', place));
  const cut = ({ range }: ReturnType<typeof look>) => range && RAW.slice(...range);

  it('of a header is its whole field, chosen by what it contains, even if written as encoded words', () => {
    expect(cut(look({ kind: 'header', name: 'from', text: 'a@x.test' }))).toBe('From: "A" <a@x.test>');
    expect(cut(look({ kind: 'header', name: 'Received', text: 'three' }))).toBe(
      'Received: two\r\n three\rSubject: forged',
    );
    expect(cut(look({ kind: 'header', name: 'Subject', text: 'café' }))).toBe(
      'Subject: =?utf-8?Q?Caf=C3=A9?=',
    );
  });

  it('of a header that is not there or does not contain the words marks nothing, or says that they differ', () => {
    expect(look({ kind: 'header', name: 'To' })).toEqual({
      words: 'The mail has no To header.',
      isMissing: true,
    });
    expect(look({ kind: 'header', name: 'Received', text: 'four' })).toMatchObject({ isMissing: true });
    const differs = look({ kind: 'header', name: 'From', text: 'xn--a' });
    expect(differs.words).toContain('“xn--a” is written differently');
    expect(cut(differs)).toContain('From:');
  });

  it('of a body is the views that contain the words; words that are nowhere are said to be missing', () => {
    const html = '<p>Verify <b>your</b> account</p><!-- cheap pills -->';
    expect(look({ text: 'verify your account' }, html)).toMatchObject({ views: ['html', 'text'] });
    const hidden = look({ text: 'cheap pills' }, html);
    expect(hidden).toMatchObject({ views: ['source'], isMissing: false });
    expect(hidden.range && html.slice(...hidden.range)).toBe('cheap pills');
    expect(look({ text: 'your accounts' }, html)).toEqual({
      words: '“your accounts” could not be found in the body. Nothing is marked.',
      isMissing: true,
    });
  });

  it('of a link or an attachment is its row, or none', () => {
    expect(look({ kind: 'link', name: 'https://b.test/', text: 'n2' }).rows).toEqual([2]);
    expect(look({ kind: 'link', name: 'https://b.test/x' })).toMatchObject({ isMissing: true });
    expect(look({ kind: 'attachment', name: 'b.exe' }).rows).toEqual([1]);
    expect(look({ kind: 'attachment', name: 'c.exe' })).toMatchObject({ isMissing: true });
  });

  it('of a file in an archive is the archive and the file, or only the archive, which is said', () => {
    const inZip = (text: string) => look({ kind: 'attachment', name: 'c.zip', text });
    expect(inZip('in.zip/d.exe')).toMatchObject({ rows: [2], member: 'in.zip/d.exe' });
    expect(inZip('e.exe')).toMatchObject({
      rows: [2],
      words: expect.stringContaining('is not among the files'),
    });
    expect(inZip('e.exe').member).toBeUndefined();
  });
});
