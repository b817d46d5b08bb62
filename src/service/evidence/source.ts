/** Mail at hand as the source of a store: its headers and bodies as stored, its bytes from its own files. */
import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { detailOf, type EmailRow, findAttachment, findEmail } from '../store/emails.ts';
import type { MailSource, MatchedFile } from '../store/mail-source.ts';
import { openStore, type Store, type StoreOptions } from '../store/store.ts';
import { prepareEvidence } from './ingest/ingest-evidence.ts';
import { readAttachment, readMessage } from './reader/attachment.ts';
import type { EvidenceSource } from './reader/types.ts';

interface RawRow {
  headers: Uint8Array;
  html: Uint8Array | null;
  text: Uint8Array | null;
  inline: Uint8Array | null;
  truncated: number;
}

const rawOf = (store: Store, row: EmailRow): RawRow | undefined =>
  store.db.prepare('SELECT * FROM raw_mail WHERE email_id = ?').get(row.id) as RawRow | undefined;
const unpack = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : gunzipSync(bytes).toString('utf8');

/** The file and offset of a message. Throws for one that is not part of a folder. */
function placeOf(store: Store, row: EmailRow): { root: string; source: EvidenceSource } {
  const { evidence } = detailOf(row);
  const root = store.db.prepare('SELECT root FROM evidence_files WHERE id = ?').pluck().get(row.file_id);
  if (!evidence || typeof root !== 'string') throw new Error('The mail is not part of a folder');
  const { file, offset, length, mbox = false, sha256 } = evidence;
  return { root, source: { file, offset, length, mbox, sha256 } };
}

function message(store: Store, row: EmailRow): MatchedFile | null {
  const { evidence } = detailOf(row);
  if (!evidence) return null;
  return {
    id: row.entity_id,
    name: `${row.subject.slice(0, 100) || 'message'}.eml`,
    // Of an mbox the quoting is undone, which takes bytes away; the hash is of what is handed out.
    size: evidence.length,
    sha256: evidence.sha256,
    matched: true,
    bytes: async () => {
      const { root, source } = placeOf(store, row);
      return readMessage(root, source);
    },
    probe: () => 'ready',
  };
}

export const evidenceSource: MailSource = {
  headers: (store, row) => {
    const raw = rawOf(store, row);
    if (!raw) return '';
    const bytes = gunzipSync(raw.headers);
    return isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1');
  },
  body: (store, row) => {
    const raw = rawOf(store, row);
    return raw
      ? {
          html: unpack(raw.html),
          text: unpack(raw.text),
          inline: JSON.parse(unpack(raw.inline) ?? '{}') as Record<string, string>,
          truncated: raw.truncated === 1,
        }
      : { html: null, text: null, inline: {}, truncated: false };
  },
  message,
  matchedFile: (store, id) => {
    const email = findEmail(store, id);
    if (email) return message(store, email);
    const found = findAttachment(store, id);
    if (!found) return null;
    const { name, size, sha256 } = found.row;
    return {
      id,
      name,
      size: size ?? 0,
      sha256,
      matched: true,
      bytes: async () => {
        if (sha256 === null) throw new Error('The attachment has no hash to find it by');
        const { root, source } = placeOf(store, found.email);
        return readAttachment(root, source, sha256);
      },
      probe: () => 'ready',
    };
  },
  tenant: null,
};

/** A store for evidence, new or as it was left. Throws as `openStore` does. */
export function openEvidence(options: StoreOptions): Store {
  const store = openStore(options, evidenceSource);
  try {
    prepareEvidence(store);
    return store;
  } catch (error) {
    store.close();
    throw error;
  }
}
