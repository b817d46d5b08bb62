/**
 * Half of a surrogate pair, as a service leaves that cuts an emoji in two, becomes U+FFFD, as UTF-8 requires.
 * JSON.stringify would write it as an escape that stands for no character, and many readers (jq, DuckDB, Ruby, Perl)
 * refuse the whole file for it.
 */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  if (!text.includes('\\ud')) return text;
  // An escaped backslash is taken first: what follows it is text.
  return text.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (sequence, half?: string) =>
    half === undefined ? sequence : '\ufffd',
  );
}
