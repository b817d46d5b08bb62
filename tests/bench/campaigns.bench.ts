/**
 * Campaigns: the keys of 100 000 generated mails, or as many as --rows says, and the campaigns that they form in a store.
 * Half of the mails belong to campaigns of twenty, with another greeting and number in each; the others are alone.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openEvidence, prepareEvidence } from '#service/evidence/source.ts';
import { emailRows } from '#service/store/email-rows.ts';
import { nameCampaigns } from '#service/store-sqlite/evidence/campaigns.ts';
import { campaignGroups } from '#service/store-sqlite/evidence/key-groups.ts';
import { emailWriter } from '#service/store-sqlite/ingest-emails.ts';
import { statementsOf } from '#service/store-sqlite/statements.ts';
import { campaignKeys } from '#shared/campaigns/campaign-keys.ts';
import { type CheckedMail, prepareMail } from '#shared/checks/prepared-mail.ts';
import { bareMail } from '../support/bare-mail.ts';
import { bareRecord } from '../support/bare-record.ts';
import { wordedText } from '../support/worded-mail.ts';
import { type BenchSuite, peakRss, resetPeak } from './support.ts';

const OF_A_CAMPAIGN = 20;
const BATCH = 100;

/** The text as one piece, as a parser makes it: joining its parts is no work of the campaigns. */
const decoded = (text: string): string => Buffer.from(text).toString();

function mailOf(index: number): CheckedMail {
  const isAlone = index % 2 === 0;
  const campaign = Math.floor(index / (2 * OF_A_CAMPAIGN));
  const text = wordedText(isAlone ? index : -1 - campaign);
  return bareMail({
    subject: text.slice(200, 280),
    shownText: decoded(`Dear user${index}, your number is ${index}\n${text}`),
    html: decoded(`<html><body>${'<p class="x">'.repeat(index % 60)}${text}</body></html>`),
  });
}

/** Processor time of this thread's process, milliseconds: the machine may be busy with other work. */
function cpuOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export const suite: BenchSuite = {
  names: ['campaigns'],
  async run(bench) {
    const folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
    const store = openEvidence({ path: path.join(folder, 'e.sqlite'), key: 'b2'.repeat(32) });
    const times = { keys: 0, joined: 0, named: 0 };
    try {
      prepareEvidence(store);
      const emails = emailWriter(store);
      const groups = campaignGroups(statementsOf(store.db));
      const before = process.memoryUsage().rss;
      resetPeak();
      for (let start = 0; start < bench.rows; start += BATCH) {
        const mails = Array.from({ length: Math.min(BATCH, bench.rows - start) }, (_, index) =>
          prepareMail(mailOf(start + index)),
        );
        const keys: number[][] = [];
        times.keys += cpuOf(() => {
          for (const mail of mails) keys.push(campaignKeys(mail, false));
        });
        emails.transaction(() => {
          const numbers: number[] = [];
          times.joined += cpuOf(() => {
            for (const key of keys) numbers.push(groups.join(key));
          });
          for (const [index, campaign_id] of numbers.entries())
            emails.write(
              emailRows({ ...bareRecord(start + index), subject: mails[index]?.subject ?? '' }, true),
              {
                campaign_id,
              },
            );
        });
      }
      times.named = cpuOf(() => store.db.transaction(() => nameCampaigns(store))());
      const count = store.db.prepare('SELECT count(*) FROM campaigns').pluck().get();
      const record = (variant: string, median_ms: number, peak_rss_mb: number | null = null) =>
        bench.record({ name: 'campaigns', variant, median_ms, cpu_ms: median_ms, peak_rss_mb });
      record('keys of the emails', times.keys);
      record('joined in the store', times.joined);
      record(`named (${count})`, times.named);
      record('all', times.keys + times.joined + times.named, (peakRss() ?? 0) - before / 1024 / 1024);
    } finally {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
