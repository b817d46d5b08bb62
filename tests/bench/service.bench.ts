/** A small call of the embedded service alone, beside a long query, and beside an import. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { EndpointName } from '#shared/api/catalogue.ts';
import { generatedMail } from '../support/generated-mail.ts';
import { type Asked, type ServiceThread, startServiceThread } from '../support/service-thread.ts';
import { BUILT } from '../support/threads.ts';
import { type BenchSuite, median, percentile } from './support.ts';

const EMAILS = 100_000;
const MAILS = 6_000;
const CALLS = 100;
const PAUSE_MS = 23;

const query = (condition: object, size: number) => ({
  query_domain: 'email',
  saas_id: 'all',
  query_entity_type: 'email',
  condition,
  columns: ['subject', 'received', 'from_email'],
  sort_by: [{ dbId: 'subject', direction: 'asc' }],
  include_copies: false,
  count_only: false,
  search_after: null,
  size,
});
const EVERYTHING = { operator: 'and', conditions: [] };
const LONG = query(
  { operator: 'and', conditions: [{ field: 'subject', operator: 'matches', values: ['e.*e.*e.*e.*x$'] }] },
  25,
);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Sends the request and reads the whole response. */
async function answered(thread: ServiceThread, name: EndpointName, call: Asked): Promise<unknown> {
  const answer = await thread.call(name, call);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${name} answered ${answer.status}: ${text.slice(0, 200)}`);
  return JSON.parse(text);
}

/** Milliseconds of each profile call: `calls` times, or as long as other work runs. */
async function profiles(thread: ServiceThread, id: string, more: (count: number) => boolean) {
  const times: number[] = [];
  const call = { params: { saas: 'all' }, query: { entity_id: id } };
  while (more(times.length)) {
    times.push(await timed(() => answered(thread, 'email.profile', call)));
    // At fixed intervals: back to back, most calls would fall into quiet phases.
    await setTimeout(PAUSE_MS);
  }
  return times;
}

async function firstId(thread: ServiceThread): Promise<string> {
  const page = (await answered(thread, 'query.execute', { body: query(EVERYTHING, 1) })) as {
    rows: { entity_id: string }[];
  };
  return page.rows[0]?.entity_id ?? '';
}

export const suite: BenchSuite = {
  names: ['service'],
  async run(bench) {
    const folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
    const report = (variant: string, rows: number, times: number[], alone: number[]) =>
      bench.record({
        name: 'service',
        variant: `${variant} (95th percentile: ${percentile(times, 0.95).toFixed(1)}, maximum ${Math.max(...times).toFixed(0)} ms)`,
        rows,
        median_ms: median(times),
        peer: 'alone',
        peer_median_ms: median(alone),
      });
    try {
      const demo = await startServiceThread(BUILT.embedded, {
        source: { kind: 'demo', emails: EMAILS, seed: 1 },
        databasePath: path.join(folder, 'demo.sqlite'),
      });
      const id = await firstId(demo);
      const alone = await profiles(demo, id, (count) => count < CALLS);
      report('a profile', EMAILS, alone, alone);
      const longs = [await timed(() => answered(demo, 'query.execute', { body: LONG }))];
      let isLong = true;
      const long = (async () => {
        while (isLong) longs.push(await timed(() => answered(demo, 'query.execute', { body: LONG })));
      })();
      const beside = await profiles(demo, id, (count) => count < CALLS);
      isLong = false;
      await long;
      report('a profile beside a long query', EMAILS, beside, alone);
      bench.record({ name: 'service', variant: 'the long query', rows: EMAILS, median_ms: median(longs) });
      await demo.stop();

      const mail = path.join(folder, 'mail');
      mkdirSync(mail);
      for (let index = 0; index < MAILS; index++)
        writeFileSync(path.join(mail, `${String(index).padStart(6, '0')}.eml`), generatedMail(index));
      const evidence = await startServiceThread(BUILT.embedded, {
        source: { kind: 'evidence', path: mail },
        databasePath: path.join(folder, 'evidence.sqlite'),
      });
      while ((await firstId(evidence)) === '') await evidence.until('progress');
      const entityId = await firstId(evidence);
      const isOver = () => evidence.heard.some(({ type }) => type === 'imported');
      const during = await profiles(evidence, entityId, () => !isOver());
      await evidence.until('imported');
      report(
        'a profile beside an import',
        MAILS,
        during,
        await profiles(evidence, entityId, (n) => n < CALLS),
      );
      await evidence.stop();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
