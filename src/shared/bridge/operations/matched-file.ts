/** Operations on the file that a tool matched (specification section 7: GET sec_match_file and the signed link). */
import { z } from 'zod';
import { zipPassword } from '../../model/password-strength.ts';
import { call } from '../operation.ts';

/** Files of one zip. */
export const MAX_FILES_AT_ONCE = 2_000;
/** Emails whose attachments go into one zip. */
export const MAX_EMAILS_AT_ONCE = 500;

const target = z.object({
  connectionId: z.string(),
  /** file, or email for an attachment. */
  entityType: z.string().min(1).max(100),
  entityId: z.string().min(1).max(600),
});

const matchedFileProbe = z.object({
  success: z.boolean(),
  /** Attempts to ask the service, at most 3. */
  attempts: z.number(),
  /** Why not, in words, or null if it is available, or the service gave no reason. */
  reason: z.string().nullable(),
  /** The credential's role may not download, so asking again is pointless. */
  forbidden: z.boolean(),
});
export type MatchedFileProbe = z.infer<typeof matchedFileProbe>;

const savedFile = z.object({
  /** The name that was chosen. */
  name: z.string(),
  /** Of the file itself, before any zip. */
  bytes: z.number(),
  sha256: z.string(),
  /** Whether it is the hash that the service announced, or null if it announced none. */
  asTold: z.boolean().nullable(),
});
export type SavedFile = z.infer<typeof savedFile>;

const savedFiles = z.object({
  /** The name that was chosen. */
  name: z.string(),
  files: z.number(),
  /** Of the files themselves, before the zip. */
  bytes: z.number(),
  /** Files that are not in the zip, and why. */
  missing: z.array(z.object({ name: z.string(), reason: z.string() })),
});
export type SavedFiles = z.infer<typeof savedFiles>;

export const matchedFileOperations = {
  'matched-file.probe': call(
    'Whether the file that a tool matched is available: test_only, tried 3 times; success false is an answer',
    target,
    matchedFileProbe,
  ),

  'matched-file.save': call(
    'Fetches the file that a tool matched by its signed link into a granted file: as it is, or in an AES-256 zip',
    target.extend({
      grantId: z.string(),
      /** Name of the entry in the zip; main makes it safe. */
      name: z.string().max(1_000),
      zip: z.object({ password: zipPassword }).nullable(),
    }),
    savedFile,
  ),

  'matched-file.save-all': call(
    'Fetches several files of one entity into a granted AES-256 zip with one manifest, which names missing ones',
    z.object({
      connectionId: z.string(),
      entityType: z.string().min(1).max(100),
      files: z
        .array(z.object({ entityId: z.string().min(1).max(600), name: z.string().max(1_000) }))
        .min(1)
        .max(MAX_FILES_AT_ONCE),
      grantId: z.string(),
      password: zipPassword,
    }),
    savedFiles,
  ),

  'matched-file.save-of': call(
    'Fetches the attachments of several emails of evidence into a granted AES-256 zip with one manifest, which names missing ones',
    z.object({
      connectionId: z.string(),
      emails: z
        .array(
          z.object({
            saas: z.string().min(1).max(100),
            entityId: z.string().min(1).max(600),
            subject: z.string().max(10_000),
          }),
        )
        .min(1)
        .max(MAX_EMAILS_AT_ONCE),
      /** Chosen emails that are not among these; the manifest and the answer name them as missing. */
      left: z.object({
        /** Rows without an entity id. */
        noId: z.number().int().nonnegative(),
        /** Rows that are no longer on this machine. */
        gone: z.number().int().nonnegative(),
        /** Rows after the first MAX_EMAILS_AT_ONCE. */
        beyond: z.number().int().nonnegative(),
      }),
      grantId: z.string(),
      password: zipPassword,
    }),
    savedFiles,
  ),
} as const;
