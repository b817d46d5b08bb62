/** Conversations against generated ones of all shapes, in many orders of arrival. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { baseSubject } from '#shared/mail/base-subject.ts';
import { expectLinear } from '#tests/support/growth.ts';
import { openEvidence } from '../evidence/source.ts';
import { parseMessage } from '../formats/mail/parse.ts';
import type { SqliteStore } from '../store-sqlite/sqlite-store.ts';
import { threadFacts } from './conversations.ts';
import { ingestEvidence } from './ingest-evidence.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-threads-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Made {
  thread: number;
  lines: string[];
}
const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 5);

/** A mail; `day` counts from the start. */
function makeMail(
  thread: number,
  day: number,
  from: string,
  to: string,
  subject: string,
  ...more: string[]
): Made {
  const date = new Date(START + day * DAY).toUTCString().replace('GMT', '+0000');
  return {
    thread,
    lines: [
      `From: ${from}@x.example`,
      `To: ${to}@x.example`,
      `Subject: ${subject}`,
      `Date: ${date}`,
      ...more,
    ],
  };
}
const id = (thread: number, n: number) => `<m${n}.${thread}@x.example>`;
const index = (thread: number, more = 0) =>
  Buffer.concat([
    Buffer.alloc(18, 7),
    Buffer.from([1, thread >> 8, thread & 255, 9]),
    Buffer.alloc(more, 3),
  ]).toString('base64');

/** The shapes of conversations: the references of each mail to earlier ones. */
const SHAPES: readonly ((t: number) => Made[])[] = [
  // Complete References.
  (t) =>
    [0, 1, 2, 3].map((n) =>
      makeMail(
        t,
        n,
        'a',
        'b',
        `s${t}`,
        `Message-ID: ${id(t, n)}`,
        ...(n > 0 ? [`References: ${Array.from({ length: n }, (_, k) => id(t, k)).join(' ')}`] : []),
      ),
    ),
  // References truncated at the start, as by some programs.
  (t) =>
    [0, 1, 2, 3, 4].map((n) =>
      makeMail(
        t,
        n,
        'a',
        'b',
        `s${t}`,
        `Message-ID: ${id(t, n)}`,
        ...(n > 0 ? [`References: ${id(t, n - 1)}`] : []),
      ),
    ),
  // Only In-Reply-To, with text around the id.
  (t) =>
    [0, 1, 2].map((n) =>
      makeMail(
        t,
        n,
        'a',
        'b',
        `s${t}`,
        `Message-ID: ${id(t, n)}`,
        ...(n > 0 ? [`In-Reply-To: Your message of Monday ${id(t, n - 1)}`] : []),
      ),
    ),
  // The first mail is missing.
  (t) =>
    [1, 2, 3].map((n) =>
      makeMail(t, n, 'a', 'b', `s${t}`, `Message-ID: ${id(t, n)}`, `In-Reply-To: ${id(t, 0)}`),
    ),
  // Two branches joined by one reply.
  (t) => [
    makeMail(t, 0, 'a', 'b', `s${t}`, `Message-ID: ${id(t, 0)}`),
    makeMail(t, 1, 'b', 'a', `s${t}`, `Message-ID: ${id(t, 1)}`),
    makeMail(
      t,
      2,
      'a',
      'b',
      `s${t}`,
      `Message-ID: ${id(t, 2)}`,
      `In-Reply-To: ${id(t, 0)}`,
      `References: ${id(t, 0)}\r\n ${id(t, 1)}`,
    ),
  ],
  // Only Outlook's index.
  (t) => [
    makeMail(t, 0, 'a', 'b', `s${t}`, `Message-ID: ${id(t, 0)}`, `Thread-Index: ${index(t)}`),
    makeMail(t, 1, 'c', 'd', `AW: s${t}`, `Message-ID: ${id(t, 1)}`, `Thread-Index: ${index(t, 5)}`),
    makeMail(t, 2, 'e', 'f', `RE: AW: s${t}`, `Thread-Index: ${index(t, 10)}`),
  ],
  // Only the subject, between the same two people.
  (t) => [
    makeMail(t, 0, 'a', 'b', `offer ${t}`, `Message-ID: ${id(t, 0)}`),
    makeMail(t, 1, 'b', 'a', `Re: Offer ${t}`, `Message-ID: ${id(t, 1)}`),
    makeMail(t, 2, 'a', 'b', `Re: Re[2]: offer  ${t}`),
  ],
  // A single mail with a subject that many share.
  (t) => [makeMail(t, 0, 'a', 'b', 'Newsletter', `Message-ID: ${id(t, 0)}`)],
  // A campaign: "Re:" without an original; each mail is a conversation of its own.
  (t) => [makeMail(t, 0, 'spammer', `v${t}`, 'Re: your invoice', `Message-ID: ${id(t, 0)}`)],
  // Without any id.
  (t) => [makeMail(t, 0, 'a', 'b', `alone ${t}`)],
];
const THREADS = 249;

function shuffled<T>(list: readonly T[], seed: number): T[] {
  const out = [...list];
  let state = seed;
  for (let index = out.length - 1; index > 0; index -= 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const other = (state >>> 8) % (index + 1);
    [out[index], out[other]] = [out[other] as T, out[index] as T];
  }
  return out;
}

async function threadsOf(mails: readonly Made[], store: SqliteStore): Promise<string[]> {
  mkdirSync(path.join(folder, 'mail'), { recursive: true });
  for (const [index, { thread, lines }] of mails.entries())
    writeFileSync(
      path.join(folder, 'mail', `${String(index).padStart(5, '0')}.eml`),
      `${[...lines, `X-Thread: ${thread}`, `X-Number: ${index}`].join('\r\n')}\r\n\r\nbody\r\n`,
    );
  await ingestEvidence(store, path.join(folder, 'mail'));
  return store.db
    .prepare(
      'SELECT thread_id FROM emails e JOIN evidence_places p ON p.email_id = e.id JOIN evidence_files f ON f.id = p.file_id ORDER BY f.path',
    )
    .pluck()
    .all() as string[];
}

/** Counts conversations whose mails are all together and with no others. */
function right(mails: readonly Made[], labels: readonly string[]): number {
  const all = new Map<string, Set<number>>();
  const mine = new Map<number, Set<string>>();
  for (const [index, { thread }] of mails.entries()) {
    const label = labels[index] ?? '';
    all.set(label, (all.get(label) ?? new Set()).add(thread));
    mine.set(thread, (mine.get(thread) ?? new Set()).add(label));
  }
  return [...mine.values()].filter((labels) => labels.size === 1 && all.get([...labels][0] ?? '')?.size === 1)
    .length;
}

describe('conversations', () => {
  const mails = Array.from({ length: THREADS }, (_, t) => SHAPES[t % SHAPES.length]?.(t) ?? []).flat();
  const orders: [string, Made[]][] = [
    ['as they were sent', mails],
    ['backwards', mails.toReversed()],
    ...[1, 2, 3].map((seed): [string, Made[]] => [`shuffled ${seed}`, shuffled(mails, seed)]),
  ];
  it.each(orders)('are found for 249 of 249, read %s', async (_, order) => {
    const store = openEvidence({ path: ':memory:' });
    expect(right(order, await threadsOf(order, store))).toBe(THREADS);
    store.close();
  });

  it('are found for every shape in every order of arrival', async () => {
    const permutations = (list: readonly Made[]): Made[][] =>
      list.length < 2
        ? [[...list]]
        : list.flatMap((item, index) =>
            permutations(list.toSpliced(index, 1)).map((rest) => [item, ...rest]),
          );
    let next = 1_000;
    const all = SHAPES.flatMap((shape) => permutations(shape(0)).map((order) => order.length)).length;
    const each = SHAPES.flatMap((shape) => {
      const count = permutations(shape(0)).length;
      return Array.from({ length: count }, (_, which) => permutations(shape(next++))[which] ?? []);
    });
    expect(each).toHaveLength(all);
    const store = openEvidence({ path: ':memory:' });
    expect(right(each.flat(), await threadsOf(each.flat(), store))).toBe(all);
    store.close();
  });

  it('mail that arrives later connects stored mails', async () => {
    const store = openEvidence({ path: ':memory:' });
    const [first, second, third] = SHAPES[4]?.(1) ?? [];
    if (!first || !second || !third) throw new Error('No such shape');
    expect(new Set(await threadsOf([first, second], store)).size).toBe(2);
    expect(new Set(await threadsOf([first, second, third], store)).size).toBe(1);
    store.close();
  });

  it('an index shared by all mails of a phishing kit does not connect different subjects', async () => {
    const store = openEvidence({ path: ':memory:' });
    const kit = [0, 1].map((n) => makeMail(n, n, 'a', 'b', `bait ${n}`, `Thread-Index: ${index(1)}`));
    expect(new Set(await threadsOf(kit, store)).size).toBe(2);
    store.close();
  });
});

it.each([
  ['Re: AW: [list] Fwd: Hello  there', 'hello there', true],
  ['RE[2]: x', 'x', true],
  ['Fwd: x', 'x', false],
  ['[list] x', 'x', false],
  ['回复：你好', '你好', true],
  ['Regards', 'regards', false],
  ['Re:'.repeat(100), 're:'.repeat(50), true],
])('the subject of %j', (subject, base, isAnswer) => {
  expect(baseSubject(subject)).toEqual({ base, isAnswer });
});

it.each([
  ['an unclosed id with spaces', 1_000, (count: number) => `<${' '.repeat(count)}x`],
  ['an id of many at signs', 20_000, (count: number) => `${'a@'.repeat(count)} x`],
])('%s is read in linear time', (_, most, value) =>
  expectLinear(most, async (count) => {
    const id = value(count);
    const read = await parseMessage(
      Buffer.from(`From: a@x.example\nMessage-ID: ${id}\nIn-Reply-To: ${id}\nReferences: ${id}\n\nx`),
    );
    if (!read.ok) throw new Error(read.reason);
    expect(threadFacts(read.mail, 'e').keys).toEqual(['ee']);
  }),
);
