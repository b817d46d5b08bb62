/** Files handed to Parapet from outside: dropped on the window, or opened with it. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Offer } from '#shared/bridge/operations.ts';
import { OFFER_WORDS, offerKind } from '#shared/model/offer.ts';
import type { Grants } from '../kernel/context.ts';

/** Checks only the name, and never rejects: an unsupported file is refused with a message. */
export async function offerOf(file: string, grants: Pick<Grants, 'issue'>): Promise<Offer> {
  const name = path.basename(file) || file;
  const info = path.isAbsolute(file) ? await stat(file).catch(() => null) : null;
  const isFolder = info?.isDirectory() ?? false;
  if (info === null || !(isFolder || info.isFile()))
    return { kind: 'refused', name, reason: OFFER_WORDS.gone };
  const kind = offerKind(name, isFolder);
  return kind === null
    ? { kind: 'refused', name, reason: OFFER_WORDS.notOurs }
    : { kind, ...grants.issue({ path: file, name }) };
}
