/** The journal as a file: every entry of the search, every target with its own outcome. */
import { expect, it } from 'vitest';
import type { JournalEntry, OutputOf } from '#shared/bridge/operations.ts';
import { parseCsv } from '#tests/support/csv.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { type JournalFormat, saveJournal } from './save-journal.ts';

type Targets = OutputOf<'actions.targets'>['targets'];
const NONE = { pending: 0, sending: 0, done: 0, failed: 0, 'not-sent': 0, unknown: 0 };

const entry = (id: number, change: Partial<JournalEntry> = {}): JournalEntry => ({
  id,
  at: Date.parse('2026-11-27T08:41:07.250Z'),
  connectionId: 'c',
  who: '=cmd|calc',
  endpoint: 'email.report',
  about: 'Quick favour',
  request: JSON.stringify({ body: { entity_id: 'e1', report: 'phishing' } }),
  outcome: 'unknown',
  message: 'No answer.',
  action: null,
  inverse: null,
  ...change,
});
const action = (targets: number): JournalEntry['action'] => ({
  actionId: 'quarantine',
  actionLabel: 'Quarantine',
  params: {},
  reason: 'Wave, "again"\nline 2',
  domain: 'email',
  saas: 'o',
  queryId: null,
  queryLabel: 'Invoice wave',
  scope: 'selected',
  targets,
  counts: { ...NONE, done: 1, failed: 1, unknown: targets - 2 },
  retryOf: 4,
  undoOf: null,

  only: null,
});

/** Saves these entries, which the journal returns in pages of two, and targets in pages of two; returns the text. */
async function saved(format: JournalFormat, entries: JournalEntry[], targets: Targets = []) {
  const files = { text: '', entries: 0, what: '', done: false, asked: [] as object[] };
  const answers: Record<string, (input: never) => object> = {
    'journal.list': (input: { before: number | null }) => {
      files.asked.push(input);
      const earlier = entries.filter(({ id }) => id < (input.before ?? Number.POSITIVE_INFINITY));
      return {
        entries: earlier.slice(0, 2),
        count: entries.length,
        next: earlier.length > 2 ? earlier[1]?.id : null,
      };
    },
    'actions.targets': ({ start }: { start: number }) => ({
      targets: targets.slice(start, start + 2),
      count: targets.length,
    }),
    'dialogs.save': () => ({ grantId: 'g' }),
    'files.open': (input: { entries: number; what: string }) => {
      Object.assign(files, input);
      return { fileId: 'f' };
    },
    'files.append': ({ chunk }: { chunk: { text: string } }) => {
      files.text += chunk.text;
      return {};
    },
    'files.finish': () => {
      files.done = true;
      return { name: 'x', bytes: 1, sha256: '' };
    },
    'files.discard': () => ({}),
  };
  const bridge = fakeBridge({
    call: async (name: string, input: never) => answers[name]?.(input),
  });
  const search = { connectionId: 'c', outcome: 'unknown' } as const;
  await saveJournal(bridge, search, format, 'Demo', () => 'Demo');
  return files;
}

const target = (
  n: number,
  state: Targets[number]['state'],
  error: string | null = null,
): Targets[number] => ({
  entityId: `e${n}`,
  name: n === 1 ? '@SUM(1)' : null,
  recipient: 'p.kaur@corp.example',
  before: null,
  state,
  error,
});
const THREE = [target(1, 'done'), target(2, 'failed', 'Refused.'), target(3, 'unknown')];
const acted = entry(5, {
  endpoint: 'query.action',
  request: '{"scope":"selected"}',
  outcome: 'partial',
  action: action(3),
});

it('CSV has a row for each target, formula-safe, with UTC times, call and outcomes', async () => {
  const { text, entries } = await saved('csv', [acted, entry(3), entry(2)], THREE);
  expect(text.startsWith('\uFEFF')).toBe(true);
  const [header = [], ...lines] = parseCsv(text.slice(1));
  const rows = lines.map((line) => Object.fromEntries(header.map((id, index) => [id, line[index]])));
  expect(entries).toBe(rows.length);
  expect(rows.map((row) => [row['entry_id'], row['target_id'], row['target_outcome']])).toEqual([
    ['5', 'e1', 'done'],
    ['5', 'e2', 'failed'],
    ['5', 'e3', 'unknown'],
    ['3', 'e1', 'unknown'],
    ['2', 'e1', 'unknown'],
  ]);
  expect(rows[0]).toMatchObject({
    time_utc: '2026-11-27T08:41:07.250Z',
    actor: "'=cmd|calc",
    connection: 'Demo',
    action: 'Quarantined 1 of 3 emails from “Invoice wave” (retry)',
    outcome: 'partial',
    reason: 'Wave, "again"\nline 2',
    retry_of: '4',
    call: 'query.action',
    method: 'POST',
    path: '/query/:id/action',
    request: '{"scope":"selected"}',
    target_name: "'@SUM(1)",
    target_recipient: 'p.kaur@corp.example',
  });
  // A request may name every target, so it is not repeated for each.
  expect(rows.map((row) => row['request'] !== '')).toEqual([true, false, false, true, true]);
  expect(rows[1]?.['target_detail']).toBe('Refused.');
  expect(rows[3]).toMatchObject({
    outcome: 'unknown',
    outcome_detail: 'No answer.',
    target_name: 'Quick favour',
  });
});

it('NDJSON has a line for each entry, with its targets and its request', async () => {
  const { text, entries } = await saved('ndjson', [acted, entry(3)], THREE);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([lines.length, entries]).toEqual([2, 2]);
  expect(lines[0]).toMatchObject({ entry_id: 5, actor: '=cmd|calc', request: { scope: 'selected' } });
  expect(lines[0].targets.map(({ id, outcome }: { id: string; outcome: string }) => [id, outcome])).toEqual([
    ['e1', 'done'],
    ['e2', 'failed'],
    ['e3', 'unknown'],
  ]);
  expect(lines[1].targets).toEqual([
    {
      id: 'e1',
      name: 'Quick favour',
      recipient: null,
      before: null,
      outcome: 'unknown',
      detail: null,
    },
  ]);
});

it('every page of the same search is read, and an entry without targets has a row', async () => {
  const none = { endpoint: 'query.save', request: '{"body":{"name":"x"}}', outcome: 'done' } as const;
  const { text, asked } = await saved('csv', [entry(9, none), entry(8, none), entry(7, none)]);
  expect(asked).toMatchObject([
    { outcome: 'unknown', before: null },
    { outcome: 'unknown', before: 8 },
  ]);
  expect(parseCsv(text.slice(1))).toHaveLength(4);
});

it('of several things changed in part, it is unknown which were', async () => {
  const request = JSON.stringify({ body: { operator: 'enable', policies_ids: ['q1', 'q2'] } });
  const some = entry(1, { endpoint: 'policies.operation', request, outcome: 'partial', about: null });
  const { text } = await saved('ndjson', [some]);
  expect(JSON.parse(text).targets).toMatchObject([
    { id: 'q1', outcome: 'unknown' },
    { id: 'q2', outcome: 'unknown' },
  ]);
});

it('a journal whose targets are not all readable leaves no file', async () => {
  await expect(saved('csv', [acted], THREE.slice(0, 1))).rejects.toThrow('Only 1 of the 3 targets');
});
