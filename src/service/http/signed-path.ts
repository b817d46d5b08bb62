/** The path of a signed link as this service writes it: `/signed/<signature>/<expiry>~<id>`. */

export interface SignedLink {
  hash: string;
  token: string;
  id: string;
}

/** The parts of a path below /api/v1, or null for any other path. */
export function partsOfLink(path: string): SignedLink | null {
  const found = /^(\/signed\/[0-9a-f]{32}\/)([0-9a-z]{1,12}~)([^/]{1,600})$/.exec(path);
  return found ? { hash: found[1] ?? '', token: found[2] ?? '', id: found[3] ?? '' } : null;
}
