/** Self-signed certificates, encoded as DER by hand (RFC 5280), so that no tool needs to be installed. */
import { generateKeyPairSync, sign } from 'node:crypto';

const length = (bytes: number): Buffer => {
  if (bytes < 128) return Buffer.from([bytes]);
  const hex = bytes.toString(16);
  const digits = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.from([0x80 | digits.length]), digits]);
};
const tlv = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), length(body.length), body]);
};
const sequence = (...parts: Buffer[]) => tlv(0x30, ...parts);
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'));
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = '550403';
const SUBJECT_ALT_NAME = '551d11';
const BASIC_CONSTRAINTS = '551d13';

const utcTime = (date: Date): Buffer =>
  tlv(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`, 'latin1'));

const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replace(/(.{64})(?=.)/g, '$1\n')}\n-----END ${label}-----\n`;

export interface Certificate {
  cert: string;
  key: string;
}

/**
 * A self-signed certificate for 127.0.0.1 and localhost (or only `dns`), valid between the two dates.
 * `dns` null: the only name is the `commonName` of its subject; an email address: its only alternative name.
 */
export function selfSigned(
  from: Date,
  until: Date,
  dns: string | null = 'localhost',
  commonName = 'Parapet test',
): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(tlv(0x31, sequence(oid(COMMON_NAME), tlv(0x0c, Buffer.from(commonName)))));
  const alternatives = sequence(
    tlv(dns?.includes('@') ? 0x81 : 0x82, Buffer.from(dns ?? '')),
    ...(dns === 'localhost' ? [tlv(0x87, Buffer.from([127, 0, 0, 1]))] : []),
  );
  const extensions = tlv(
    0xa3,
    sequence(
      ...(dns === null ? [] : [sequence(oid(SUBJECT_ALT_NAME), tlv(0x04, alternatives))]),
      sequence(
        oid(BASIC_CONSTRAINTS),
        tlv(0x01, Buffer.from([0xff])),
        tlv(0x04, sequence(tlv(0x01, Buffer.from([0xff])))),
      ),
    ),
  );
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([1, ...crypto.getRandomValues(new Uint8Array(8))])),
    ECDSA_SHA256,
    name,
    sequence(utcTime(from), utcTime(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = sequence(body, ECDSA_SHA256, tlv(0x03, Buffer.from([0]), signature));
  return {
    cert: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
