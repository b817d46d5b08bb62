/** Checks of the subject, and of how urgent the sender says that the mail is. */
import { firstHeader } from '../mail/headers.ts';
import { type Check, check, inHeader } from './check.ts';
import data from './data/subjects.json' with { type: 'json' };
import { plainText, wordsOfPhrase } from './prepared-mail.ts';

/** Words of greetings and requests, which tell nothing of what a mail is about. */
const EMPTY_WORDS = new Set(Object.values(data.words).flatMap((line) => wordsOfPhrase(plainText(line))));
/** Written without spaces. */
const EMPTY_TEXTS = new Set(data.unspaced);

export const SUBJECT_CHECKS: readonly Check[] = [
  check('content.empty-subject', 'Subject that says nothing', 1, (mail) => {
    if (mail.inReplyTo !== null || mail.references.length > 0 || mail.isAutomatic) return null;
    const words = mail.subjectWords.filter((word) => !/^\d+$/.test(word));
    const isBlank = words.length === 0;
    if (isBlank && mail.words.length < 10) return null;
    return words.every((word) => EMPTY_WORDS.has(word)) || EMPTY_TEXTS.has(words.join(''))
      ? {
          sentence: isBlank
            ? 'The mail has no subject'
            : 'The subject greets or asks, but does not say what it is about',
          place: inHeader('Subject', mail.subject),
          weight: isBlank ? 0.5 : 1,
        }
      : null;
  }),
  check('content.subject-link', 'Link in the subject', 2, (mail) => {
    const url = /\bhttps?:\/\/[^\s/]{3,}\S*/i.exec(mail.subject.slice(0, 2_000))?.[0];
    return url === undefined || mail.isAnswer || mail.inReplyTo !== null || url.includes(mail.owner || ' ')
      ? null
      : {
          sentence:
            'The subject carries a web address, as when somebody writes through a contact form of others',
          place: inHeader('Subject', url),
        };
  }),
  check('content.loud-subject', 'Loud subject', 0.8, (mail) => {
    const { subject } = mail;
    const letters = subject.match(/\p{Lu}|\p{Ll}/gu) ?? [];
    const isShouted = letters.length >= 10 && letters.every((letter) => /\p{Lu}/u.test(letter));
    const signs = subject.match(/\p{Extended_Pictographic}/gu)?.length ?? 0;
    const marks = /[!?]{3,}|\${2,}|!.*!.*!/.test(subject);
    return isShouted || signs >= 1 || marks
      ? {
          sentence: 'The subject shouts or is decorated',
          place: inHeader('Subject', subject),
          weight: (isShouted ? 0.8 : signs >= 2 ? 1 : 0.6) * (mail.isAnswer ? 0.5 : 1),
        }
      : null;
  }),
  check('content.priority', 'Marked as urgent', 0.6, (mail) => {
    const field = ['X-Priority', 'Importance', 'X-MSMail-Priority']
      .map((name) => firstHeader(mail.headers, name))
      .find((header) => header !== undefined && /^\s*(?:[12]\b|high)/i.test(header.value));
    return field === undefined || mail.isAnswer || mail.isAutomatic
      ? null
      : { sentence: 'The sender marked it as urgent', place: inHeader(field.name, field.value) };
  }),
  check('content.number-subject', 'Subject with a random mark', 0.7, (mail) => {
    const mark =
      /(?:^|[\s#:(-])(?=[A-Za-z0-9]{0,12}\d)(?=[A-Za-z0-9]{0,12}[A-Za-z])(?:[A-Za-z]*\d+[A-Za-z]+\d*[A-Za-z0-9]*|[A-Z]{2,}\d{4,}[A-Z0-9]*)\s*[.)]?$/
        .exec(mail.subject)?.[0]
        .trim();
    return mark === undefined || mark.length < 6 || mail.isAnswer
      ? null
      : {
          sentence: `The subject ends in a mark that differs from mail to mail: ${mark}`,
          place: inHeader('Subject', mark),
        };
  }),
];
