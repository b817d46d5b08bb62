// @vitest-environment happy-dom
import { afterEach, describe, expect, test } from 'vitest';
import type { KeptProfile, KeptSearch } from '#shared/bridge/operations.ts';
import { mount } from '#tests/support/mount.tsx';
import { KeptDetail } from './kept-detail.tsx';
import { contentLabel, gapNotes } from './labels.ts';

const ROW: KeptProfile = {
  kind: 'email',
  saas: 'office365',
  entityId: 'a',
  title: 'Overdue\u202e',
  from: 'billing@vendor.example',
  received: Date.parse('2026-11-19T08:00:00Z'),
  verdict: null,
  verdictCode: null,
  savedAt: Date.parse('2026-11-20T08:00:00Z'),
  isWaiting: false,
  lacks: [],
  isCut: false,
  own: null,
  hits: [
    { field: 'body', line: '請求書の支払期限が過ぎています。 Straße 5' },
    { field: 'headers', line: 'X-Mailer: <b>Foxmail</b>' },
  ],
};
const ANSWER: KeptSearch = {
  apart: 0,
  profiles: 45,
  matching: 1,
  rows: [ROW],
  fields: {},
  waiting: 0,
  withoutBody: 0,
  cut: 0,
  indexError: null,
};

let mounted: Awaited<ReturnType<typeof mount>> | null = null;
afterEach(() => mounted?.unmount());

test('matches are highlighted and shown verbatim, never as markup', async () => {
  const opened: string[] = [];
  mounted = await mount(
    <KeptDetail
      row={ROW}
      terms={['支払', 'strasse', 'foxmail']}
      onOpen={({ entityId }) => opened.push(entityId)}
    />,
  );
  const { container } = mounted;
  const marks = [...container.querySelectorAll('mark')].map(({ textContent }) => textContent);
  expect(marks).toEqual(['支払', 'Straße', 'Foxmail']);
  const lines = [...container.querySelectorAll('.pp-kept-hits dd')].map(({ textContent }) => textContent);
  expect(lines).toEqual(['請求書の支払期限が過ぎています。 Straße 5', 'X-Mailer: <b>Foxmail</b>']);
  // Direction marks are made visible.
  expect(container.querySelector('h2')?.textContent).toBe('Overdue‹U+202E›');
  container.querySelector('button')?.click();
  expect(opened).toEqual(['a']);
});

describe('the gaps of the search', () => {
  test.each<[string, Partial<KeptSearch>, string[]]>([
    ['all is', {}, []],
    ['no body', { withoutBody: 3 }, ['3 of 45 have no body here: only the rest is searched.']],
    ['not indexed', { waiting: 1 }, ['1 of 45 is not indexed yet and not searched.']],
    [
      'several',
      { cut: 2, withoutBody: 1 },
      [
        '1 of 45 has no body here: only the rest is searched.',
        '2 of 45 are searched only in part: the body is too long.',
      ],
    ],
  ])('is told: %s', (_, answer, notes) => {
    expect(gapNotes({ ...ANSWER, ...answer })).toEqual(notes);
  });

  test.each<[Partial<KeptProfile>, string]>([
    [{}, 'Complete'],
    [{ lacks: ['body', 'headers'] }, 'No body, headers'],
    [{ lacks: ['body'], isCut: true }, 'No body. Start of the body only'],
    [{ isWaiting: true, lacks: ['body'] }, 'Not indexed yet'],
  ])('is told of one: %j', (row, label) => {
    expect(contentLabel({ ...ROW, ...row })).toBe(label);
  });
});
