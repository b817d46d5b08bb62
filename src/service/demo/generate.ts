/** Fills a store with the demo tenant. The same seed and anchor give the same tenant. */

import type { EmailRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { demoApps } from './apps.ts';
import { exceptionRecords } from './exceptions.ts';
import { fileRecords, messageRecords } from './files.ts';
import { saveLists } from './lists.ts';
import { loginRecords } from './logins.ts';
import { mails } from './mails.ts';
import { groupRecords, people, userRecords } from './organisation.ts';
import { random } from './prng.ts';
import { saveDemoQueries } from './queries.ts';
import { matchedFiles } from './stand-in.ts';
import { arrivals } from './times.ts';

const HOUR = 3_600_000;
const BATCH = 2_000;

export interface GenerateOptions {
  emails: number;
  seed: number;
  /** "Now" of the tenant in ms; default: the current hour. */
  anchor?: number;
  onProgress?: (count: number) => void;
}

/** Tenants of an older generator are discarded. */
const GENERATION = 3;

/** Identifies a completely generated tenant. */
export const sourceKey = (emails: number, seed: number): string =>
  JSON.stringify({ kind: 'demo', emails, seed, generation: GENERATION });

export const hourOf = (ms: number): number => Math.floor(ms / HOUR) * HOUR;

/** The store must be empty. Not interruptible: an unfinished file is recognised by its missing meta. */
export async function generate(store: Store, options: GenerateOptions): Promise<void> {
  const { emails, seed } = options;
  const anchor = options.anchor ?? hourOf(Date.now());
  const staff = people(random(`${seed}/people`), Math.max(40, Math.min(1_200, Math.floor(emails / 16))));
  const { records, settings } = store;
  await records.apps(demoApps());
  await records.users(userRecords(staff, seed, anchor));
  await records.groups(groupRecords(staff, seed, anchor));
  await records.files(matchedFiles(fileRecords(staff, seed, anchor, Math.min(3_000, Math.ceil(emails / 7)))));
  await records.messages(messageRecords(staff, seed, anchor, Math.min(6_000, Math.ceil(emails / 5))));
  await records.exceptions(exceptionRecords(staff, seed, anchor));
  await records.logins(loginRecords(staff, seed, anchor));
  await saveLists(store, staff);
  await saveDemoQueries(store, seed, anchor);

  const times = arrivals(random(`${seed}/times`), emails, anchor);
  let batch: EmailRecord[] = [];
  let count = 0;
  const flush = async () => {
    await records.emails(batch);
    count += batch.length;
    batch = [];
    options.onProgress?.(count);
  };
  for (const record of mails(seed, times, staff, anchor)) {
    batch.push(record);
    if (batch.length >= BATCH) await flush();
  }
  await flush();
  await records.complete();
  await settings.set('source', sourceKey(emails, seed));
  await settings.set('anchor', String(anchor));
}
