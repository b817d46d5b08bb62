/** Explanations of tool results: indicators by category, and a summary. */
import type { ScanDetail } from '#shared/model/entities.ts';
import { plural } from '#shared/model/format.ts';
import type { ScanSubject } from '../store/mail-source.ts';
import type { ScanRecord } from '../store/records.ts';
import { type Random, random } from './prng.ts';

interface Story {
  summary: string;
  reasons: { category: string; text: string }[];
}

interface StoryFacts {
  from: string;
  domain: string;
  files: readonly string[];
  links: number;
  matches: number;
  clicks: number;
  seed: string;
}

const INDICATORS: readonly (readonly [category: string, text: (facts: StoryFacts) => string])[] = [
  ['Sender reputation', ({ domain }) => `${domain} was registered 4 days ago`],
  ['Sender reputation', ({ domain }) => `${domain} has no history with this organisation`],
  ['Impersonation', ({ domain }) => `${domain} looks like the domain of a known vendor`],
  ['Impersonation', () => 'The display name is that of a known contact, the address is not'],
  ['Wording', () => 'The text presses for payment within a day'],
  ['Wording', () => 'The text asks to sign in to see a document'],
  ['Links', () => 'The text of a link names another host than its target'],
  ['Links', () => 'A link leads to a form that asks for a password'],
  ['Attachments', () => 'The name of an attachment hides its type'],
  ['Headers', () => 'Replies go to another domain than the sender’s'],
  ['Headers', () => 'The first server is not one that this sender uses'],
  ['Authentication', () => 'The sender’s policy does not list the sending server'],
];

function some(rng: Random, facts: StoryFacts, count: number): Story['reasons'] {
  const start = rng.int(0, INDICATORS.length - 1);
  const chosen = Array.from(
    { length: Math.min(count, INDICATORS.length) },
    (_, i) => INDICATORS[(start + i * 5) % INDICATORS.length],
  );
  return chosen.flatMap((story) => (story ? [{ category: story[0], text: story[1](facts) }] : []));
}

/** `story` is the name in the scan; an unknown or missing one gets the tool's default text. */
function storyOf(story: string | undefined, tool: string, facts: StoryFacts): Story {
  const rng = random(`${facts.seed}/${tool}`);
  const file = facts.files[0] ?? 'The attachment';
  switch (story) {
    case 'look-alike':
      return {
        summary: `${plural(facts.matches, 'indicator')}: look-alike of a known vendor, young domain`,
        reasons: some(rng, facts, facts.matches),
      };
    case 'impersonation':
      return {
        summary: 'Impersonates an executive by display name',
        reasons: [
          { category: 'Impersonation', text: `${facts.from} is not the address of the person named` },
          ...some(rng, facts, facts.matches - 1),
        ],
      };
    case 'unusual':
      return { summary: 'Unusual, short of a match', reasons: some(rng, facts, 2) };
    case 'spam':
      return {
        summary: 'Unwanted advertising',
        reasons: [{ category: 'Wording', text: 'The wording is that of known advertising' }],
      };
    case 'bulk':
      return {
        summary: 'Mass mailing with a way to unsubscribe',
        reasons: [{ category: 'Headers', text: 'The mail names itself a mailing list' }],
      };
    case 'detonated':
      return {
        summary: /html?$/i.test(file)
          ? `${file} posts a form to ${facts.domain.replaceAll('.', '[.]')}`
          : `${file} starts a program that downloads another`,
        reasons: [
          {
            category: 'Behaviour',
            text: /html?$/i.test(file)
              ? 'Shows a sign-in form and sends what is typed elsewhere'
              : 'Starts a script interpreter',
          },
          { category: 'Behaviour', text: 'Hides its content from readers that do not run scripts' },
        ],
      };
    case 'signature':
      return {
        summary: `${file} matches a known signature`,
        reasons: [{ category: 'Signature', text: 'Family: Loader.Gen' }],
      };
    case 'new-domain':
      return {
        summary: `1 of ${plural(Math.max(1, facts.links), 'link')}: newly registered, no history`,
        reasons: [{ category: 'Links', text: 'The domain is younger than a week' }],
      };
    case 'known-link':
      return {
        summary: `${plural(facts.matches, 'link')} on the list of known phishing pages`,
        reasons: [{ category: 'Links', text: 'Listed today' }],
      };
    case 'nobody-clicked':
      return {
        summary: `${plural(facts.matches, 'link')} matched after delivery, nobody clicked in this copy`,
        reasons: [],
      };
    case 'clicked':
      return {
        summary: `${plural(facts.matches, 'link')} matched after delivery, ${plural(facts.clicks, 'click')}`,
        reasons: [],
      };
    case 'provider-spam':
      return {
        summary: `Spam confidence ${rng.int(5, 9)}, moved ${rng.chance(0.5) ? 'to junk' : 'nothing'}`,
        reasons: [],
      };
    case 'deviation':
      return {
        summary: 'Sent at an hour unusual for this person',
        reasons: [{ category: 'Habit', text: 'No mail at this hour in the last 90 days' }],
      };
    default:
      return { summary: plainLine(tool, facts), reasons: [] };
  }
}

function plainLine(tool: string, { files, links, clicks, ...facts }: StoryFacts): string {
  const matches = plural(facts.matches, 'match', 'matches');
  if (tool === 'clicktime_protection')
    return clicks > 0 ? `${plural(clicks, 'click')}, ${matches}` : `Links replaced, ${matches}`;
  if (/url|behind_links/.test(tool)) return `${plural(links, 'link')}, ${matches}`;
  if (/dlp/.test(tool))
    return files.length > 0 ? `${matches} in body and ${plural(files.length, 'file')}` : `${matches} in body`;
  if (/_te|_av/.test(tool)) return `${plural(files.length, 'file')}, ${matches}`;
  return plural(facts.matches, 'indicator');
}

/** When the tool scanned, how long it took, and its reasons. */
export function scanDetail(scan: ScanRecord, subject: ScanSubject): Partial<ScanDetail> {
  const rng = random(`${subject.entityId}/${scan.tool}/time`);
  const slow = /_te$/.test(scan.tool);
  const duration = scan.error ? 90_000 : slow ? rng.int(12_000, 55_000) : rng.int(180, 1_900);
  const late = scan.after ?? (scan.reEvaluated ? (subject.reEvaluatedAfter ?? 83_000) : duration + 1_000);
  const story = storyOf(scan.story, scan.tool, {
    from: subject.from,
    domain: subject.domain,
    files: subject.files,
    links: subject.links,
    matches: scan.matches ?? 0,
    clicks: scan.clicks ?? 0,
    seed: subject.entityId,
  });
  return {
    reasons: story.reasons,
    summary: scan.error ?? scan.summary ?? story.summary,
    scanned_at: subject.since === null ? null : new Date(subject.since + late).toISOString(),
    duration_ms: scan.tool === 'clicktime_protection' ? null : duration,
    re_evaluated: scan.reEvaluated ?? false,
  };
}
