/** How the target of an action is named: in its outcome, in notices and in the journal. */
import { dictionary } from '#shared/dictionary.ts';
import { defangUrlsIn } from '../mail/text-urls.ts';
import { defang } from './defang.ts';
import { visibleText } from './format.ts';
import { countWords } from './responses.ts';

interface TargetKind {
  /** Columns with its name, the best first. */
  names: readonly string[];
  /** Columns with the person or address that it belongs to. */
  people: readonly string[];
  peopleLabel: string;
  /** Between its name and that person. */
  link: string;
}

const KINDS: Readonly<Record<string, TargetKind>> = dictionary({
  email: { names: ['subject'], people: ['to', 'recipients'], peopleLabel: 'Recipient', link: 'to' },
  file: { names: ['title', 'name'], people: ['owner'], peopleLabel: 'Owner', link: 'of' },
  // The title of a user is the position, and the owner of a group is somebody else.
  user: { names: ['name', 'email'], people: ['email'], peopleLabel: 'Email', link: 'at' },
  group: { names: ['name', 'email'], people: ['email'], peopleLabel: 'Email', link: 'at' },
  message: { names: ['text'], people: ['sender'], peopleLabel: 'Sender', link: 'from' },
  // What is blocked or allowed is the link, not the email that it was in.
  click: { names: ['url', 'host'], people: ['user'], peopleLabel: 'User', link: 'by' },
});
const OTHER: TargetKind = {
  names: ['subject', 'title', 'name', 'text', 'url'],
  people: ['to', 'recipients', 'user', 'owner', 'email'],
  peopleLabel: 'Recipient',
  link: 'to',
};

export const targetKind = (domain: string): TargetKind => KINDS[domain] ?? OTHER;

/** A name as it may be shown: the link of a click, and those in a message, are defanged. */
export function targetText(domain: string, name: string): string {
  if (domain === 'click') return defang(name);
  return visibleText(domain === 'message' ? defangUrlsIn(name) : name);
}

/** 'email “Invoice overdue” to p.kaur@corp.example', 'user “Jürgen Cohen” at j.cohen@corp.example'. */
export function targetWords(
  domain: string,
  { name, recipient }: { name: string | null; recipient: string | null },
): string {
  const noun = countWords(1, domain).replace(/^1 /, '');
  const of = recipient === null || recipient === name ? '' : ` ${targetKind(domain).link} ${recipient}`;
  return `${noun} “${targetText(domain, name ?? '')}”${of}`;
}
