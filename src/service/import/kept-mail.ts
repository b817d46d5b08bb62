import { type DkimKeys, NO_KEYS } from '../formats/mail/dkim-keys.ts';
import type { MailReading } from '../formats/mail/read-mail.ts';
import { DEFAULT_LIMITS } from '../formats/mail/types.ts';
import { emailRows } from '../store/email-rows.ts';
import { entityIdOf, type KeptMail } from '../store/evidence.ts';
import { threadFacts } from './conversations.ts';
import { recordOf } from './email-record.ts';

export const keptReading = (
  believed: readonly string[],
  keys: DkimKeys = NO_KEYS,
): MailReading<KeptMail> => ({
  limits: DEFAULT_LIMITS,
  believed,
  keys,
  make: (mail, raw, sha256) => {
    const record = recordOf(mail, raw, sha256);
    return {
      rows: emailRows(record, true),
      thread: threadFacts(mail, entityIdOf(sha256)),
      campaignKeys: record.campaignKeys ?? [],
    };
  },
});
