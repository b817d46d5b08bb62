/** Characters of a credential: visible ASCII, as header fields carry them (RFC 6750). */

/** Why a credential cannot be sent, in words; null when it can. Surrounding blanks are trimmed. */
export function credentialProblem(credential: string): string | null {
  const text = credential.trim();
  if (/^[\x21-\x7e]*$/.test(text)) return null;
  return /[\p{Cc}\s]/u.test(text)
    ? 'The credential contains a space, a line break or another control character. Paste it again, as one line.'
    : 'The credential contains a character that cannot be sent. Copy it again from where it was issued.';
}
