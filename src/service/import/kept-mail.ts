/** The rows of a mail, built in the thread that parses it. */

import type { MailReading } from '../formats/mail/read-mail.ts';
import { DEFAULT_LIMITS } from '../formats/mail/types.ts';
import { type EmailRows, emailRows } from '../store/email-rows.ts';
import type { ThreadFacts } from '../store/evidence.ts';
import { threadFacts } from './conversations.ts';
import { entityIdOf, recordOf } from './email-record.ts';

export interface KeptMail {
  rows: EmailRows;
  thread: ThreadFacts;
  campaignKeys: readonly number[];
}

export const keptReading = (believed: readonly string[]): MailReading<KeptMail> => ({
  limits: DEFAULT_LIMITS,
  believed,
  make: (mail, raw, sha256) => {
    const record = recordOf(mail, raw, sha256);
    return {
      rows: emailRows(record, true),
      thread: threadFacts(mail, entityIdOf(sha256)),
      campaignKeys: record.campaignKeys ?? [],
    };
  },
});
