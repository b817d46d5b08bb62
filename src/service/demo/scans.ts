/** Scan results by scenario: each list of scans is built once and shared by many mails. */
import { expandProduct } from '#shared/model/white-label.ts';
import type { Tenant } from '../store/mail-source.ts';
import type { ScanRecord } from '../store/records.ts';
import { PRODUCT } from '../store/verdicts.ts';
import { random } from './prng.ts';

export type Scenario =
  | 'clean'
  | 'phishing'
  | 'malware'
  | 'suspicious'
  | 'fraud'
  | 'spam'
  | 'bulk'
  | 'no-click'
  | 'failed';

const AP = expandProduct('ap_{product}', PRODUCT);
const VARIANTS = 12;
const built = new Map<string, readonly ScanRecord[]>();

export interface ScanShape {
  scenario: Scenario;
  files: boolean;
  /** One of the files is known to be malware. */
  malware: boolean;
  links: number;
  clicks: number;
  internal: boolean;
}

/** No tool can match more links than there are. */
const MOST_MATCHED = 2;

/** The scans of one mail; equal shapes and variants share one list. */
export function scansFor(shape: ScanShape, variant: number): readonly ScanRecord[] {
  const { scenario, files, malware, internal } = shape;
  const clicks = Math.min(shape.clicks, 9);
  const links = Math.min(shape.links, MOST_MATCHED);
  const key = `${scenario}/${files}/${malware}/${links}/${clicks}/${internal}/${variant % VARIANTS}`;
  let scans = built.get(key);
  if (!scans) {
    scans = build({ ...shape, links, clicks }, random(key));
    built.set(key, scans);
  }
  return scans;
}

function build(shape: ScanShape, rng: ReturnType<typeof random>): ScanRecord[] {
  const { scenario, files, malware, links, clicks, internal } = shape;
  const bad = scenario === 'phishing' || scenario === 'malware';
  const clickedBad = (bad || scenario === 'fraud') && clicks > 0;
  const out: ScanRecord[] = [];
  const add = (tool: string, scan: Omit<ScanRecord, 'tool'>) => out.push({ tool, ...scan });

  if (scenario === 'phishing')
    add(AP, {
      status: 'finished',
      code: rng.chance(0.7) ? 'hphsh' : 'phsh',
      matches: rng.int(3, 9),
      story: 'look-alike',
      ...(rng.chance(0.3) ? { reEvaluated: true as const } : {}),
    });
  else if (scenario === 'fraud')
    add(AP, { status: 'finished', code: 'phsh', matches: rng.int(1, 4), story: 'impersonation' });
  else if (scenario === 'suspicious') add(AP, { status: 'finished', suspicious: true, story: 'unusual' });
  else if (scenario === 'spam')
    add(AP, { status: 'finished', code: rng.pick(['spm', 'hspm']), story: 'spam' });
  else if (scenario === 'bulk') add(AP, { status: 'finished', code: 'bulk', story: 'bulk' });
  else if (scenario === 'malware' && rng.chance(0.5))
    add(AP, { status: 'finished', suspicious: true, story: 'unusual' });
  else add(AP, { status: 'clean', code: 'clean', matches: 0 });

  if (files) {
    const fails = scenario === 'failed' || rng.chance(0.01);
    if (malware) add('checkpoint_te', { status: 'finished', code: 'malw', matches: 1, story: 'detonated' });
    else if (fails && rng.chance(0.5))
      add('checkpoint_te', { status: 'error', error: 'The sandbox was full and gave up after 10 minutes' });
    else add('checkpoint_te', { status: 'benign', matches: 0 });
    if (scenario === 'failed' || (bad && rng.chance(0.3)) || rng.chance(0.01))
      add('lastline_av_file', { status: 'error', error: 'Engine timed out twice. Not a clean result' });
    else if (malware && scenario === 'malware' && rng.chance(0.7))
      add('lastline_av_file', { status: 'finished', code: 'malw', matches: 1, story: 'signature' });
    else add('lastline_av_file', { status: 'clean', matches: 0 });
    add(
      'checkpoint_av',
      malware && scenario === 'malware' && rng.chance(0.6)
        ? { status: 'finished', code: 'malw', matches: 1, story: 'signature' }
        : { status: 'clean', matches: 0 },
    );
  }
  if (links > 0) {
    if (bad && rng.chance(0.5))
      add('checkpoint_url', { status: 'finished', suspicious: true, matches: 0, story: 'new-domain' });
    else if (scenario === 'phishing' && rng.chance(0.5))
      add('checkpoint_url', {
        status: 'finished',
        code: 'phsh',
        matches: rng.int(1, links),
        story: 'known-link',
      });
    else if (scenario === 'suspicious' && rng.chance(0.6))
      add('checkpoint_url', { status: 'finished', suspicious: true, matches: 0, story: 'new-domain' });
    else add('checkpoint_url', { status: 'clean', matches: 0 });
    // A bad link that was clicked was checked at the click, and found.
    if (scenario === 'no-click' || (bad && rng.chance(0.6)) || clickedBad)
      add('clicktime_protection', {
        status: 'finished',
        matches: rng.int(1, links),
        clicks,
        story: clicks === 0 ? 'nobody-clicked' : 'clicked',
      });
    else add('clicktime_protection', { status: 'ok', matches: 0, clicks });
    if (rng.chance(0.35)) add('checkpoint2_files_behind_links', { status: 'ok', matches: 0 });
  }
  if (scenario === 'spam')
    add('ms_defender', {
      status: 'finished',
      code: rng.pick(['spm', 'hspm', 'bulk']),
      story: 'provider-spam',
    });
  else if (scenario === 'bulk')
    add('ms_defender', { status: 'finished', code: 'bulk', story: 'provider-spam' });
  else if (bad && rng.chance(0.45))
    add('ms_defender', {
      status: 'finished',
      code: rng.pick(['spm', 'hspm', 'phsh']),
      story: 'provider-spam',
    });
  else if (!internal) add('ms_defender', { status: 'clean', code: 'clean', matches: 0 });
  add('dlp_checkpoint', { status: 'ok', matches: 0 });
  if (internal || rng.chance(0.2))
    add(
      'anomaly_detection',
      scenario === 'clean' && rng.chance(0.1)
        ? { status: 'deviation', story: 'deviation' }
        : { status: 'ok', matches: 0 },
    );
  return out;
}

/** Scan results for a drive's file with this verdict. */
export function fileScans(verdict: string): ScanRecord[] {
  const quiet = (tool: string, status: string): ScanRecord => ({ tool, status, matches: 0 });
  const dlp = quiet('dlp_checkpoint', 'ok');
  switch (verdict) {
    case 'found':
      return [
        { tool: 'checkpoint_te', status: 'finished', code: 'malw', matches: 1, story: 'detonated' },
        { tool: 'lastline_av_file', status: 'finished', code: 'malw', matches: 1, story: 'signature' },
        quiet('checkpoint_av', 'clean'),
        dlp,
      ];
    case 'suspicious':
      return [
        { tool: 'checkpoint_te', status: 'finished', suspicious: true, story: 'unusual' },
        quiet('lastline_av_file', 'clean'),
        quiet('checkpoint_av', 'clean'),
        dlp,
      ];
    case 'not-scanned':
      return [
        { tool: 'checkpoint_te', status: 'error', error: 'The file is larger than the sandbox takes' },
        quiet('checkpoint_av', 'clean'),
        dlp,
      ];
    default:
      return [
        quiet('checkpoint_te', 'benign'),
        quiet('lastline_av_file', 'clean'),
        quiet('checkpoint_av', 'clean'),
        dlp,
      ];
  }
}

/** Scan results for a chat message. */
export function messageScans(row: Parameters<Tenant['messageScans']>[0]): ScanRecord[] {
  const bad = row.verdict === 'found';
  return [
    bad
      ? { tool: AP, status: 'finished', code: row.verdict_code ?? 'phsh', matches: 1, story: 'look-alike' }
      : row.verdict === 'suspicious'
        ? { tool: AP, status: 'finished', suspicious: true, story: 'unusual' }
        : { tool: AP, status: 'clean', code: 'clean', matches: 0 },
    ...(row.links_count > 0
      ? [
          bad
            ? { tool: 'checkpoint_url', status: 'finished', code: 'phsh', matches: 1, story: 'known-link' }
            : { tool: 'checkpoint_url', status: 'clean', matches: 0 },
        ]
      : []),
  ];
}
