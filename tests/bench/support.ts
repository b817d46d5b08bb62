/** What benches share: medians of alternating runs, rows like email metadata, a table on standard output. */
import type { ResultColumn } from '#shared/bridge/operations.ts';
import type { Row } from '#shared/model/entities.ts';

export const ROWS = Number(process.env['PARAPET_BENCH_ROWS'] ?? 100_000);
export const RUNS = 5;

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
export const percentile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ??
  Number.NaN;

/** Runs every variant once in turn, several times over, so that drift hits all of them alike. Milliseconds. */
export async function alternate<K extends string>(
  variants: Record<K, () => Promise<void>>,
  runs = RUNS,
): Promise<Record<K, number>> {
  const names = Object.keys(variants) as K[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let run = 0; run < runs; run++)
    for (const name of names) {
      const began = performance.now();
      await variants[name]();
      times[name].push(performance.now() - began);
    }
  return Object.fromEntries(names.map((name) => [name, median(times[name])])) as Record<K, number>;
}

export function print(title: string, lines: readonly (readonly [what: string, figure: string])[]): void {
  const width = Math.max(...lines.map(([what]) => what.length));
  console.log(`\n${title}`);
  for (const [what, figure] of lines) console.log(`  ${what.padEnd(width)}  ${figure}`);
}
export const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;
export const ratio = (own: number, peer: number): string => `${(peer / own).toFixed(2)}x`;

const column = (id: string, type: string, multiValues = false): ResultColumn => ({
  id,
  label: id,
  type,
  multiValues,
});

/** Twenty columns of email metadata. */
export const benchColumns: readonly ResultColumn[] = [
  column('received', 'date'),
  column('verdict', 'enum'),
  column('subject', 'text'),
  column('from_email', 'email'),
  column('from_name', 'text'),
  column('from_domain', 'domain'),
  column('to', 'email'),
  column('recipients_count', 'number'),
  column('folder', 'text'),
  column('clicks', 'number'),
  column('attachment_names', 'text', true),
  column('size', 'bytes'),
  column('direction', 'enum'),
  column('client_ip', 'ip'),
  column('message_id', 'text'),
  column('department', 'text'),
  column('is_read', 'boolean'),
  column('quarantined', 'boolean'),
  column('spf', 'enum'),
  column('dmarc', 'enum'),
];

const WORDS = [
  'invoice',
  'overdue',
  'minutes',
  'ürün',
  '請求書',
  'счёт',
  'plan',
  'review',
  'travel',
  'payroll',
  'Q3',
  'board',
];
const at = <T>(list: readonly T[], index: number): T => list[index % list.length]!;

export function benchRow(index: number): Row {
  const mixed = (index * 2_654_435_761) % 4_294_967_296;
  const domain = `partner${mixed % 997}.example`;
  return {
    entity_id: `e-${index.toString(36).padStart(8, '0')}-${mixed.toString(16)}`,
    received: new Date(Date.UTC(2026, 0, 1) + mixed * 5).toISOString(),
    verdict: at(['clean', 'clean', 'clean', 'spam', 'found', 'suspicious'], mixed),
    subject: `${at(WORDS, mixed)} ${at(WORDS, mixed >> 4)} ${at(WORDS, mixed >> 8)}, no. ${index} "${at(WORDS, mixed >> 12)}"`,
    from_email: `sender${mixed % 7919}@${domain}`,
    from_name: `Sender ${mixed % 7919}`,
    from_domain: domain,
    to: `user${mixed % 1_200}@aldermoor.example`,
    recipients_count: 1 + (mixed % 4),
    folder: at(['Inbox', 'Junk', 'Archive', 'Quarantine'], mixed >> 3),
    clicks: mixed % 50 === 0 ? 1 : 0,
    attachment_names: mixed % 4 === 0 ? [`INV-${mixed % 30_000}.pdf`] : [],
    size: 2_000 + (mixed % 900_000),
    direction: at(['inbound', 'outbound', 'internal'], mixed >> 5),
    client_ip: `203.0.113.${mixed % 255}`,
    message_id: `<${mixed.toString(16)}.${index}@${domain}>`,
    department: at(['Finance', 'Legal', 'Sales', 'Research', 'People'], mixed >> 2),
    is_read: mixed % 3 === 0,
    quarantined: mixed % 40 === 0,
    spf: at(['pass', 'pass', 'fail', 'none'], mixed >> 6),
    dmarc: at(['pass', 'pass', 'pass', 'fail'], mixed >> 7),
  };
}
