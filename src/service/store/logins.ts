export type LoginPage = {
  /** base64 of zlib of a JSON list of `[lat, lon, count, country, ip, user, time, city, id]`; `id`: of rows from logs. */
  data: string;
  /** Rows in `data`. */
  rows: number;
  /** Number of all matching rows; counted for the first page only. */
  total_rows: number | null;
  /** Rows of the SaaS whose outcome is not recorded; requested with `fail` "unknown". Counted for the first page only. */
  unknown_rows: number | null;
  page: number;
  /** Start of the next page, or null if this is the last. */
  next: string | null;
};

export interface LoginAsk {
  /** Pages to skip, which takes longer the more there are; `after` does not. */
  page?: number | undefined;
  /** `next` of the previous page. */
  after?: string | undefined;
  /** As the log writes it, in any case. */
  user?: string | undefined;
  /** Milliseconds since the epoch, `since` inclusive, `until` exclusive. Rows without a time match neither. */
  since?: number | undefined;
  until?: number | undefined;
}

/** The row after which a page starts: its time and id. */
export interface Key {
  at: number | null;
  id: number;
}

/** Null if it is not a key. */
export function loginKey(text: string): Key | null {
  const [, time = '', id] = /^(-?\d{1,16})?\.(\d{1,16})$/.exec(text) ?? [];
  return id === undefined ? null : { at: time === '' ? null : Number(time), id: Number(id) };
}

/** All given parts must match; a list matches any of its values. */
export interface LoginMatch {
  ips?: readonly string[] | undefined;
  countries?: readonly string[] | undefined;
  /** ASCII; contained in user, address or country, in any case. */
  text?: string | undefined;
}
