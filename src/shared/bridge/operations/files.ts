/** Files whose content the window produces (an image, rows that only it has), written to a granted path. */
import { z } from 'zod';
import { call } from '../operation.ts';
import { none } from './common.ts';

/** Limit of one chunk, in bytes or in characters of text. */
export const FILE_CHUNK_MAX = 4 * 1024 * 1024;
const fileId = z.string();

const writtenFile = z.object({
  name: z.string(),
  bytes: z.number(),
  sha256: z.string(),
  /** Why the file is incomplete, in words. */
  missing: z.string().nullish(),
});
export type WrittenFile = z.infer<typeof writtenFile>;

/** Maximum characters of the reason why a file is incomplete. */
export const MISSING_MAX = 2_000;

export const filesOperations = {
  'files.open': call(
    'Starts a file with content from the window; it gets its name at files.finish',
    z.object({
      grantId: z.string(),
      /** Describes the file in words, for its manifest. */
      what: z.string().min(1).max(300),
      /** Number of entries of a list; null for other files. */
      entries: z.number().int().nonnegative().nullable(),
      /** Why the file is incomplete, in words: it is then named PARTIAL. */
      missing: z.string().min(1).max(MISSING_MAX).nullish(),
    }),
    z.object({ fileId }),
  ),

  'files.append': call(
    'Appends to an unfinished file: text in UTF-8, or bytes in base64',
    z.object({
      fileId,
      chunk: z.union([
        z.object({ text: z.string().max(FILE_CHUNK_MAX) }),
        z.object({ base64: z.base64().max(FILE_CHUNK_MAX) }),
      ]),
    }),
    none,
  ),

  'files.finish': call('Completes the file and gives it its name', z.object({ fileId }), writtenFile),

  'files.verify': call(
    'Compares a granted file with its manifest: the one beside it, a granted one, or that of an export job',
    z.object({
      grantId: z.string(),
      manifestGrantId: z.string().optional(),
      jobId: z.string().optional(),
      /** Password of an encrypted zip; without it the content is not verified. */
      password: z.string().min(1).max(256).optional(),
    }),
    z.object({
      file: z.string(),
      /** No discrepancy was found. */
      holds: z.boolean(),
      /** In words, or null if it is neither confirmed nor refuted, but worth knowing. */
      lines: z.array(z.object({ holds: z.boolean().nullable(), text: z.string() })),
    }),
  ),

  'files.discard': call('Removes an unfinished file', z.object({ fileId }), none),
} as const;
