/**
 * JSON with the keys of every object in order: equal content has equal text. What `replace` answers as undefined is
 * left out, as by JSON.stringify; '' when nothing is left.
 */
export function canonicalJson(
  value: unknown,
  replace: (key: string, part: unknown) => unknown = (_, part) => part,
): string {
  const text: string | undefined = JSON.stringify(value, (key, whole: unknown) => {
    const part = replace(key, whole);
    return typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part;
  });
  return text ?? '';
}
