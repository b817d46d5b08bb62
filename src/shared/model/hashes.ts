import type { SecurityTool } from './enums.ts';
import { hasKey } from './narrow.ts';

// "MD5 is 32 hex characters. SHA256 is 64 hex characters. Both are case-insensitive." SHA-1 is 40.
const MD5 = /^[0-9a-f]{32}$/i;
const SHA1 = /^[0-9a-f]{40}$/i;
const SHA256 = /^[0-9a-f]{64}$/i;

export type HashType = 'md5' | 'sha1' | 'sha256';
export type HashError = 'invalidMd5' | 'invalidSha256' | 'invalidMd5OrSha256';
export interface AllowedHashes {
  md5: boolean;
  sha256: boolean;
}

export const HASH_ERROR_WORDS: Readonly<Record<HashError, string>> = {
  invalidMd5: 'Not an MD5: it has exactly 32 characters, 0 to 9 and a to f.',
  invalidSha256: 'Not a SHA-256: it has exactly 64 characters, 0 to 9 and a to f.',
  invalidMd5OrSha256: 'Neither an MD5 (32 characters) nor a SHA-256 (64 characters) of 0 to 9 and a to f.',
};

export function isMd5(value: string): boolean {
  return MD5.test(value);
}

function isSha1(value: string): boolean {
  return SHA1.test(value);
}

function isSha256(value: string): boolean {
  return SHA256.test(value);
}

/** The type of a hash by its length; null when the value is not a hash. */
export function hashType(value: string): HashType | null {
  if (isMd5(value)) return 'md5';
  if (isSha1(value)) return 'sha1';
  return isSha256(value) ? 'sha256' : null;
}

/**
 * null when the value is a hash of an allowed type, else the specification's error (section 5): with one type allowed
 * its own error, "invalidMd5OrSha256 when both checks fail". With neither allowed nothing is valid. The value is not
 * trimmed.
 */
export function validateHash(value: string, allowed: AllowedHashes): HashError | null {
  if (allowed.md5 && isMd5(value)) return null;
  if (allowed.sha256 && isSha256(value)) return null;
  if (allowed.md5 === allowed.sha256) return 'invalidMd5OrSha256';
  return allowed.md5 ? 'invalidMd5' : 'invalidSha256';
}

/** Feature flags that widen the hash rules (connection settings; defaults in resources). */
export const HASH_FLAGS = {
  sha256: 'sha256_exceptions',
  sha256AntiPhishing: 'sha256_anti_phishing_exceptions',
  sha256Dlp: 'sha256_dlp_exceptions',
  md5Provider: 'md5_provider_exceptions',
} as const;
type HashFlag = (typeof HASH_FLAGS)[keyof typeof HASH_FLAGS];

/** True is always and false never; a name is that of the feature flag that has to be on. */
type Rule = boolean | HashFlag;

// "Allowed hash types per security tool depend on feature flags" (section 5); which, is our reading.
const DLP: { md5: Rule; sha256: Rule } = { md5: true, sha256: HASH_FLAGS.sha256Dlp };
const FILES: { md5: Rule; sha256: Rule } = { md5: true, sha256: HASH_FLAGS.sha256 };
const NONE: { md5: Rule; sha256: Rule } = { md5: false, sha256: false };
const RULES: Readonly<Record<SecurityTool, { md5: Rule; sha256: Rule }>> = {
  checkpoint_te: FILES,
  cp_threat_extraction: FILES,
  dlp_checkpoint: DLP,
  dlp_gtb: DLP,
  checkpoint_av: FILES,
  lastline_av_file: FILES,
  dlp_symantec: DLP,
  'ap_{product}': { md5: true, sha256: HASH_FLAGS.sha256AntiPhishing },
  clicktime_protection: NONE,
  '{product}_dlp': DLP,
  checkpoint_url: NONE,
  '{product}_url': NONE,
  lastline_te: FILES,
  anomaly_detection: NONE,
  checkpoint2: FILES,
  ms_defender: { md5: HASH_FLAGS.md5Provider, sha256: true },
  checkpoint2_files_behind_links: FILES,
};

/**
 * The hash types that an exception of the tool accepts. `tool` is the specification's id, with `{product}` unexpanded
 * (see white-label.ts canonicalTool). For an unknown tool both: its service decides.
 */
export function allowedHashes(tool: string, flags: Readonly<Record<string, boolean>>): AllowedHashes {
  const rules = hasKey(RULES, tool) ? RULES[tool] : { md5: true, sha256: true };
  const on = (rule: Rule): boolean =>
    typeof rule === 'boolean' ? rule : Object.hasOwn(flags, rule) && flags[rule] === true;
  return { md5: on(rules.md5), sha256: on(rules.sha256) };
}
