import type { Bar } from '#renderer/ui/charts/stacked-bars.tsx';
import type { VerdictValue } from '#renderer/ui/grid/cells.tsx';
import type { GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import type { StackEntry } from '#renderer/ui/stack-glyphs.tsx';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { Freshness } from '#shared/bridge/freshness.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 10, 19, 8, 47, 12);

export const fresh = (minutes: number, offline = false): Freshness => ({
  fetchedAt: Date.now() - minutes * MINUTE,
  source: offline ? 'cache' : 'network',
  offline,
});

export const ERROR_502: BridgeError = {
  code: 'server-error',
  message: 'The service answered 502 for email_recipients.',
  retryable: true,
  data: { endpoint: 'sql_queries/{saas}/email_recipients', status: 502 },
};
export const ERROR_SHAPE: BridgeError = {
  code: 'wrong-shape',
  message: 'The answer had no “click_time” field.',
  retryable: true,
};

export interface GalleryRow {
  id: string;
  received: string;
  verdict: VerdictValue;
  stack: StackEntry[];
  subject: string;
  from: string;
  to: string[];
  hash: string | null;
  size: number;
  clicks: number;
}

const VERDICTS: VerdictValue[] = [
  { verdict: 'found', code: 'hphsh' },
  { verdict: 'suspicious', code: 'spm' },
  { verdict: 'found-no-click', code: 'phsh' },
  { verdict: 'clean' },
  { verdict: 'not-scanned', error: true },
  { verdict: 'spam', code: 'bulk' },
  { verdict: 'grey_v2' },
];
const TOOLS = [
  'Anti-phishing',
  'Sandbox',
  'URL reputation',
  'Click-time protection',
  'Antivirus',
  'Mail provider',
];
const WORDS = ['found', 'suspicious', 'not-scanned', 'clean', 'hidden', 'found-no-click', 'spam'];
const SUBJECTS = [
  'Invoice overdue – final notice INV-20931',
  '請求書の支払期限超過のお知らせ',
  'Счёт просрочен: последнее предупреждение',
  'RE: RE: Invoice overdue, please confirm before the end of the working day',
  '',
  '=HYPERLINK("hxxp") \u202etxt.exe',
];
const SENDERS = [
  'billing@nordlicht-logistlk.example',
  'no-reply@bulk.mailer-7.example',
  'l.petrova@xn--80ak6aa92e.example',
  'h.tanaka@aldermoor.example',
];

/** A row generated from its number. */
export function galleryRow(index: number): GalleryRow {
  return {
    id: `row-${index}`,
    received: new Date(NOW - index * 6 * MINUTE).toISOString(),
    verdict: VERDICTS[(index * 5) % VERDICTS.length] ?? { verdict: 'clean' },
    stack: TOOLS.map((tool, number) => ({
      tool,
      verdict: WORDS[(index * 3 + number * number) % WORDS.length] ?? 'clean',
    })),
    subject: SUBJECTS[index % SUBJECTS.length] ?? '',
    from: SENDERS[index % SENDERS.length] ?? '',
    to: index % 3 ? ['m.okafor@aldermoor.example'] : ['p.nguyen@aldermoor.example', 'x@partner.example'],
    hash: index % 4 ? '9c4e07d1a6f2b85530c7e4911fd2aa6e8b13d90c4f5761e2a9d8037cbe54b71f' : null,
    size: (index * 7919) % 4_000_000,
    clicks: index % 9 ? 0 : index,
  };
}

export const COLUMNS: GridColumn<GalleryRow>[] = [
  { id: 'received', label: 'Received (UTC)', type: 'time', value: (row) => row.received, sortId: 'received' },
  { id: 'verdict', label: 'Verdict', type: 'verdict', value: (row) => row.verdict },
  { id: 'stack', label: 'Stack', type: 'stack', value: (row) => row.stack },
  {
    id: 'subject',
    label: 'Subject',
    type: 'name',
    value: (row) => row.subject,
    flex: 1,
    minWidth: 140,
    sortId: 'subject',
  },
  {
    id: 'from',
    label: 'From',
    type: 'address',
    value: (row) => row.from,
    entity: (row) => ({ kind: 'email', value: row.from, field: 'from' }),
  },
  { id: 'to', label: 'To', type: 'recipient', value: (row) => row.to },
  { id: 'hash', label: 'Attachment SHA-256', type: 'hash', value: (row) => row.hash },
  { id: 'size', label: 'Size', type: 'bytes', value: (row) => row.size, sortId: 'size' },
  { id: 'clicks', label: 'Clicks', type: 'count', value: (row) => row.clicks },
];

export const SERIES = [
  { id: 'found', label: 'Found', tone: 'found' },
  { id: 'suspicious', label: 'Suspicious', tone: 'suspicious' },
  { id: 'spam', label: 'Spam', tone: 'spam' },
];

export const BARS: Bar[] = Array.from({ length: 24 }, (_, index) => {
  const hour = String((index + 9) % 24).padStart(2, '0');
  return {
    label: `${hour}:00`,
    title: `${index < 15 ? '2026-11-18' : '2026-11-19'} ${hour}:00 UTC`,
    values: {
      found: 20 + ((index * 37) % 60) + (index > 20 ? 70 : 0),
      suspicious: 12 + ((index * 13) % 17),
      spam: 25 + ((index * 29) % 41),
    },
  };
});
