/** The cost of tests in processor time, which is comparable on a busy machine, unlike wall-clock time. */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Receives one line of JSON per test file (Vitest) or test (Playwright); if unset, nothing is measured. */
export const costFile = process.env['PARAPET_COST'];

/** Seconds used by this process and its descendants, including ended ones. Linux only. */
export function processorSeconds(): number {
  const children = new Map<number, { pid: number; ticks: number }[]>();
  let total = 0;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    let stat: string;
    try {
      stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    } catch {
      continue; // The process has ended meanwhile.
    }
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
    const parent = fields[1] ?? 0;
    const pid = Number(name);
    if (pid === process.pid) total = ticks;
    children.set(parent, [...(children.get(parent) ?? []), { pid, ticks }]);
  }
  const below = (pid: number): number =>
    (children.get(pid) ?? []).reduce((sum, child) => sum + child.ticks + below(child.pid), 0);
  return (total + below(process.pid)) / TICKS_PER_SECOND;
}

export function noteCost(file: string, test: string | null, seconds: number): void {
  if (costFile !== undefined)
    appendFileSync(costFile, `${JSON.stringify({ file, test, seconds: Number(seconds.toFixed(2)) })}\n`);
}
