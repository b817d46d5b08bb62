/** Existing mail as the source of a store: headers and bodies as stored, bytes from the mail's own files. */

import { decodeHeaderBlock } from '../formats/files/charset.ts';
import { partOf, readMessage } from '../formats/mail/attachment.ts';
import { huntQueries } from '../import/hunts.ts';
import { detailOf, type EmailRow } from '../store/emails.ts';
import type { MailSource, MatchedFile } from '../store/mail-source.ts';
import { unpackRaw } from '../store/packed.ts';
import type { AppRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { checkCatalogue } from '../store/tool-catalogue.ts';
import { prepare } from '../store-sqlite/evidence/prepare.ts';
import { openStore, type SqliteStore, type StoreOptions } from '../store-sqlite/sqlite-store.ts';

/**
 * The bytes of a mail: from the first of its places that still holds them, or from a mail that it is attached to.
 * Throws, in words, when none does.
 */
async function bytesOf(store: Store, id: number, sha256: string, tried = new Set<number>()): Promise<Buffer> {
  let failure: unknown = null;
  tried.add(id);
  const attempt = async (read: () => Promise<Buffer>): Promise<Buffer | null> => {
    try {
      return await read();
    } catch (error) {
      failure ??= error;
      return null;
    }
  };
  for (const { root, mbox, ...place } of await store.mails.places(id)) {
    const bytes = await attempt(() => readMessage(root, { ...place, mbox: mbox === 1, sha256 }));
    if (bytes) return bytes;
  }
  for (const parent of await store.mails.parents(id)) {
    const row = tried.has(parent) ? null : await store.mails.row(parent);
    const hash = row === null ? undefined : detailOf(row).evidence?.sha256;
    if (hash === undefined) continue;
    const bytes = await attempt(async () => partOf(await bytesOf(store, parent, hash, tried), sha256));
    if (bytes) return bytes;
  }
  throw failure ?? new Error('The mail is not part of a folder');
}

async function rawOfMail(store: Store, row: EmailRow): Promise<Buffer> {
  const { evidence } = detailOf(row);
  if (!evidence) throw new Error('The mail is not part of a folder');
  return bytesOf(store, row.id, evidence.sha256);
}

function message(store: Store, row: EmailRow): MatchedFile | null {
  const { evidence } = detailOf(row);
  if (!evidence) return null;
  return {
    id: row.entity_id,
    name: `${row.subject.slice(0, 100) || 'message'}.eml`,
    size: row.size ?? 0,
    sha256: evidence.sha256,
    matched: true,
    bytes: () => rawOfMail(store, row),
    probe: () => 'ready',
  };
}

export const evidenceSource: MailSource = {
  texts: true,
  headers: async ({ mails }, row) => {
    const raw = await mails.raw(row.id);
    if (!raw) return '';
    return decodeHeaderBlock(unpackRaw(raw.parts).headers, detailOf(row).evidence?.headerCharset ?? null);
  },
  body: async ({ mails }, row) => {
    const raw = await mails.raw(row.id);
    if (!raw) return { html: null, text: null, inline: {}, truncated: false };
    const { html, text, inline } = unpackRaw(raw.parts);
    return {
      html,
      text,
      inline: JSON.parse(inline ?? '{}') as Record<string, string>,
      truncated: raw.truncated === 1,
    };
  },
  message,
  matchedFile: async (store, id) => {
    const email = await store.mails.find(id);
    if (email) return message(store, email);
    const attachment = await store.mails.attachment(id);
    if (!attachment) return null;
    const { name, size, sha256 } = attachment.row;
    return {
      id,
      name,
      size: size ?? 0,
      sha256,
      matched: true,
      bytes: async () => {
        if (sha256 === null) throw new Error('The attachment has no hash to find it by');
        return partOf(await rawOfMail(store, attachment.email), sha256);
      },
      probe: () => 'ready',
    };
  },
  tenant: null,
};

/** The app catalogue of a mail folder: one app, and the checks of its mail. */
const evidenceApps = (): AppRecord[] => [
  {
    name: 'evidence',
    label: 'Mail evidence',
    state: 'enabled',
    category: 'Email',
    family: 'evidence',
    is_saas: true,
    license_info: null,
    options: {},
    app_store_order: 0,
    security_stack_order: null,
  },
  ...checkCatalogue(),
];

/** Gives a store the app catalogue of evidence, its hunts and its indexes, unless it has them. */
export function prepareEvidence(store: SqliteStore): void {
  const columns = store.rows.shape('email', false)?.columns ?? [];
  prepare(store, evidenceApps(), huntQueries(columns, new Date().toISOString()));
}

/** An evidence store, new or existing. Throws as `openStore` does. */
export function openEvidence(options: StoreOptions): SqliteStore {
  const store = openStore(options, evidenceSource);
  try {
    prepareEvidence(store);
    return store;
  } catch (error) {
    store.close();
    throw error;
  }
}
