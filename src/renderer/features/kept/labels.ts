/** Labels of what is saved for offline. Pure. */
import { hint, KEPT } from '#renderer/commands/keys.ts';
import type { ProfileRef } from '#shared/api/profile-pages.ts';
import type { KeptField, KeptProfile, KeptSearch } from '#shared/bridge/operations.ts';
import { exact, form, plural } from '#shared/model/format.ts';

export const TITLE = 'Saved for offline';

/** The column and the filter of what Parapet's own checks find. */
export const OWN_CHECKS = 'Parapet’s checks';

export const KIND_LABELS: Readonly<Record<ProfileRef['kind'], string>> = {
  email: 'Email',
  file: 'File',
  message: 'Message',
  user: 'User',
  group: 'Group',
};

export const FIELD_LABELS: Readonly<Record<KeptField, string>> = {
  subject: 'Subject or name',
  sender: 'Sender or owner',
  recipients: 'Recipients',
  body: 'Body',
  headers: 'Headers',
  links: 'Links',
  attachments: 'Attachments',
};

const PART_LABELS: Readonly<Record<KeptProfile['lacks'][number], string>> = {
  profile: 'profile',
  body: 'body',
  headers: 'headers',
  recipients: 'recipients',
  attachments: 'attachment list',
};

export function contentLabel({ isWaiting, lacks, isCut }: KeptProfile): string {
  if (isWaiting) return 'Not indexed yet';
  const missing = lacks.map((part) => PART_LABELS[part]);
  const notes = [
    ...(missing.length > 0 ? [`No ${missing.join(', ')}`] : []),
    ...(isCut ? ['Start of the body only'] : []),
  ];
  return notes.join('. ') || 'Complete';
}

/** What the search does not cover, each with its count; empty if everything is covered. */
export function gapNotes(answer: KeptSearch): string[] {
  const { profiles, waiting, withoutBody, cut } = answer;
  const of = `of ${exact(profiles)}`;
  return [
    ...(waiting > 0
      ? [`${exact(waiting)} ${of} ${form(waiting, 'is', 'are')} not indexed yet and not searched.`]
      : []),
    ...(withoutBody > 0
      ? [
          `${exact(withoutBody)} ${of} ${form(withoutBody, 'has', 'have')} no body here: only the rest is searched.`,
        ]
      : []),
    ...(cut > 0
      ? [`${exact(cut)} ${of} ${form(cut, 'is', 'are')} searched only in part: the body is too long.`]
      : []),
  ];
}

export const matchingWords = (answer: KeptSearch, isSearched: boolean): string =>
  isSearched
    ? `${exact(answer.matching)} of ${plural(answer.profiles, 'saved profile')}`
    : plural(answer.profiles, 'saved profile');

export const listedOf = (listed: number, matching: number): string =>
  `The newest ${exact(listed)} of ${exact(matching)} are listed. Narrow the search to see the others.`;

export const HINTS = [
  hint('move', KEPT.next, KEPT.previous),
  hint('open', KEPT.open),
  hint('search', KEPT.search),
];

export const MATCH_OPTIONS = [
  { value: 'text', label: 'Text' },
  { value: 'whole', label: 'Whole words' },
] as const;
