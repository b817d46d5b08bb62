/** What a rule from a reason begins with: a condition on the value at its place. The fields are those of evidence. */
import { openWith, type RulePrefill } from '#renderer/state/tab-payload.ts';
import type { EmailFinding } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';
import { hostOfUrl } from '#shared/model/hosts.ts';
import { wordsOf } from '#shared/query/text.ts';
import type { Condition } from '#shared/query/tree.ts';
import { ruleCheckId, UNRATED } from '#shared/rules/rule.ts';
import { strengthOf } from './reasons.ts';
import type { EmailReads } from './use-email.ts';

/** A condition and what it looks for, in words. */
interface Wanted {
  condition: Condition;
  words: string;
}

type Reads = Pick<EmailReads, 'profile' | 'attachments'>;

const equal = (field: string, value: string | null | undefined, words: string): Wanted | null =>
  value ? { condition: { field, operator: 'is', values: [value] }, words: `${words} ${value}` } : null;

/** Quotations are cut, and their line breaks are blanks. */
function quoting(field: string, text: string, words: string): Wanted | null {
  const whole = text.replace(/…$/, '').trim();
  if (whole === '') return null;
  const operator = wordsOf(whole) === '' ? 'contains_text' : 'contains_phrase';
  return { condition: { field, operator, values: [whole] }, words: `${words} “${whole}”` };
}

const fromSender = ({ profile: { data } }: Reads): Wanted | null =>
  equal('from_domain', data?.from?.email.split('@').at(-1)?.toLowerCase(), 'From');

function ofHeader({ name, text }: EmailFinding['place'], reads: Reads): Wanted | null {
  switch (name.toLowerCase()) {
    case 'from':
      return fromSender(reads);
    case 'reply-to':
      return equal('reply_to', reads.profile.data?.reply_to?.[0]?.email, 'Replies go to');
    case 'subject':
      return quoting('subject', text || (reads.profile.data?.subject ?? ''), 'The subject says');
    default:
      return text === '' ? null : quoting('headers', text, 'A header says');
  }
}

function ofLink({ name: url }: EmailFinding['place'], { profile }: Reads): Wanted | null {
  const link = profile.data?.links?.find((row) => row.url === url || row.rewritten_url === url);
  return (
    equal('link_domains', link?.host || hostOfUrl(url), 'Links to') ?? equal('link_urls', url, 'Links to')
  );
}

function ofAttachment({ name }: EmailFinding['place'], { attachments }: Reads): Wanted | null {
  const hash = attachments.data?.rows.find((row) => row.name === name)?.sha256;
  return hash
    ? {
        condition: { field: 'attachment_sha256', operator: 'is', values: [hash] },
        words: `Has the file ${name}`,
      }
    : equal('attachment_names', name, 'Has a file named');
}

function atPlace(finding: EmailFinding, reads: Reads): Wanted | null {
  const { place } = finding;
  if (place.kind === 'header') return ofHeader(place, reads);
  if (place.kind === 'link') return ofLink(place, reads);
  if (place.kind === 'attachment') return ofAttachment(place, reads);
  return place.kind === 'body' ? quoting('body', place.text, 'The body says') : null;
}

/** The check itself; a rule cannot depend on another rule. */
const ofCheck = ({ check, sentence }: EmailFinding): Wanted | null =>
  check.startsWith(ruleCheckId(''))
    ? null
    : { condition: { field: 'findings', operator: 'contains_any', values: [check] }, words: sentence };

/** Without a value at its place, the check is what the rule looks for, and else the sender. */
export function ruleFrom(finding: EmailFinding, reads: Reads): RulePrefill {
  const severity = { strong: 4, medium: UNRATED, weak: 2 } as const;
  const rule = atPlace(finding, reads) ?? ofCheck(finding) ?? fromSender(reads);
  return {
    severity: severity[strengthOf(finding)],
    ...(rule && {
      name: visibleText(rule.words),
      sentence: visibleText(rule.words),
      condition: { operator: 'and' as const, conditions: [rule.condition] },
    }),
  };
}

export const openRuleFrom = (finding: EmailFinding, reads: Reads): void =>
  openWith('rules', ruleFrom(finding, reads));
