/** Results of the demo tenant's tools when they scan again. */
import { dictionary } from '#shared/dictionary.ts';
import type { RescanSubject } from '../store/mail-source.ts';
import type { ScanRecord } from '../store/records.ts';
import { verdictOf } from '../store/verdicts.ts';
import { random } from './prng.ts';

const FOUND: Readonly<Record<string, { code: string; story: string }>> = dictionary({
  checkpoint_te: { code: 'malw', story: 'detonated' },
  lastline_av_file: { code: 'malw', story: 'signature' },
  checkpoint_av: { code: 'malw', story: 'signature' },
  checkpoint_url: { code: 'phsh', story: 'known-link' },
});

/** Duration of a rescan in milliseconds. */
export function rescanTime(entityId: string, tool: string): number {
  const rng = random(`${entityId}/${tool}/time`);
  return /_te$/.test(tool) ? rng.int(6_000, 12_000) : rng.int(1_200, 4_000);
}

/** An error tends to go away; what was reported or suspicious tends to be found. */
export function rescan({ entityId, tool, before, scans, reported, run }: RescanSubject): ScanRecord {
  const rng = random(`${entityId}/${tool}/rescan/${run}`);
  const clean: ScanRecord = /_te$/.test(tool)
    ? { tool, status: 'benign', matches: 0 }
    : { tool, status: 'clean', code: 'clean', matches: 0 };
  const hit = FOUND[tool] ?? { code: 'phsh', story: 'look-alike' };
  const record: ScanRecord = {
    tool,
    status: 'finished',
    code: hit.code,
    matches: rng.int(1, 4),
    story: hit.story,
  };
  const elsewhere = scans.some((scan) => scan.tool !== tool && verdictOf(scan).verdict === 'found');
  const was = before ? verdictOf(before) : null;
  if (before === undefined || was === null) return clean;
  const { runs: _runs, after: _after, ...same } = before;
  if (was.error) return rng.chance(0.85) ? (elsewhere ? record : clean) : same;
  if (was.verdict === 'suspicious') return rng.chance(elsewhere || reported ? 0.8 : 0.5) ? record : clean;
  // Clicks are counted, not judged, so another scan changes nothing.
  if (tool === 'clicktime_protection' || tool === 'ms_defender' || /dlp/.test(tool)) return same;
  if (was.verdict === 'found') return rng.chance(0.9) ? same : clean;
  if (was.verdict === 'clean' && rng.chance(elsewhere ? 0.5 : reported ? 0.6 : 0.03)) return record;
  return same;
}
