/** What a check is, and what it finds. Checks are pure: they fetch nothing, run nothing and look nothing up. */
import type { CheckTool } from '../model/enums.ts';
import type { PreparedMail } from './prepared-mail.ts';

/** Where in the mail a finding can be seen, with the text to look for there. */
export interface FindingPlace {
  kind: 'header' | 'body' | 'link' | 'attachment' | 'mail';
  /** Of a header its name, of a link its address, of an attachment its file name. */
  name: string;
  /** What is marked there; '' if the whole place is meant. */
  text: string;
}

export interface Finding {
  /** A sentence for a person who reads mail, not headers. */
  sentence: string;
  place: FindingPlace;
  /** How much it speaks against the mail; below zero: for it. */
  weight: number;
}

export interface Check {
  /** Stable, `links.text-differs`: stored with every finding. */
  id: string;
  tool: CheckTool;
  /** What it is called in conditions, facets and lists. */
  label: string;
  /** What a finding usually weighs; some weigh more or less. */
  weight: number;
  /** The most that its findings weigh together; without it, the heaviest one counts. */
  most?: number;
  run: (mail: PreparedMail) => Finding[];
}

/** The longest text that a finding quotes. */
const MAX_QUOTED = 160;

const quoted = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_QUOTED ? line : `${line.slice(0, MAX_QUOTED - 1)}…`;
};

export const inHeader = (name: string, text = ''): FindingPlace => ({
  kind: 'header',
  name,
  text: quoted(text),
});
export const inBody = (text = ''): FindingPlace => ({ kind: 'body', name: '', text: quoted(text) });
export const inLink = (url: string, text = ''): FindingPlace => ({
  kind: 'link',
  name: url.slice(0, 2_000),
  text: quoted(text),
});
/** `path`: of a file in it. */
export const inAttachment = (name: string, path = ''): FindingPlace => ({
  kind: 'attachment',
  name,
  text: quoted(path),
});

/** A check of one condition: its sentence and place, or nothing. */
export function check(
  id: string,
  label: string,
  weight: number,
  find: (mail: PreparedMail) => { sentence: string; place: FindingPlace; weight?: number } | null,
): Check {
  return {
    id,
    tool: id.split('.', 1)[0] as CheckTool,
    label,
    weight,
    run: (mail) => {
      const finding = find(mail);
      return finding === null ? [] : [{ weight, ...finding }];
    },
  };
}
