/** The file that a tool matched (sec_match_file): whether it can be had, its bytes, and the link to them. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readAttachment, readMessage } from '../evidence/reader/attachment.ts';
import type { EvidenceSource } from '../evidence/reader/types.ts';
import { hashOf } from '../demo/prng.ts';
import { standIn } from '../demo/stand-in.ts';
import type { SignedLink } from '../http/signed-path.ts';
import { detailOf, type EmailRow, findEmail } from './emails.ts';
import { findFile } from './files.ts';
import type { Store } from './store.ts';

export interface MatchedFile {
  id: string;
  name: string;
  size: number;
  sha256: string | null;
  /** A tool matched it. Files of evidence are the analyst's own and can be had unmatched. */
  matched: boolean;
  bytes(): Promise<Uint8Array>;
}

interface AttachmentRow {
  name: string;
  size: number | null;
  sha256: string | null;
  verdict_code: string | null;
}

/** A file of a drive, an attachment by `<email>-a<position>`, or a mail of evidence by its id; null: there is none. */
export function matchedFile(store: Store, id: string): MatchedFile | null {
  const file = findFile(store, id);
  if (file) {
    const size = file.size ?? 0;
    const matched = file.verdict === 'found' && file.is_deleted === 0;
    const bytes = async () => standIn(file.title, size);
    return { id, name: file.title, size, sha256: file.sha256, matched, bytes };
  }
  const message = messageOf(store, id);
  if (message) return message;
  const parts = /^(.{1,200})-a(\d{1,5})$/.exec(id);
  const email = parts ? findEmail(store, parts[1] ?? '') : null;
  if (!email) return null;
  const row = store.db
    .prepare('SELECT name, size, sha256, verdict_code FROM attachments WHERE email_id = ? AND position = ?')
    .get(email.id, Number(parts?.[2])) as AttachmentRow | undefined;
  if (!row) return null;
  const size = row.size ?? 0;
  const evidence = email.file_id !== null;
  return {
    id,
    name: row.name,
    size,
    sha256: row.sha256,
    matched: evidence || row.verdict_code === 'malw',
    bytes: async () => (evidence ? fromEvidence(store, email, row.sha256) : standIn(row.name, size)),
  };
}

/** Where a mail of evidence stands. Throws for any other. */
function placeOf(store: Store, email: EmailRow): { root: string; source: EvidenceSource } {
  const { evidence } = detailOf(email);
  const root = store.db.prepare('SELECT root FROM evidence_files WHERE id = ?').pluck().get(email.file_id);
  if (!evidence || typeof root !== 'string') throw new Error('The mail is not part of a folder');
  const { file, offset, length, mbox = false, sha256 } = evidence;
  return { root, source: { file, offset, length, mbox, sha256 } };
}

/** The attachment as it stands in the mail's file. Throws when the file is gone or changed. */
async function fromEvidence(store: Store, email: EmailRow, sha256: string | null): Promise<Uint8Array> {
  if (sha256 === null) throw new Error('The attachment has no hash to find it by');
  const { root, source } = placeOf(store, email);
  return readAttachment(root, source, sha256);
}

/** A mail of evidence as it stands in its file; null: no email of that id, or one whose bytes nobody has. */
export function messageOf(store: Store, id: string): MatchedFile | null {
  const email = findEmail(store, id);
  const evidence = email?.file_id == null ? undefined : detailOf(email).evidence;
  if (!email || !evidence) return null;
  const bytes = async () => {
    const { root, source } = placeOf(store, email);
    return readMessage(root, source);
  };
  return {
    id,
    name: `${email.subject.slice(0, 100) || 'message'}.eml`,
    // Of an mbox the quoting is undone, which takes bytes away; the hash is of what is handed out.
    size: evidence.length,
    sha256: evidence.sha256,
    matched: true,
    bytes,
  };
}

const TRIES_OF_A_SLOW_STORE = 3;
const tries = new WeakMap<Store, Map<string, number>>();

export type Probe = 'ready' | 'not-yet' | 'gone';

/**
 * Whether the bytes can be had now. Of the demo's files some come only at the third asking, as from a slow
 * archive, and some never do: the console has to bear both.
 */
export function probe(store: Store, file: MatchedFile): Probe {
  if (/-a\d+$/.test(file.id) && findEmail(store, file.id.replace(/-a\d+$/, ''))?.file_id != null)
    return 'ready';
  const kind = (hashOf(`${file.id}/archive`) >>> 0) % 7;
  if (kind === 3) return 'gone';
  if (kind !== 5) return 'ready';
  const counts = tries.get(store) ?? new Map<string, number>();
  tries.set(store, counts);
  const count = (counts.get(file.id) ?? 0) + 1;
  counts.set(file.id, count);
  return count >= TRIES_OF_A_SLOW_STORE ? 'ready' : 'not-yet';
}

const LINK_LIFE_MS = 5 * 60_000;
const keys = new WeakMap<Store, Buffer>();

function signature(store: Store, text: string): Buffer {
  const key = keys.get(store) ?? randomBytes(32);
  keys.set(store, key);
  return createHmac('sha256', key).update(text).digest().subarray(0, 16);
}

/** The three parts of `GET {hash}{token}{id}`: good for five minutes and for this run of the service. */
export function signLink(store: Store, id: string, now: number): SignedLink & { expires: string } {
  const until = now + LINK_LIFE_MS;
  const token = `${until.toString(36)}~`;
  const hash = `/signed/${signature(store, `${token}${id}`).toString('hex')}/`;
  return { hash, token, id, expires: new Date(until).toISOString() };
}

/** True when this service signed the link and its time is not over. */
export function isGoodLink(store: Store, { hash, token, id }: SignedLink, now: number): boolean {
  const given = Buffer.from(hash.slice('/signed/'.length, -1), 'hex');
  const own = signature(store, `${token}${id}`);
  return given.length === own.length && timingSafeEqual(given, own) && Number.parseInt(token, 36) >= now;
}
