/** Manifests of files that are no exports, of zips with a password, and what all manifests have in common. */
import { z } from 'zod';
import { exportFormat } from '#shared/bridge/operations/exports.ts';

export const manifestName = (file: string): string => `${file}.manifest.json`;

export const manifestBytes = (manifest: object): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`);

/** Beside a file that Parapet wrote and that is no export of rows. */
export interface FileManifest {
  kind: 'parapet-file-manifest';
  version: 1;
  file: string;
  bytes: number;
  /** Hex. */
  sha256: string;
  /** What the file is, in words. */
  what: string;
  /** Entries of a list; null: it is none. */
  entries: number | null;
  /** Where it came from; null: it was made in Parapet. */
  connection: string | null;
  app_version: string;
  written_at: string;
}

/** Beside a zip with a password: what may be known without it. Its manifest is inside. */
export interface SealedManifest {
  kind: 'parapet-sealed-manifest';
  version: 1;
  file: string;
  bytes: number;
  sha256: string;
  encryption: 'AES-256';
  manifest: 'inside the zip';
}

export const sealedManifest = (
  file: string,
  { bytes, sha256 }: { bytes: number; sha256: string },
): SealedManifest => ({
  kind: 'parapet-sealed-manifest',
  version: 1,
  file,
  bytes,
  sha256,
  encryption: 'AES-256',
  manifest: 'inside the zip',
});

const part = z.object({ file: z.string(), bytes: z.number(), sha256: z.string() });

/** What is checked of any manifest; earlier versions say less. */
export const anyManifest = z.looseObject({
  kind: z.enum(['parapet-export-manifest', 'parapet-file-manifest', 'parapet-sealed-manifest']),
  ...part.shape,
  content: part.nullish(),
  format: exportFormat.nullish(),
  rows: z.number().nullish(),
  columns: z.array(z.looseObject({ id: z.string() })).nullish(),
  header: z.array(z.string()).nullish(),
  first_entity_id: z.string().nullish(),
  last_entity_id: z.string().nullish(),
  partial_record: z.boolean().nullish(),
  completeness: z.enum(['complete', 'PARTIAL']).nullish(),
  why: z.string().nullish(),
});
export type AnyManifest = z.infer<typeof anyManifest>;
