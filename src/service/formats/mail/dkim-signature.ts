/** Verifies a DKIM signature (RFC 6376, 8301 and 8463) by the keys that the analyst gave. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { dictionary } from '#shared/dictionary.ts';
import type { DkimKeys } from './dkim-keys.ts';
import { headerEnd } from './header-block.ts';

/** A longer header is not verified. */
const MAX_HEADER = 1024 * 1024;
const RSA_BITS = { least: 1_024, most: 8_192 };

/** The fields of the header as received, folded, without their last line break, as Latin-1; none if it is damaged. */
export function headerFields(raw: Buffer): string[] {
  const { end } = headerEnd(raw);
  if (end > MAX_HEADER) return [];
  const fields = raw
    .toString('latin1', 0, end)
    .replace(/\r?\n/g, '\r\n')
    .split(/\r\n(?![ \t])/)
    .filter((field) => field !== '');
  return fields.every((field) => field.includes(':')) ? fields : [];
}

const nameOf = (field: string): string =>
  field
    .slice(0, field.indexOf(':'))
    .replace(/(?<![ \t])[ \t]+$/, '')
    .toLowerCase();

export const isSignature = (field: string): boolean => nameOf(field) === 'dkim-signature';

/** In the two canonical forms of RFC 6376 3.4. */
const FORMS: Readonly<Record<string, (field: string) => string>> = dictionary({
  simple: (field) => field,
  relaxed: (field) => {
    const value = field
      .slice(field.indexOf(':') + 1)
      .replaceAll('\r\n', '')
      .replace(/[ \t]+/g, ' ');
    return `${nameOf(field)}:${value.replace(/^ | $/g, '')}`;
  },
});

/** What the signature covers; each name that is listed takes the last field that is left of it. */
function signedHeader(fields: readonly string[], signature: string, names: readonly string[], form: string) {
  const canonical = FORMS[form];
  if (canonical === undefined) return null;
  const fieldsByName = Map.groupBy(fields, nameOf);
  const signedFields = names.flatMap((name) => fieldsByName.get(name)?.pop() ?? []);
  const colon = signature.indexOf(':') + 1;
  const unsigned =
    signature.slice(0, colon) + signature.slice(colon).replace(/(^|;)(\s*b\s*=)[^;]*/i, '$1$2');
  return [...signedFields, unsigned].map(canonical).join('\r\n');
}

function publicKey(type: string, value: string): KeyObject | null {
  const bytes = Buffer.from(value, 'base64');
  try {
    if (type === 'ed25519')
      return createPublicKey({
        key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
        format: 'jwk',
      });
    // The RFC says one form and its examples have the other.
    const form = bytes.includes(Buffer.from('2a864886f70d010101', 'hex')) ? 'spki' : 'pkcs1';
    const key = createPublicKey({ key: bytes, format: 'der', type: form });
    const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
    return modulusLength >= RSA_BITS.least && modulusLength <= RSA_BITS.most ? key : null;
  } catch {
    return null;
  }
}

export interface GivenSignature {
  field: string;
  tags: ReadonlyMap<string, string>;
  fields: readonly string[];
  /** Milliseconds since the epoch, if known. */
  receivedAt: number | null;
}

/** True if it fits the key; otherwise words why it was not verified. */
export function verifySignature(
  { field, tags, fields, receivedAt }: GivenSignature,
  keys: DkimKeys,
  tagsOf: (text: string) => Map<string, string>,
): boolean | string {
  const tag = (name: string) => (tags.get(name) ?? '').toLowerCase();
  const domain = tag('d');
  const [type = '', hash = ''] = tag('a').split('-');
  const name = `${tag('s')}._domainkey.${domain}`;
  const names = tag('h').split(':');
  const record = keys.get(name);
  const key = record === undefined ? null : tagsOf(record);
  if (key === null) return `No key given for ${name.slice(0, 253)}`;
  if (key.get('p') === '') return 'its key was revoked';
  if (hash !== 'sha256') return `${tag('a').slice(0, 20)} is no longer a valid method`;
  if (!names.includes('from')) return 'it does not cover From';
  if (fields.filter((other) => nameOf(other) === 'from').length !== 1)
    return 'the mail has several From lines';
  const expires = Number(tags.get('x') ?? Infinity);
  if (receivedAt !== null && expires * 1_000 < receivedAt) return 'it had expired when the mail was received';
  const [, agent = domain] = tag('i').split('@');
  const isStrict = (key.get('t') ?? '').split(':').includes('s');
  if (agent !== domain && (isStrict || !agent.endsWith(`.${domain}`)))
    return 'it is on behalf of a domain that may not be';
  const allows = (allowed: string, value: string) =>
    ['*', value].some((value) => (key.get(allowed) ?? '*').toLowerCase().split(':').includes(value));
  if ((key.get('v') ?? 'DKIM1') !== 'DKIM1' || !allows('h', hash) || !allows('s', 'email'))
    return 'the key given is not for such signatures';
  const publicKeyOf =
    (key.get('k') ?? 'rsa').toLowerCase() === type ? publicKey(type, key.get('p') ?? '') : null;
  if (publicKeyOf === null) return 'the key given is not for such signatures';
  const data = signedHeader(fields, field, names, tag('c').split('/')[0] || 'simple');
  if (data === null) return 'its canonical form is not known';
  const bytes = Buffer.from(data, 'latin1');
  const signature = Buffer.from(tags.get('b') ?? '', 'base64');
  return type === 'ed25519'
    ? verify(null, createHash('sha256').update(bytes).digest(), publicKeyOf, signature)
    : verify('sha256', bytes, publicKeyOf, signature);
}
