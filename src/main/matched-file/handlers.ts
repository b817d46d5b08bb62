/** Files that tools matched may be malware, so their bytes are written to disk and go nowhere else. */
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import { MAX_EMAILS_AT_ONCE, MAX_FILES_AT_ONCE, type ParsedInputOf } from '#shared/bridge/operations.ts';
import { bytes as bytesText, exact, plural } from '#shared/model/format.ts';
import { manifestBytes, manifestName, sealedManifest } from '../files/manifest.ts';
import { exists } from '../files/temp-file.ts';
import {
  commitWithManifest,
  fileManifest,
  sha256Of,
  writeFileWhole,
  writeWithManifest,
} from '../files/whole-file.ts';
import type { Context } from '../kernel/context.ts';
import { safeFileName } from '../kernel/file-names.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import { redeemForClear } from '../kernel/policy.ts';
import type { ChosenPath } from '../kernel/ports.ts';
import { probeThrice, type Wait } from './probe.ts';

const MAX_BYTES = 256 * 1024 * 1024;
/** Limits of one zip. */
const LIMITS = { files: MAX_FILES_AT_ONCE, bytes: MAX_BYTES };
/** AES-256. */
const STRENGTH = 3;

type Entries = { name: string; bytes: Uint8Array }[];
type Ctx = Pick<Context, 'upstream' | 'grants' | 'ports' | 'connection'>;

/** A zip of entries with safe names, since an archive must not extract outside of its folder. */
async function sealed(entries: Entries, password: string): Promise<Uint8Array> {
  const { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } = await import('@zip.js/zip.js');
  const zip = new ZipWriter(new Uint8ArrayWriter(), {
    useWebWorkers: false,
    password,
    encryptionStrength: STRENGTH,
  });
  for (const { name, bytes } of entries) await zip.add(name, new Uint8ArrayReader(bytes));
  return zip.close();
}

/** Writes an encrypted zip and, beside it, a manifest without confidential content. */
async function writeSealed(chosen: ChosenPath, entries: Entries, password: string): Promise<void> {
  const whole = await sealed(entries, password);
  const replace = await exists(chosen.path);
  const outside = { bytes: whole.length, sha256: sha256Of(whole) };
  const { beside } = await commitWithManifest(
    chosen.path,
    () => sealedManifest(chosen.name, outside),
    { replace },
    () => writeFileWhole(chosen.path, whole, { replace }),
  );
  chosen.finished?.([beside]);
}

/** The bytes by their signed link, and the reported hash in lower case. Throws if the service provides no file. */
async function fetched(
  { upstream }: Pick<Context, 'upstream'>,
  file: { connectionId: string; entityType: string; entityId: string },
  signal: AbortSignal,
  maxBytes = MAX_BYTES,
): Promise<{ bytes: Uint8Array; announcedHash: string | null }> {
  const { connectionId, entityType, entityId } = file;
  const link = await upstream.send(
    connectionId,
    'file.matched',
    { params: { type: entityType, id: entityId }, query: {} },
    { signal },
  );
  const { hash, token, id } = link;
  if (!link.success || !hash || !token || !id)
    throw new ParapetError(
      'not-found',
      link.reason
        ? `The service does not provide the file: ${link.reason}.`
        : 'The service returned no link to the file.',
    );
  const bytes = await upstream.blob(
    connectionId,
    'entity.signed-link',
    { params: { hash, token, id } },
    { signal, maxBytes },
  );
  signal.throwIfAborted();
  return { bytes, announcedHash: link.sha256?.trim().toLowerCase() || null };
}

/** Names that remain distinct on a file system that ignores case, also where “ß” and “SS” are the same (APFS). */
function uniqueNames(): (name: string) => string {
  const usedNames = new Set(['manifest.json']);
  const folded = (name: string) => name.toUpperCase().toLowerCase();
  return (name) => {
    const safe = safeFileName(name, 'attachment');
    let unique = safe;
    for (let copy = 2; usedNames.has(folded(unique)); copy += 1)
      unique = safe.replace(/(\.[^.]{1,12})?$/, (end) => ` (${copy})${end}`);
    usedNames.add(folded(unique));
    return unique;
  };
}

interface Wanted {
  entityId: string;
  name: string;
  /** Additional fields for the manifest. */
  facts?: object;
}
type Missing = { name: string; reason: string }[];

/** Fetches files and writes them into one sealed zip with its manifest. Rejects `not-found` if there are none. */
async function saveTogether(
  ctx: Ctx,
  files: readonly Wanted[],
  of: {
    connectionId: string;
    entityType: string;
    what: string;
    lost: Missing;
    password: string;
    mostBytes: number;
  },
  chosen: ChosenPath,
  signal: AbortSignal,
) {
  const { connectionId, entityType, what, password, mostBytes } = of;
  const nameOf = uniqueNames();
  const entries: Entries = [];
  const listed: object[] = [];
  const missing = [...of.lost];
  let room = mostBytes;
  for (const { entityId, name, facts } of files)
    try {
      if (room <= 0)
        throw new ParapetError('too-large', `The files before it fill the zip: ${bytesText(mostBytes)}.`);
      const { bytes, announcedHash: serviceHash } = await fetched(
        ctx,
        { connectionId, entityType, entityId },
        signal,
        room,
      );
      room -= bytes.length;
      const sha256 = sha256Of(bytes);
      const entry = nameOf(name);
      entries.push({ name: entry, bytes });
      listed.push({
        file: entry,
        name,
        ...facts,
        bytes: bytes.length,
        sha256,
        as_told: serviceHash === null ? null : serviceHash === sha256,
      });
    } catch (error) {
      signal.throwIfAborted();
      missing.push({ name, reason: toBridgeError(error).message });
    }
  if (entries.length === 0)
    throw new ParapetError('not-found', missing[0]?.reason ?? 'None of these emails has an attachment.');
  const manifest = {
    kind: 'parapet-files-manifest',
    version: 1,
    what,
    connection: ctx.connection(connectionId).name,
    app_version: ctx.ports.version,
    written_at: new Date(ctx.ports.now()).toISOString(),
    files: listed,
    missing,
  };
  await writeSealed(
    chosen,
    [...entries, { name: 'manifest.json', bytes: manifestBytes(manifest) }],
    password,
  );
  return { name: chosen.name, files: entries.length, bytes: mostBytes - room, missing };
}

/** The attachments of emails, and what could not be listed. */
async function attachmentsOf(
  { upstream }: Pick<Ctx, 'upstream'>,
  of: Pick<ParsedInputOf<'matched-file.save-of'>, 'connectionId' | 'emails'> & { mostFiles: number },
  signal: AbortSignal,
): Promise<{ files: Wanted[]; lost: Missing }> {
  const files: Wanted[] = [];
  const lost: Missing = [];
  const { connectionId, emails, mostFiles } = of;
  for (const { saas, entityId, subject } of emails) {
    const about = { email: entityId, subject };
    try {
      const { rows } = await upstream.send(
        connectionId,
        'email.attachments',
        { params: { saas }, query: { entity_id: entityId } },
        { signal },
      );
      for (const { entity_id, name } of rows)
        if (files.length < mostFiles) files.push({ entityId: entity_id, name, facts: about });
        else lost.push({ name, reason: `A zip contains at most ${exact(mostFiles)} files.` });
    } catch (error) {
      signal.throwIfAborted();
      lost.push({ name: `Attachments of “${subject}”`, reason: toBridgeError(error).message });
    }
  }
  return { files, lost };
}

type Left = ParsedInputOf<'matched-file.save-of'>['left'];

const LEFT: Readonly<Record<keyof Left, string>> = {
  noId: 'Without an id their attachments cannot be requested.',
  gone: 'No longer among the results on this machine.',
  beyond: `A zip contains the attachments of at most ${exact(MAX_EMAILS_AT_ONCE)} emails.`,
};

/** Selected emails whose attachments are not requested, by reason. */
const leftOut = (counts: Left): Missing =>
  (['noId', 'gone', 'beyond'] as const).flatMap((why) =>
    counts[why] > 0 ? [{ name: `Attachments of ${plural(counts[why], 'email')}`, reason: LEFT[why] }] : [],
  );

export function createMatchedFileHandlers(
  ctx: Ctx,
  wait?: Wait,
  limits = LIMITS,
): HandlersIn<'matched-file'> {
  return {
    'matched-file.probe': ({ connectionId, entityType, entityId }, { signal }) =>
      probeThrice(
        () =>
          ctx.upstream.send(
            connectionId,
            'file.matched',
            { params: { type: entityType, id: entityId }, query: { test_only: true } },
            // Attempts are counted here, so the client must not retry.
            { signal, retry: false },
          ),
        signal,
        wait,
      ),

    async 'matched-file.save'({ connectionId, entityType, entityId, grantId, name, zip }, { signal }) {
      const chosen = zip === null ? redeemForClear(ctx, grantId) : ctx.grants.redeem(grantId);
      const { bytes, announcedHash: serviceHash } = await fetched(
        ctx,
        { connectionId, entityType, entityId },
        signal,
      );
      const digest = { bytes: bytes.length, sha256: sha256Of(bytes) };
      const { sha256 } = digest;
      const facts = {
        what: 'A file or an email, as the service provided it',
        entries: null,
        connection: ctx.connection(connectionId).name,
      };
      if (zip === null) await writeWithManifest(ctx, chosen, bytes, facts);
      else {
        const entry = safeFileName(name, 'matched-file');
        const manifest = manifestBytes(fileManifest(ctx, entry, digest, facts));
        const entries = [
          { name: entry, bytes },
          { name: manifestName(entry), bytes: manifest },
        ];
        await writeSealed(chosen, entries, zip.password);
      }
      return {
        name: chosen.name,
        bytes: bytes.length,
        sha256,
        asTold: serviceHash === null ? null : serviceHash === sha256,
      };
    },

    async 'matched-file.save-all'({ connectionId, entityType, files, grantId, password }, { signal }) {
      const chosen = ctx.grants.redeem(grantId);
      const what = 'Attachments of an email, as the service provided them';
      return saveTogether(
        ctx,
        files,
        { connectionId, entityType, what, lost: [], password, mostBytes: limits.bytes },
        chosen,
        signal,
      );
    },

    async 'matched-file.save-of'({ connectionId, emails, left, grantId, password }, { signal }) {
      // A service provides only files that a tool matched, one at a time, and records who downloaded them.
      if (ctx.connection(connectionId).kind !== 'evidence')
        throw new ParapetError('not-allowed', 'Attachments of several emails are saved from evidence only.');
      const chosen = ctx.grants.redeem(grantId);
      const { files, lost } = await attachmentsOf(
        ctx,
        { connectionId, emails, mostFiles: limits.files },
        signal,
      );
      const out = leftOut(left);
      const chosenCount = emails.length + left.noId + left.gone + left.beyond;
      const of = plural(chosenCount, out.length === 0 ? 'email' : 'chosen email');
      const what = `Attachments of ${out.length === 0 ? '' : `${exact(emails.length)} of `}${of}, from evidence`;
      return saveTogether(
        ctx,
        files,
        {
          connectionId,
          entityType: 'email',
          what,
          lost: [...out, ...lost],
          password,
          mostBytes: limits.bytes,
        },
        chosen,
        signal,
      );
    },
  };
}
