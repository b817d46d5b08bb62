/** What tests cost: seconds of processor time, which hold on a busy machine where seconds of the clock do not. */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Names the file that takes a line of JSON for each test file (Vitest) or test (Playwright); nothing is counted without. */
export const costFile = process.env['PARAPET_COST'];

/** Seconds that this process and its descendants have used, and those of theirs that have ended. Linux only. */
export function processorSeconds(): number {
  const children = new Map<number, { pid: number; ticks: number }[]>();
  let own = 0;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    let stat: string;
    try {
      stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    } catch {
      continue; // ended meanwhile
    }
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
    const parent = fields[1] ?? 0;
    const pid = Number(name);
    if (pid === process.pid) own = ticks;
    children.set(parent, [...(children.get(parent) ?? []), { pid, ticks }]);
  }
  const below = (pid: number): number =>
    (children.get(pid) ?? []).reduce((sum, child) => sum + child.ticks + below(child.pid), 0);
  return (own + below(process.pid)) / TICKS_PER_SECOND;
}

export function noteCost(file: string, test: string | null, seconds: number): void {
  if (costFile !== undefined)
    appendFileSync(costFile, `${JSON.stringify({ file, test, seconds: Number(seconds.toFixed(2)) })}\n`);
}
