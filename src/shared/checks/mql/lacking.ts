/** Functions that need what is neither in a mail nor on this machine. */
import type { Lack } from './values.ts';

const GROUPS: readonly (readonly [start: string, lack: Lack])[] = [
  ['network.', 'network'],
  ['ml.link_analysis', 'network'],
  ['beta.linkanalysis', 'network'],
  ['beta.abuse', 'network'],
  ['ml.', 'learning'],
  ['beta.ml_', 'learning'],
  ['beta.ocr', 'learning'],
  ['beta.fuzzy_attack_score', 'learning'],
  ['file.message_screenshot', 'learning'],
  ['file.html_screenshot', 'learning'],
  ['profile.', 'history'],
  ['beta.profile.', 'history'],
  ['beta.message.', 'history'],
  ['file.', 'content'],
  ['beta.file.', 'content'],
  ['beta.parse_exif', 'content'],
  ['beta.scan_qr', 'content'],
  ['beta.oletools', 'content'],
  ['beta.scan_base64', 'function'],
  ['beta.ip_in', 'function'],
  ['html.xpath', 'function'],
  ['hash.', 'function'],
  ['strings.parse_json', 'function'],
  ['strings.parse_html', 'function'],
];

/** What a function needs that is not here; null: there is no such function. */
export const lackOf = (name: string): Lack | null =>
  GROUPS.find(([start]) => name.startsWith(start))?.[1] ?? null;
