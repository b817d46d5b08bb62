/** Words of the indicators dialog. */
import { exact, form, plural } from '#shared/model/format.ts';
import type { IndicatorType } from '#shared/model/indicators.ts';

const TYPES: Readonly<Record<IndicatorType, readonly [string, string]>> = {
  address: ['Address', 'Addresses'],
  domain: ['Domain', 'Domains'],
  ip: ['IP address', 'IP addresses'],
  url: ['Link', 'Links'],
  md5: ['MD5', 'MD5'],
  sha1: ['SHA-1', 'SHA-1'],
  sha256: ['SHA-256', 'SHA-256'],
  phone: ['Phone number', 'Phone numbers'],
};
export const typeLabel = (type: IndicatorType, count: number): string => form(count, ...TYPES[type]);

export const titleOf = (of: string): string => `Indicators of ${of}`;
export const count = (many: number): string => plural(many, 'indicator');
export const OWN = 'Our own domains, addresses and private IPs';
export const ALLOWED = 'On an allow list';
export const NONE = 'No indicators found.';
export const READING = 'Reading…';
export const LEFT_OUT = 'Excluded';
export const WHAT_FILE = 'Indicators';

/** The link below the first indicators of a type; `listed` is how many of them the preview can list. */
export const showMoreWords = (counts: { total: number; listed: number; shown: number }): string => {
  const { total, listed, shown } = counts;
  return listed < total ? `Show ${exact(listed)} of ${exact(total)}` : `Show ${exact(listed - shown)} more`;
};
