/** The filter of the login map, and which of its parts each login fails. */
import { refang } from '../model/defang.ts';
import { trimPasted } from '../model/pasted.ts';
import type { LoginIndex } from './login-index.ts';

/** All given parts must match; a list matches any of its values. */
export interface LoginFilter {
  /** Milliseconds since 1970, `to` exclusive. */
  time?: { from: number; to: number } | undefined;
  /** Hours of the week, Monday 0:00 = 0 … 167, in the chosen time zone. */
  hours?: readonly number[] | undefined;
  countries?: readonly string[] | undefined;
  users?: readonly string[] | undefined;
  ips?: readonly string[] | undefined;
  not?: { countries?: readonly string[]; users?: readonly string[]; ips?: readonly string[] } | undefined;
  /** Words contained in user, address or country, in any case. */
  text?: string | undefined;
  /** Degrees: west, south, east, north. */
  box?: readonly [number, number, number, number] | undefined;
}

/** Bits for the parts of the filter. */
export const TIME = 1;
export const WEEK = 2;
export const COUNTRY = 4;
export const USER = 8;
export const IP = 16;
export const BOX = 32;
const TEXT = 64;
const NOT = 128;

/** 1 for each wanted word of the list. */
function marks(list: readonly string[], names: readonly string[]): Uint8Array {
  const set = new Set(names);
  return Uint8Array.from(list, (word) => (set.has(word) ? 1 : 0));
}

/** A user or an address as the table keeps it. */
export const foldedLogin = (word: string): string => word.trim().toLowerCase();
const folded = (words: readonly string[]) => words.map(foldedLogin);

const textMarks = (list: readonly string[], text: string): Uint8Array =>
  Uint8Array.from(list, (word) => (word.toLowerCase().includes(text) ? 1 : 0));

/** Sets a bit on every row whose word is marked (`when` 1) or is not (0). */
function failWhen(bits: Uint8Array, bit: number, column: Uint32Array, marked: Uint8Array, when: 0 | 1): void {
  for (let index = 0; index < bits.length; index += 1)
    if (marked[column[index] ?? 0] === when) bits[index] = (bits[index] ?? 0) | bit;
}

/** For each position of the index's order, the parts of the filter that its row fails; 0 if it passes. */
export function failingBits({ table, columns }: LoginIndex, filter: LoginFilter): Uint8Array {
  const bits = new Uint8Array(table.size);
  const fail = (index: number, bit: number) => {
    bits[index] = (bits[index] ?? 0) | bit;
  };
  const { time, hours, box, not } = filter;
  const { country, user, ip } = columns;
  if (time) {
    for (let index = 0; index < bits.length; index += 1) {
      const when = columns.time[index] ?? Number.NaN;
      if (!(when >= time.from && when < time.to)) fail(index, TIME);
    }
  }
  if (hours?.length) {
    const wantedHours = new Uint8Array(256);
    for (const hour of hours) wantedHours[hour] = 1;
    for (let index = 0; index < bits.length; index += 1)
      if (wantedHours[columns.hour[index] ?? 0] === 0) fail(index, WEEK);
  }
  if (box) {
    const [west, south, east, north] = box;
    for (let index = 0; index < bits.length; index += 1) {
      const lat = columns.lat[index] ?? Number.NaN;
      const lon = columns.lon[index] ?? Number.NaN;
      if (!(lon >= west && lat >= south && lon <= east && lat <= north)) fail(index, BOX);
    }
  }
  if (filter.countries?.length) failWhen(bits, COUNTRY, country, marks(table.countries, filter.countries), 0);
  if (filter.users?.length) failWhen(bits, USER, user, marks(table.users, folded(filter.users)), 0);
  if (filter.ips?.length) failWhen(bits, IP, ip, marks(table.ips, folded(filter.ips)), 0);
  if (not?.countries?.length) failWhen(bits, NOT, country, marks(table.countries, not.countries), 1);
  if (not?.users?.length) failWhen(bits, NOT, user, marks(table.users, folded(not.users)), 1);
  if (not?.ips?.length) failWhen(bits, NOT, ip, marks(table.ips, folded(not.ips)), 1);
  const text = refang(trimPasted(filter.text ?? '')).toLowerCase();
  if (text) {
    const countries = textMarks(table.countries, text);
    const users = textMarks(table.users, text);
    const ips = textMarks(table.ips, text);
    for (let index = 0; index < bits.length; index += 1)
      if (!(countries[country[index] ?? 0] || users[user[index] ?? 0] || ips[ip[index] ?? 0]))
        fail(index, TEXT);
  }
  return bits;
}

export function passing(index: LoginIndex, filter: LoginFilter): (row: number) => boolean {
  const bits = failingBits(index, filter);
  const passes = new Uint8Array(bits.length);
  for (let position = 0; position < bits.length; position += 1)
    if (bits[position] === 0) passes[index.order[position] ?? 0] = 1;
  return (row) => passes[row] === 1;
}
