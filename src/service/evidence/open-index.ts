/**
 * Opens the index of evidence. A damaged index is never removed: it is kept under another name, the mail is read again,
 * and data that was only in the index is carried over as far as it can be read.
 */

import { renameSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { ParapetError } from '#shared/bridge/errors.ts';
import { isThere } from '#workers/exists-or-throw.ts';
import { patientlySync } from '#workers/retry-locked-file.ts';
import { reasonOf } from '../formats/files/reason.ts';
import { carryOver } from '../store-sqlite/carry-over.ts';
import { finishSettingAside, newestAside, removeOldAside, setAside } from '../store-sqlite/set-aside.ts';
import {
  COMPANIONS,
  confirmDamage,
  damageMark,
  intoOneFile,
  isDamaged,
  openRepeatedly,
  removeDatabase,
  type SqliteStore,
  type StoreOptions,
} from '../store-sqlite/sqlite-store.ts';
import { openEvidence } from './source.ts';

export interface OpenedIndex {
  store: SqliteStore;
  /** The notice to the analyst about an unusable index, or null if it was usable, or there was none. */
  repaired: { level: 'error'; message: string } | null;
}

/** The new index has this name until the unusable one is renamed, so that a kill loses neither. */
const waitingFor = (path: string): string => `${path}.rebuilt`;

function wordsOf(evidence: string, words: string, aside: string): NonNullable<OpenedIndex['repaired']> {
  return {
    level: 'error',
    message: `What was read of the evidence at ${evidence} was damaged. The evidence is read again. ${words}. Mail that is no longer in the evidence was only in the damaged file, which is kept as ${basename(aside)}.`,
  };
}

function putInPlace(path: string): void {
  // A leftover log would be applied to the new index.
  for (const suffix of COMPANIONS) rmSync(path + suffix, { force: true });
  patientlySync(() => renameSync(waitingFor(path), path));
}

/** In a new index: what was carried over into it, until the analyst has been told. */
const UNTOLD = 'repaired';

/** Creates a new index with the data that only the old one has, and keeps the old one under another name. */
function rebuild(options: StoreOptions, now: number): void {
  const { path } = options;
  const waiting = waitingFor(path);
  removeDatabase(waiting);
  const fresh = openEvidence({ ...options, path: waiting });
  try {
    fresh.setMeta(UNTOLD, carryOver(path, options, fresh));
    // Only the file itself is renamed. Closing it ignores a failure to empty its log, this does not.
    intoOneFile(fresh);
  } finally {
    fresh.close();
  }
  setAside(path, 'damaged', now);
  putInPlace(path);
  removeOldAside(path);
  rmSync(damageMark(path), { force: true });
}

/** Opens an index. It is `repaired` with a notice about the new one, once, even if its repair was interrupted. */
function openTold(evidence: string, options: StoreOptions, words: string | null): OpenedIndex {
  const store = openEvidence(options);
  try {
    const untold = store.meta(UNTOLD) ?? words;
    if (untold === null) return { store, repaired: null };
    const aside = newestAside(options.path)?.path ?? options.path;
    store.setMeta(UNTOLD, null);
    return { store, repaired: wordsOf(evidence, untold, aside) };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Why the evidence cannot be read again, and what to do, as parts of sentences, or null if it is there. */
function lacking(evidence: string): { why: string; next: string } | null {
  try {
    if (isThere(evidence)) return null;
    return { why: `is not at ${evidence} to be read again`, next: 'Put it back there and open' };
  } catch (error) {
    const why = `at ${evidence} cannot be read again: ${reasonOf(error)}`;
    return { why, next: 'When it can be read, open' };
  }
}

/**
 * `evidence` is the folder or file of the index. Rejects with `path-missing` if it is not available to be read again.
 */
export function openIndex(evidence: string, options: StoreOptions, now: number): OpenedIndex {
  const { path } = options;
  finishSettingAside(path);
  if (!isThere(path) && isThere(waitingFor(path))) {
    putInPlace(path);
    return openTold(evidence, options, 'This had been interrupted and was completed now');
  }
  const lack = lacking(evidence);
  // Without the evidence, the readable part of its index is better than nothing.
  const isMarked = lack === null && isThere(path) && confirmDamage(options);
  if (!isMarked)
    try {
      return openRepeatedly(() => openTold(evidence, options, null));
    } catch (error) {
      if (!isDamaged(error)) throw error;
      if (lack !== null)
        throw new ParapetError(
          'path-missing',
          `What was read of this evidence is damaged, and the evidence ${lack.why}. Nothing was removed. ${lack.next} the connection again.`,
          { cause: error },
        );
    }
  rebuild(options, now);
  return openTold(evidence, options, null);
}
