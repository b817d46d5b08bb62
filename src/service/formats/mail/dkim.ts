/**
 * The body hashes of DKIM signatures (RFC 6376), computed again. Nothing is looked up: signatures are verified only by keys
 * that the analyst gave.
 */
import { createHash } from 'node:crypto';
import { allHeaders, type MailHeader } from '#shared/mail/headers.ts';
import type { SignedBody } from '#shared/mail/signed-body.ts';
import type { DkimKeys } from './dkim-keys.ts';
import { headerFields, isSignature, verifySignature } from './dkim-signature.ts';
import { headerEnd } from './header-block.ts';

/** Signatures that are looked at, each at most that long. */
const MAX_SIGNATURES = 5;
const MAX_SIGNATURE = 8_192;
/** A longer body is not hashed. */
const MAX_BODY = 32 * 1024 * 1024;
/** A mailbox file quotes such lines, and programs differ in which; what was signed cannot be told. */
const QUOTED = /^>*From /m;

/** `name=value` pairs between semicolons, without white space. */
function tagsOf(value: string): Map<string, string> {
  const tags = value.slice(0, MAX_SIGNATURE).split(';').slice(0, 40);
  return new Map(
    tags.map((tag) => {
      const [name = '', ...rest] = tag.replace(/\s+/g, '').split('=');
      return [name.toLowerCase(), rest.join('=')];
    }),
  );
}

/** The text without empty lines at its end, but with one line break there. */
function trimmed(text: string): string {
  let end = text.length;
  while (end >= 2 && text.endsWith('\r\n', end)) end -= 2;
  return `${text.slice(0, end)}\r\n`;
}

/** In the two canonical forms of RFC 6376 3.4, as Latin-1. */
const FORMS = {
  simple: trimmed,
  relaxed: (text: string): string => {
    const lines = trimmed(`${text}\r\n`.replace(/[ \t]+/g, ' ').replaceAll(' \r\n', '\r\n'));
    return lines === '\r\n' ? '' : lines;
  },
};

/** How each signature is verified, in order, or null if no keys were given. */
function verifier(raw: Buffer, keys: DkimKeys, receivedAt: number | null) {
  if (keys.size === 0) return null;
  const all = headerFields(raw);
  const signatures = all.filter(isSignature);
  return (index: number, tags: ReadonlyMap<string, string>): boolean | string => {
    const field = signatures[index];
    if (field === undefined) return 'the header is too long or damaged';
    const fields = all.filter((other) => other !== field);
    return verifySignature({ field, tags, fields, receivedAt }, keys, tagsOf);
  };
}

/**
 * What became of the body under each signature, and of the signature; empty if there is none, or the body is not as it was
 * received.
 */
export function signedBodies(
  raw: Buffer,
  headers: readonly MailHeader[],
  keys: DkimKeys,
  receivedAt: number | null,
): SignedBody[] {
  const signatures = allHeaders(headers, 'DKIM-Signature').slice(0, MAX_SIGNATURES);
  if (signatures.length === 0) return [];
  const body = raw.subarray(headerEnd(raw).body);
  const isConverted = ['X-Parapet-Converted', 'X-Apple-Content-Length'].some(
    (name) => allHeaders(headers, name).length > 0,
  );
  if (isConverted || body.length > MAX_BODY) return [];
  const text = body.toString('latin1').replace(/\r?\n/g, '\r\n');
  const forms = new Map<string, string>();
  const bodyOf = (tags: ReadonlyMap<string, string>): SignedBody['state'] => {
    const hash = /^(?:rsa|ed25519)-(sha1|sha256)$/i.exec(tags.get('a') ?? '')?.[1]?.toLowerCase();
    const form = (tags.get('c') ?? '').toLowerCase().split('/')[1] ?? 'simple';
    const limit = tags.get('l');
    const expected = tags.get('bh') ?? '';
    if (hash === undefined || (form !== 'simple' && form !== 'relaxed') || expected === '') return 'unknown';
    const canonical = forms.get(form) ?? FORMS[form](text);
    forms.set(form, canonical);
    const signed =
      limit !== undefined && /^\d{1,10}$/.test(limit) ? canonical.slice(0, Number(limit)) : canonical;
    if (createHash(hash).update(signed, 'latin1').digest('base64') === expected)
      return signed.length < canonical.length ? 'extended' : 'intact';
    return QUOTED.test(text) ? 'unknown' : 'changed';
  };
  const verify = verifier(raw, keys, receivedAt);
  return signatures.map(({ value }, index) => {
    const tags = tagsOf(value);
    const domain = (tags.get('d') ?? '').toLowerCase().slice(0, 253);
    const state = bodyOf(tags);
    if (verify === null || state === 'changed') return { domain, state, fits: null, unverified: null };
    const fits = state === 'unknown' ? 'its body hash cannot be computed again' : verify(index, tags);
    return typeof fits === 'string'
      ? { domain, state, fits: null, unverified: fits }
      : { domain, state, fits, unverified: null };
  });
}
