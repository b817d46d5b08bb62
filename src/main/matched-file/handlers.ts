/** Files that tools matched may be malware, so their bytes go to disk and nowhere else. */
import { ParapetError } from '#shared/bridge/errors.ts';
import { manifestBytes, manifestName, sealedManifest } from '../files/manifest.ts';
import { exists } from '../files/part.ts';
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
import { probeThrice, type Wait } from './probe.ts';

const MAX_BYTES = 256 * 1024 * 1024;
/** AES-256. */
const STRENGTH = 3;

/** A zip of the file under a safe name, since an archive must not extract outside of its folder, and its manifest. */
async function sealed(
  name: string,
  bytes: Uint8Array,
  manifest: object,
  password: string,
): Promise<Uint8Array> {
  const { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } = await import('@zip.js/zip.js');
  const zip = new ZipWriter(new Uint8ArrayWriter(), {
    useWebWorkers: false,
    password,
    encryptionStrength: STRENGTH,
  });
  await zip.add(name, new Uint8ArrayReader(bytes));
  await zip.add(manifestName(name), new Uint8ArrayReader(manifestBytes(manifest)));
  return zip.close();
}

export function createMatchedFileHandlers(
  ctx: Pick<Context, 'upstream' | 'grants' | 'ports' | 'connection'>,
  wait?: Wait,
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
      const link = await ctx.upstream.send(
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
            ? `The service does not hand out the file: ${link.reason}.`
            : 'The service gave no link to the file.',
        );
      const bytes = await ctx.upstream.blob(
        connectionId,
        'entity.signed-link',
        { params: { hash, token, id } },
        { signal, maxBytes: MAX_BYTES },
      );
      signal.throwIfAborted();
      const digest = { bytes: bytes.length, sha256: sha256Of(bytes) };
      const { sha256 } = digest;
      const facts = {
        what: 'A file or an email, as the service handed it out',
        entries: null,
        connection: ctx.connection(connectionId).name,
      };
      if (zip === null) await writeWithManifest(ctx, chosen, bytes, facts);
      else {
        const entry = safeFileName(name, 'matched-file');
        const whole = await sealed(entry, bytes, fileManifest(ctx, entry, digest, facts), zip.password);
        const replace = await exists(chosen.path);
        const outside = { bytes: whole.length, sha256: sha256Of(whole) };
        const { beside } = await commitWithManifest(
          chosen.path,
          () => sealedManifest(chosen.name, outside),
          replace,
          () => writeFileWhole(chosen.path, whole, { replace }),
        );
        chosen.finished?.([beside]);
      }
      const told = link.sha256?.trim().toLowerCase() || null;
      return {
        name: chosen.name,
        bytes: bytes.length,
        sha256,
        asTold: told === null ? null : told === sha256,
      };
    },
  };
}
