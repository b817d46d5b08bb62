/** The demo tenant in a database file: generated once, then reopened. */
import { rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isThere } from '#workers/exists-or-throw.ts';
import type { Store } from '../store/store.ts';
import {
  type Aside,
  type AsideReason,
  finishSettingAside,
  newestAside,
  removeOldAside,
  setAside,
} from '../store-sqlite/set-aside.ts';
import {
  confirmDamage,
  damageMark,
  filling,
  isDamaged,
  openRepeatedly,
  openStore,
  removeDatabase,
  type SqliteStore,
  type StoreOptions,
} from '../store-sqlite/sqlite-store.ts';
import { generate, hourOf, sourceKey } from './generate.ts';
import { demoSource } from './source.ts';

const DAY = 86_400_000;

export interface DemoOptions extends StoreOptions {
  emails: number;
  seed: number;
  now: number;
}

export interface OpenedDemo {
  store: SqliteStore;
  /** The notice to the analyst about an unusable file, or null if there was none. */
  replaced: ReplacedDemo | null;
}

interface ReplacedDemo {
  level: 'error' | 'warning';
  message: string;
}

/** Opens the existing tenant, or generates it. A file that cannot be opened for a reason other than damage is kept. */
export async function openDemo(options: DemoOptions): Promise<OpenedDemo> {
  const { store: reopened, replaced } = await reopenDemo(options);
  if (reopened !== null) return { store: reopened, replaced };
  const store = openStore(options, demoSource);
  try {
    await filling(store, () =>
      generate(store, { emails: options.emails, seed: options.seed, anchor: hourOf(options.now) }),
    );
  } catch (error) {
    store.close();
    throw error;
  }
  if (replaced !== null) rmSync(replacementMark(options.path), { force: true });
  return { store, replaced };
}

/**
 * The existing tenant. `store` is null if it has to be generated: there is no file, its generation was interrupted, or it
 * is unusable and was set aside.
 */
export async function reopenDemo(
  options: DemoOptions,
): Promise<OpenedDemo | { store: null; replaced: ReplacedDemo | null }> {
  const { path, now, emails, seed } = options;
  if (path === ':memory:') return { store: null, replaced: null };
  finishSettingAside(path);
  if (!isThere(path)) return { store: null, replaced: interrupted(path) };
  if (confirmDamage(options)) return { store: null, replaced: replace(path, 'damaged', now) };
  let store: SqliteStore | null = null;
  try {
    const opened = openRepeatedly(() => openWithSource(options));
    store = opened.store;
    const { source } = opened;
    if (source === sourceKey(emails, seed)) {
      await catchUp(store, now);
      return { store, replaced: null };
    }
    store.close();
    if (source !== null) return { store: null, replaced: replace(path, 'earlier', now) };
    // The process ended while generating the tenant, so this file was never used.
    removeDatabase(path);
    return { store: null, replaced: interrupted(path) };
  } catch (error) {
    store?.close();
    if (isDamaged(error)) return { store: null, replaced: replace(path, 'damaged', now) };
    throw error;
  }
}

function openWithSource(options: DemoOptions): { store: SqliteStore; source: string | null } {
  const store = openStore(options, demoSource);
  try {
    return { store, source: store.meta('source') };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Empty file beside a database that was set aside, until its replacement is complete. */
const replacementMark = (path: string): string => `${path}.being-replaced`;

/** Sets the file aside; returns what happened, why and what to do, in words. */
function replace(path: string, reason: AsideReason, now: number): ReplacedDemo {
  writeFileSync(replacementMark(path), '', { mode: 0o600 });
  const place = setAside(path, reason, now);
  rmSync(damageMark(path), { force: true });
  removeOldAside(path);
  return replacedWords({ path: place, reason });
}

/** A start that set a file aside ended before its replacement was complete, so the notice may not have been seen. */
function interrupted(path: string): ReplacedDemo | null {
  const aside = isThere(replacementMark(path)) ? newestAside(path) : null;
  return aside && replacedWords(aside);
}

function replacedWords({ path, reason }: Aside): ReplacedDemo {
  const aside = basename(path);
  const lost = `Queries, exceptions and changes that you made in it are only in the old file, which is kept as ${aside} in the same folder. Delete that file if you do not need them.`;
  return reason === 'damaged'
    ? {
        level: 'error',
        message: `The database of the demo tenant was damaged, so the demo tenant was made anew. ${lost} If this happens again, check the disk.`,
      }
    : {
        level: 'warning',
        message: `The demo tenant was made by another version of Parapet, which this one cannot use, so it was made anew. ${lost}`,
      };
}

/**
 * Shifts the tenant by whole days, so that "the last 24 hours" are never empty: forward as days pass, back if it was
 * generated while the clock was ahead.
 */
export async function catchUp({ records, settings }: Store, now: number): Promise<void> {
  const anchor = Number(await settings.get('anchor'));
  const days = Math.floor((now - anchor) / DAY);
  if (!(days >= 1 || days < -1)) return;
  await records.shift(days * DAY, now, { anchor: String(anchor + days * DAY) });
}
