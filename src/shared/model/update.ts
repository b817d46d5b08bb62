/** Updates: the feed's description of a release, and comparing versions. Pure. */
import { z } from 'zod';

export const updateChannel = z.enum(['stable', 'beta']);
export type UpdateChannel = z.infer<typeof updateChannel>;

/** Kinds of packages that Parapet can update; others belong to a package manager. */
export const UPDATE_KINDS = ['appimage', 'nsis', 'dmg'] as const;
export type UpdateKind = (typeof UPDATE_KINDS)[number];

const VERSION = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-(beta|rc)\.(\d{1,6}))?$/;
/** In the order of Semantic Versioning, 11: every rc is newer than every beta, and a release than its previews. */
const STAGES = ['beta', 'rc', undefined];

const numbersOf = (version: string): number[] => {
  const parts = VERSION.exec(version);
  if (parts === null) return [];
  const [, major, minor, patch, stage, preview = 0] = parts;
  return [major, minor, patch, STAGES.indexOf(stage), preview].map(Number);
};

/** Whether a version is newer than another; false for an invalid version. */
export function isNewer(version: string, than: string): boolean {
  const a = numbersOf(version);
  const b = numbersOf(than);
  if (a.length === 0 || b.length === 0) return false;
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? 0;
    if (part !== other) return part > other;
  }
  return false;
}

const NOTES_MAX = 64 * 1024;
/** Maximum bytes of a package, three times the largest Electron package. */
const PACKAGE_MAX = 512 * 1024 * 1024;

const releaseFile = z.object({
  kind: z.enum(UPDATE_KINDS),
  arch: z.enum(['x64', 'arm64']),
  /** Relative to the feed's address. */
  name: z.string().regex(/^[A-Za-z0-9][\w.-]{0,120}$/),
  bytes: z.int().positive().max(PACKAGE_MAX),
  /** Hex. */
  sha512: z.string().regex(/^[0-9a-f]{128}$/),
});
export type ReleaseFile = z.infer<typeof releaseFile>;

export const release = z.object({
  /** Rejects a feed of another product signed with the same key. */
  product: z.literal('parapet'),
  channel: updateChannel,
  version: z.string().regex(VERSION),
  /** Day of the release, for display. */
  date: z.iso.date(),
  /** Its part of the CHANGELOG, as plain text. */
  notes: z.string().max(NOTES_MAX),
  files: z.array(releaseFile).max(20),
});
export type Release = z.infer<typeof release>;

/** A feed: the release as JSON text, and an Ed25519 signature of exactly that text. */
export const signedRelease = z.object({
  payload: z.string().max(256 * 1024),
  signature: z.base64().max(200),
});
