/** Names to offer for a file that a tool matched; main makes them safe. */

/** What `dialogs.save` takes. */
const MAX = 200;
/** No program opens it: a double click on what may be malware does nothing. */
const INERT = '.suspect';

/** At most `room` UTF-16 units, the end with its extension kept, no pair cut in half. */
function shortened(name: string, room: number): string {
  if (name.length <= room) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= 12 ? name.slice(dot) : '';
  return name.slice(0, room - extension.length).replace(/[\uD800-\uDBFF]$/, '') + extension;
}

export const matchedName = (name: string, sealed: boolean): string => {
  const suffix = sealed ? '.zip' : INERT;
  return shortened(name.trim() || 'matched-file', MAX - suffix.length) + suffix;
};

/** The entry inside the zip keeps its own name. */
export const entryName = (name: string): string => shortened(name.trim() || 'matched-file', 1_000);
