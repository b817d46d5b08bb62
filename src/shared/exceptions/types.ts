/**
 * The exception types of each tool, their fields, and how values are compared. The specification (section 5) leaves the
 * lists open; these follow product.md, section 1.
 */

import type { SecurityTool } from '../model/enums.ts';
import { hasKey } from '../model/narrow.ts';

export type ExceptionList = 'allow' | 'block';
export type Matching = 'exact' | 'contains' | 'ends_with' | 'matching';
type ValueKind = 'hash' | 'email' | 'domain' | 'network' | 'url' | 'file-type' | 'text';

export const MATCHING_LABELS: Readonly<Record<Matching, string>> = {
  exact: 'exact',
  contains: 'contains',
  ends_with: 'ends with',
  matching: 'matching',
};

export interface ExceptionField {
  id: string;
  label: string;
  kind: ValueKind;
  /** The first is the default. */
  matchings: readonly Matching[];
  /** Offered only with the flag for all exception types. */
  extended?: true;
}

export interface ExceptionType {
  id: string;
  label: string;
  /** If null, the entry's payload.list decides. */
  list: ExceptionList | null;
  /** Ids of fields; the first is the default. */
  fields: readonly string[];
  extended?: true;
}

const FIELDS = {
  md5: { label: 'Attachment hash', kind: 'hash', matchings: ['exact'] },
  from_email: { label: 'From email', kind: 'email', matchings: ['exact', 'contains'] },
  from_domain: { label: 'From domain', kind: 'domain', matchings: ['ends_with', 'exact', 'contains'] },
  nickname: { label: 'Nickname', kind: 'text', matchings: ['exact', 'contains', 'matching'], extended: true },
  recipient: { label: 'Recipient', kind: 'email', matchings: ['exact', 'contains'] },
  client_ip: { label: 'Client IP (CIDR)', kind: 'network', matchings: ['matching'] },
  server_ip: { label: 'Server IP (CIDR)', kind: 'network', matchings: ['matching'], extended: true },
  links: { label: 'Links', kind: 'url', matchings: ['contains', 'exact'] },
  subject: { label: 'Subject', kind: 'text', matchings: ['contains', 'exact', 'matching'] },
  hash: { label: 'File hash', kind: 'hash', matchings: ['exact'] },
  macro_hash: { label: 'Macro hash', kind: 'hash', matchings: ['exact'] },
  file_type: { label: 'File type', kind: 'file-type', matchings: ['exact'] },
  sender_name: { label: 'Sender name', kind: 'text', matchings: ['exact', 'contains'] },
  payload: { label: 'Payload', kind: 'text', matchings: ['contains', 'exact'] },
  url: { label: 'URL', kind: 'url', matchings: ['exact', 'contains'] },
  domain: { label: 'Domain', kind: 'domain', matchings: ['ends_with', 'exact'] },
  text_content: { label: 'Text content', kind: 'text', matchings: ['contains', 'matching'] },
  sender_email: { label: 'Sender email', kind: 'email', matchings: ['exact'] },
  recipient_email: { label: 'Recipient email', kind: 'email', matchings: ['exact'] },
  user: { label: 'User', kind: 'email', matchings: ['exact'] },
} as const satisfies Record<string, Omit<ExceptionField, 'id'>>;

type FieldId = keyof typeof FIELDS;
export const exceptionField = (id: string): ExceptionField | null =>
  hasKey(FIELDS, id) ? { id, ...FIELDS[id] } : null;

const MAIL_FIELDS: readonly FieldId[] = [
  'from_email',
  'from_domain',
  'md5',
  'nickname',
  'recipient',
  'client_ip',
  'server_ip',
  'links',
  'subject',
];
const ANTI_PHISHING: readonly ExceptionType[] = [
  { id: 'whitelist', label: 'Allow', list: 'allow', fields: MAIL_FIELDS },
  { id: 'blacklist', label: 'Block', list: 'block', fields: MAIL_FIELDS },
  { id: 'spam_whitelist', label: 'Allow, not spam', list: 'allow', fields: MAIL_FIELDS, extended: true },
];
const ANTI_MALWARE: readonly ExceptionType[] = [
  { id: 'hash', label: 'File hash', list: null, fields: ['hash'] },
  { id: 'macro_hash', label: 'Macro hash', list: null, fields: ['macro_hash'], extended: true },
  { id: 'file_type', label: 'File type', list: null, fields: ['file_type'] },
  { id: 'sender_name', label: 'Sender name', list: 'allow', fields: ['sender_name'], extended: true },
  {
    id: 'payload_with_link',
    label: 'Payload with link',
    list: null,
    fields: ['payload'],
    extended: true,
  },
  {
    id: 'payload_without_link',
    label: 'Payload without link',
    list: null,
    fields: ['payload'],
    extended: true,
  },
];
const URLS: readonly ExceptionType[] = [
  { id: 'allow_url', label: 'Allow URL', list: 'allow', fields: ['url'] },
  { id: 'block_url', label: 'Block URL', list: 'block', fields: ['url'] },
  { id: 'allow_domain', label: 'Allow domain', list: 'allow', fields: ['domain'] },
  { id: 'block_domain', label: 'Block domain', list: 'block', fields: ['domain'] },
];
const DLP: readonly ExceptionType[] = [
  { id: 'hash', label: 'File hash', list: 'allow', fields: ['hash'] },
  { id: 'text_content', label: 'Text content', list: 'allow', fields: ['text_content'], extended: true },
  { id: 'sender_email', label: 'Sender email', list: 'allow', fields: ['sender_email'] },
  { id: 'recipient_email', label: 'Recipient email', list: 'allow', fields: ['recipient_email'] },
];
const PROVIDER: readonly ExceptionType[] = [
  { id: 'hash', label: 'File hash', list: null, fields: ['hash'] },
  { id: 'sender', label: 'Sender', list: null, fields: ['from_email', 'from_domain'] },
];
const ANOMALY: readonly ExceptionType[] = [{ id: 'user', label: 'User', list: 'allow', fields: ['user'] }];

const TYPES: Readonly<Record<SecurityTool, readonly ExceptionType[]>> = {
  checkpoint_te: ANTI_MALWARE,
  cp_threat_extraction: ANTI_MALWARE,
  dlp_checkpoint: DLP,
  dlp_gtb: DLP,
  checkpoint_av: ANTI_MALWARE,
  lastline_av_file: ANTI_MALWARE,
  dlp_symantec: DLP,
  'ap_{product}': ANTI_PHISHING,
  clicktime_protection: URLS,
  '{product}_dlp': DLP,
  checkpoint_url: URLS,
  '{product}_url': URLS,
  lastline_te: ANTI_MALWARE,
  anomaly_detection: ANOMALY,
  checkpoint2: ANTI_MALWARE,
  ms_defender: PROVIDER,
  checkpoint2_files_behind_links: ANTI_MALWARE,
};

/** "Some exception types and fields appear only if feature flags allow" (specification, section 5). */
const EXTENDED_FLAG = 'exception_types_extended';

const shown = (extended: true | undefined, flags: Readonly<Record<string, boolean>>): boolean =>
  extended !== true || (Object.hasOwn(flags, EXTENDED_FLAG) && flags[EXTENDED_FLAG] === true);

/** Every type of a tool, with `{product}` unexpanded in its id; none for an unknown tool. */
export const allExceptionTypes = (tool: string): readonly ExceptionType[] =>
  hasKey(TYPES, tool) ? TYPES[tool] : [];

/** The types that the flags allow, and the number they hide. */
export function exceptionTypes(
  tool: string,
  flags: Readonly<Record<string, boolean>>,
): { types: ExceptionType[]; hidden: number } {
  const all = allExceptionTypes(tool);
  const types = all.filter(({ extended }) => shown(extended, flags));
  return { types, hidden: all.length - types.length };
}

export const exceptionFields = (
  type: Pick<ExceptionType, 'fields'>,
  flags: Readonly<Record<string, boolean>>,
): ExceptionField[] =>
  type.fields.flatMap((id) => {
    const field = exceptionField(id);
    return field && shown(field.extended, flags) ? [field] : [];
  });
