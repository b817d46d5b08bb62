/** Manifests of files other than exports and of zips with a password, and what all manifests share. */
import { z } from 'zod';
import { exportFormat } from '#shared/bridge/operations/exports.ts';
import { jsonText } from '#shared/model/json-text.ts';

export const manifestName = (file: string): string => `${file}.manifest.json`;

export const manifestBytes = (manifest: object): Uint8Array =>
  new TextEncoder().encode(`${jsonText(manifest, 2)}\n`);

/** The manifest beside a file that Parapet wrote and that is not an export of rows. */
export interface FileManifest {
  kind: 'parapet-file-manifest';
  version: 1;
  file: string;
  bytes: number;
  /** Hex. */
  sha256: string;
  /** Describes the file, in words. */
  what: string;
  /** Number of entries of a list; null for other files. */
  entries: number | null;
  /** The connection it came from; null when it was made in Parapet. */
  connection: string | null;
  /** The file lacks entries; `why` says which, in words. Absent: it has what it should. */
  completeness?: 'PARTIAL';
  why?: string;
  app_version: string;
  written_at: string;
}

/** Beside a zip with a password: only what may be known without it. The full manifest is inside. */
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

const count = z.int().nonnegative();
const part = z.object({ file: z.string(), bytes: count, sha256: z.string() });

/** The newest version of each kind. */
export const MANIFEST_VERSIONS = {
  'parapet-export-manifest': 3,
  'parapet-file-manifest': 1,
  'parapet-sealed-manifest': 1,
} as const;

/** The fields every manifest is validated for; only those of exports have all of them. */
export const anyManifest = z.looseObject({
  kind: z.enum(['parapet-export-manifest', 'parapet-file-manifest', 'parapet-sealed-manifest']),
  version: z.int().positive(),
  ...part.shape,
  content: part.nullish(),
  format: exportFormat.nullish(),
  rows: count.nullish(),
  total_announced: count.nullish(),
  rows_fetched: count.nullish(),
  scope: z.string().nullish(),
  sheets: count.nullish(),
  columns: z.array(z.looseObject({ id: z.string() })).nullish(),
  header: z.array(z.string()).nullish(),
  first_entity_id: z.string().nullish(),
  last_entity_id: z.string().nullish(),
  partial_record: z.boolean().nullish(),
  completeness: z.enum(['complete', 'PARTIAL']).nullish(),
  why: z.string().nullish(),
});
export type AnyManifest = z.infer<typeof anyManifest>;
