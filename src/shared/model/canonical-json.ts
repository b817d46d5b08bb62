/**
 * JSON with sorted keys, so that equal content has equal text. Values that `replace` returns as undefined are omitted,
 * as by JSON.stringify; '' when nothing is left.
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
