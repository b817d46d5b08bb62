/** How a mail begins, for files and parts whose name does not say what they are. */

/** What some programs write before the first line; of latin1 text. */
const LEAD = /^(?:\xef\xbb\xbf)?(?:[ \t]*\r?\n)*/;
const MAIL_FIELD =
  /^(?:return-path|received(?:-spf)?|delivered-to|envelope-to|x-[\w-]+|date|from|to|cc|bcc|subject|message-id|in-reply-to|references|mime-version|reply-to|sender|status|user-agent|list-[\w-]+|resent-[\w-]+|thread-[\w-]+|content-[\w-]+|authentication-results|arc-[\w-]+|dkim-signature|domainkey-signature)[ \t]*:/i;
const SNIFF_BYTES = 4096;

/** Length of a byte order mark and of empty lines at the start. */
export const leadOf = (text: string): number => LEAD.exec(text)?.[0].length ?? 0;
/** Whether the text begins with a field that mail has. */
export const isMailField = (text: string): boolean => MAIL_FIELD.test(text);

/** Whether the text begins with two fields that mail has. */
export function beginsMail(text: string): boolean {
  const [first = '', ...rest] = text.split('\n', 40);
  return isMailField(first) && isMailField(rest.find((line) => !/^[ \t]/.test(line)) ?? '');
}

/** Whether a file begins with so many fields that mail has. */
export function startsMail(bytes: Buffer, fields: 1 | 2 = 1): boolean {
  const text = bytes.toString('latin1', 0, SNIFF_BYTES);
  return (fields === 1 ? isMailField : beginsMail)(text.slice(leadOf(text)));
}
