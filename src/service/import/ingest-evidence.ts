/**
 * Synchronises a store with an evidence folder: adds new mail, keeps known mail, removes mail that is certainly gone.
 * The way of a mail: `walk.ts` lists the files, `open-mail.ts` opens one, `contents.ts` finds the mails in it, `parsers.ts`
 * parses them in threads, where `email-record.ts` makes the record of each, and `batches.ts` collects them for the store.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { EvidenceReport } from '#shared/embedded.ts';
import { keysBeside } from '../formats/mail/dkim-keys.ts';
import type { EvidenceRules } from '../rules/evidence-rules.ts';
import type { Store } from '../store/store.ts';
import { ingestSignins, isLog } from './ingest-signins.ts';
import { Parsers } from './parsers.ts';
import { type EvidenceProgress, readEvidenceBy } from './read-evidence.ts';
import { authenticationReader } from './trust.ts';

/**
 * Version of the reader of mail. Increment it when the same bytes give other records: mail read by an earlier version is
 * read again. Sign-in logs have a version of their own.
 */
export const READER = '40';

interface IngestOptions {
  signal?: AbortSignal;
  /** Authserv-ids that the analyst trusts, lowercased: for stored mail as well as new mail. */
  believed?: readonly string[];
  onProgress?: (progress: EvidenceProgress) => void;
  /** Reads every file and compares each mail with its hash, ignoring file times. */
  verifies?: boolean | undefined;
  /** Checks each new mail by the rules of the analyst. */
  rules?: EvidenceRules;
  /** Entry of the threads that parse mail; omitted: it is parsed in this thread. */
  threads?: URL;
}

/** Throws when the path cannot be opened, and on abort; batches stored before that stay. */
export async function ingestEvidence(
  store: Store,
  root: string,
  options: IngestOptions = {},
): Promise<EvidenceReport> {
  await stat(root);
  const { signal, believed = [], threads, rules, verifies = false } = options;
  await store.evidence.trust(believed, authenticationReader(believed));
  const { name, keys, digest, problem } = await keysBeside(path.resolve(root));
  const reading = await store.evidence.reading(path.resolve(root), {
    // Other keys verify other signatures.
    reader: digest === '' ? READER : `${READER} ${digest}`,
    verifies,
    queues: rules !== undefined,
  });
  if (problem !== null) {
    const unread = { file: path.basename(name), offset: null, kind: 'keys', reason: problem } as const;
    await reading.add({ messages: [], copies: [], problems: [unread], files: [] });
  }
  const parsers = new Parsers({ entry: threads, believed, keys, signal });
  const summary = await readEvidenceBy(
    parsers.read,
    root,
    {
      file: (file) => reading.hasFile(file),
      begin: ({ file }) => reading.beginFile(file),
      content: (sha256) => reading.hasMail(sha256),
    },
    async (batch) => {
      if (rules === undefined) return reading.add(batch);
      await rules.inTurn(() => reading.add(batch));
      await rules.checkNew();
    },
    { ...options, isReadLater: isLog, onListed: ({ size }) => parsers.expect(size) },
  ).finally(() => parsers.close());
  const logs = await ingestSignins(store, reading, summary.others, {
    rereads: verifies,
    onProgress: ({ file, files, bytes }) =>
      options.onProgress?.({ ...summary, file, files: summary.files + files, bytes: summary.bytes + bytes }),
    ...(signal ? { signal } : {}),
  });
  return reading.end({ ...summary, logs });
}
