/**
 * A file name from mail made safe to show and to suggest for saving: only the last path element, no control,
 * bidirectional or invisible characters, none that file systems forbid, at most 200 characters.
 */
export function safeFilename(name: string | null, fallback: string): string {
  const last = (name ?? '').slice(0, 4096).split(/[/\\]/).at(-1) ?? '';
  const clean = last
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\.+|(?<![. ])[. ]+$/g, '');
  if (clean === '') return fallback;
  if (clean.length <= 200) return clean;
  const dot = clean.lastIndexOf('.');
  const extension = dot > 0 && clean.length - dot <= 20 ? clean.slice(dot) : '';
  return clean.slice(0, 200 - extension.length) + extension;
}
