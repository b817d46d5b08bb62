/** Shared by benches: medians of alternating runs, peak memory, rows like email metadata, a table on standard output. */
import { spawn } from 'node:child_process';
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ResultColumn } from '#shared/bridge/operations.ts';
import type { Row } from '#shared/model/entities.ts';
import { goalsOf, uncheckedGoals } from './goals.ts';

const ROWS = Number(process.env['PARAPET_BENCH_ROWS'] ?? 100_000);
const RUNS = 5;

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
export const percentile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ??
  Number.NaN;

export const share = (part: number, whole: number): string =>
  `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;

/** The files of a folder and its subfolders, without what links lead to. */
export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => lstatSync(file).isFile())
    .sort();

export function print(title: string, lines: readonly (readonly [what: string, figure: string])[]): void {
  const width = Math.max(...lines.map(([what]) => what.length));
  console.log(`\n${title}`);
  for (const [what, figure] of lines) console.log(`  ${what.padEnd(width)}  ${figure}`);
}
const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;

/** One line of the table and of the JSON. Milliseconds and MiB; ratio above 1: ours is that much faster. */
export interface BenchEntry {
  name: string;
  variant: string;
  rows: number | null;
  median_ms: number;
  peer: string | null;
  peer_median_ms: number | null;
  /** Processor time of all threads, if measured: on a busy machine it is more meaningful than wall-clock time. */
  cpu_ms: number | null;
  peer_cpu_ms: number | null;
  peer_peak_rss_mb: number | null;
  ratio: number | null;
  peak_rss_mb: number | null;
}

/**
 * Does the work once. May return its own measurement instead of the duration of the run: milliseconds, or milliseconds
 * and peak memory (MiB) of the process that did the work.
 */
type Work = () => Promise<unknown>;

interface Comparison {
  name: string;
  variant: string;
  own: Work;
  /** Other ways to the same result, run in turn with ours. For missing programs see `has`. */
  peers?: readonly { name: string; run: Work }[];
  runs?: number;
  /** Rows that the work handles; null if meaningless. Default: `rows` of the bench. */
  rows?: number | null;
  /** The process whose peak counts as ours. Default: this one. */
  pid?: number;
}

export interface Bench {
  rows: number;
  wants(name: string): boolean;
  /** Measures ours and its peers in turn and keeps one entry for each peer. */
  compare(comparison: Comparison): Promise<void>;
  /** Records a figure that the bench measured itself. */
  record(entry: Partial<BenchEntry> & Pick<BenchEntry, 'name' | 'variant' | 'median_ms'>): void;
  /** Prints a note beside the table: a missing peer, how a figure was measured. */
  notice(text: string): void;
}

/** The `suite` export of a `*.bench.ts`. Nothing expensive happens before `run`. */
export interface BenchSuite {
  names: readonly string[];
  run(bench: Bench): Promise<void>;
}

const MIB = 1024 * 1024;

/** Resets the peak, if the system allows it. */
export function resetPeak(pid: number = process.pid): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Not Linux, or not allowed: the peak is then that of the whole process so far.
  }
}

/** Peak resident memory of a process since `resetPeak`, MiB; null if unknown. */
export function peakRss(pid: number = process.pid): number | null {
  try {
    const kib = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kib === undefined ? null : Number(kib) / 1024;
  } catch {
    // maxRSS is in KiB on every system that Node runs on.
    return pid === process.pid ? (process.resourceUsage().maxRSS * 1024) / MIB : null;
  }
}

/** Processor time of this process's ended children, milliseconds; null if unknown. */
function childrenCpu(): number | null {
  try {
    // After the name, which may have spaces: state is the third field, cutime and cstime are the 16th and 17th.
    const fields = readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
  } catch {
    return null;
  }
}
/** Linux counts in hundredths of a second. */
const TICK_MS = 10;

/** The cost of a process: times in milliseconds, processor time including its children, memory in MiB. */
interface Measured {
  ms: number;
  cpu: number | null;
  peak: number | null;
  error: null;
}

/** Runs a program with its output in a file and samples the peak of its memory. */
export function measured(
  program: string,
  words: readonly string[],
  output: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Measured> {
  const cpu = childrenCpu();
  const began = performance.now();
  const out = openSync(output, 'w');
  const child = spawn(program, words, { stdio: ['ignore', out, 'inherit'], env });
  let peak: number | null = null;
  const look = setInterval(() => {
    if (child.pid !== undefined) peak = peakRss(child.pid) ?? peak;
  }, 10);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      const ms = performance.now() - began;
      clearInterval(look);
      closeSync(out);
      const now = childrenCpu();
      if (code === 0)
        resolve({ ms, cpu: now === null || cpu === null ? null : now - cpu, peak, error: null });
      else reject(new Error(`${path.basename(program)} ended with ${code}`));
    });
  });
}

const isMeasured = (result: unknown): result is { ms: number; peak: number | null; cpu?: number | null } =>
  typeof result === 'object' && result !== null && 'ms' in result && 'peak' in result;

/** A bench that keeps its entries in `entries`. */
export function createBench(names: readonly string[], entries: BenchEntry[]): Bench {
  const record: Bench['record'] = (entry) => {
    const median = entry.median_ms;
    const peer = entry.peer_median_ms ?? null;
    entries.push({
      rows: ROWS,
      peer: null,
      peer_median_ms: null,
      cpu_ms: null,
      peer_cpu_ms: null,
      peer_peak_rss_mb: null,
      ratio: peer === null ? null : peer / median,
      peak_rss_mb: null,
      ...entry,
    });
  };
  return {
    rows: ROWS,
    wants: (name) => names.length === 0 || names.includes(name),
    record,
    notice: (text) => console.log(text),
    async compare({ name, variant, own, peers = [], runs = RUNS, rows = ROWS, pid }) {
      const ours: number[] = [];
      const theirs = peers.map((): number[] => []);
      const ourCpu: number[] = [];
      const theirCpu = peers.map((): number[] => []);
      const theirPeaks = peers.map((): number | null => null);
      let peak: number | null = null;
      let elsewhere = false;
      const time = async (work: Work, peer?: number) => {
        const began = performance.now();
        const result = await work();
        if (isMeasured(result)) {
          if (result.cpu != null) (peer === undefined ? ourCpu : theirCpu[peer])?.push(result.cpu);
          if (peer !== undefined)
            theirPeaks[peer] = Math.max(theirPeaks[peer] ?? 0, result.peak ?? 0) || null;
          else {
            elsewhere = true;
            if (result.peak !== null) peak = Math.max(peak ?? 0, result.peak);
          }
          return result.ms;
        }
        return typeof result === 'number' ? result : performance.now() - began;
      };
      for (let run = 0; run < runs; run++) {
        resetPeak(pid);
        ours.push(await time(own));
        const now = elsewhere ? null : peakRss(pid);
        if (now !== null) peak = Math.max(peak ?? 0, now);
        for (const [index, peer] of peers.entries()) theirs[index]?.push(await time(peer.run, index));
      }
      const medianOf = (values: readonly number[]) => (values.length === 0 ? null : median(values));
      const cpu_ms = medianOf(ourCpu);
      const common = { name, variant, rows, median_ms: median(ours), cpu_ms, peak_rss_mb: peak };
      if (peers.length === 0) record(common);
      for (const [index, peer] of peers.entries())
        record({
          ...common,
          peer: peer.name,
          peer_median_ms: median(theirs[index] ?? []),
          peer_cpu_ms: medianOf(theirCpu[index] ?? []),
          peer_peak_rss_mb: theirPeaks[index] ?? null,
        });
    },
  };
}

const mb = (value: number | null): string => (value === null ? '–' : `${Math.round(value)} MB`);

/** Prints a table for each item, with its goals. */
export function printEntries(entries: readonly BenchEntry[]): void {
  const head = [
    'variant',
    'median',
    'peer',
    'peer median',
    'ratio',
    'processor',
    'of peer',
    'peak RSS',
    'peer RSS',
    'goal',
  ];
  for (const [name, group] of Map.groupBy(entries, (entry) => entry.name)) {
    const lines = group.map((entry) => [
      entry.rows === null ? entry.variant : `${entry.variant}, ${entry.rows.toLocaleString('en')} rows`,
      ms(entry.median_ms),
      entry.peer ?? '–',
      entry.peer_median_ms === null ? '–' : ms(entry.peer_median_ms),
      entry.ratio === null ? '–' : `${entry.ratio.toFixed(2)}x`,
      entry.cpu_ms === null ? '–' : ms(entry.cpu_ms),
      entry.peer_cpu_ms === null ? '–' : ms(entry.peer_cpu_ms),
      mb(entry.peak_rss_mb),
      mb(entry.peer_peak_rss_mb),
      goalsOf(entry),
    ]);
    const table = [head, ...lines];
    const widths = head.map((_, index) => Math.max(...table.map((line) => line[index]?.length ?? 0)));
    console.log(`\n${name}`);
    for (const line of table)
      console.log(`  ${line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd());
  }
  const unchecked = uncheckedGoals(entries);
  if (unchecked.length > 0) console.log(`\nGoals not checked:\n  ${unchecked.join('\n  ')}`);
}

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
const itemAt = <T>(list: readonly T[], index: number): T => list[index % list.length]!;

export function benchRow(index: number): Row {
  const mixed = (index * 2_654_435_761) % 4_294_967_296;
  const domain = `partner${mixed % 997}.example`;
  return {
    entity_id: `e-${index.toString(36).padStart(8, '0')}-${mixed.toString(16)}`,
    received: new Date(Date.UTC(2026, 0, 1) + mixed * 5).toISOString(),
    verdict: itemAt(['clean', 'clean', 'clean', 'spam', 'found', 'suspicious'], mixed),
    subject: `${itemAt(WORDS, mixed)} ${itemAt(WORDS, mixed >> 4)} ${itemAt(WORDS, mixed >> 8)}, no. ${index} "${itemAt(WORDS, mixed >> 12)}"`,
    from_email: `sender${mixed % 7919}@${domain}`,
    from_name: `Sender ${mixed % 7919}`,
    from_domain: domain,
    to: `user${mixed % 1_200}@aldermoor.example`,
    recipients_count: 1 + (mixed % 4),
    folder: itemAt(['Inbox', 'Junk', 'Archive', 'Quarantine'], mixed >> 3),
    clicks: mixed % 50 === 0 ? 1 : 0,
    attachment_names: mixed % 4 === 0 ? [`INV-${mixed % 30_000}.pdf`] : [],
    size: 2_000 + (mixed % 900_000),
    direction: itemAt(['inbound', 'outbound', 'internal'], mixed >> 5),
    client_ip: `203.0.113.${mixed % 255}`,
    message_id: `<${mixed.toString(16)}.${index}@${domain}>`,
    department: itemAt(['Finance', 'Legal', 'Sales', 'Research', 'People'], mixed >> 2),
    is_read: mixed % 3 === 0,
    quarantined: mixed % 40 === 0,
    spf: itemAt(['pass', 'pass', 'fail', 'none'], mixed >> 6),
    dmarc: itemAt(['pass', 'pass', 'pass', 'fail'], mixed >> 7),
  };
}
