/** The filter as the screen edits it: chips, and what each action adds or takes away. Pure. */

import { foldedLogin, type LoginFilter } from '#shared/logins/login-filter.ts';
import { DAYS } from './labels.ts';

export type Part = 'users' | 'countries' | 'ips';

const without = (list: readonly string[] | undefined, value: string) =>
  (list ?? []).filter((entry) => entry !== value);

/** A value as the lists show it, so that one from elsewhere is found again in the filter. */
const shownValue = (part: Part, value: string) => (part === 'countries' ? value : foldedLogin(value));

/** Adds the value to the filter; if it was filtered out before, that is undone. */
export function filterFor(filter: LoginFilter, part: Part, text: string): LoginFilter {
  const value = shownValue(part, text);
  return {
    ...filter,
    [part]: [...without(filter[part], value), value],
    not: { ...filter.not, [part]: without(filter.not?.[part], value) },
  };
}

export function filterOut(filter: LoginFilter, part: Part, text: string): LoginFilter {
  const value = shownValue(part, text);
  return {
    ...filter,
    [part]: without(filter[part], value),
    not: { ...filter.not, [part]: [...without(filter.not?.[part], value), value] },
  };
}

/** Toggles a value, as clicking a ranked row does. */
export const toggle = (filter: LoginFilter, part: Part, value: string): LoginFilter =>
  filter[part]?.includes(value)
    ? { ...filter, [part]: without(filter[part], value) }
    : filterFor(filter, part, value);

export interface Chip {
  id: string;
  text: string;
  rest: LoginFilter;
}

const PARTS: readonly Part[] = ['users', 'countries', 'ips'];
export const dayAndHour = (hour: number): string =>
  `${DAYS[Math.floor(hour / 24)] ?? ''} ${String(hour % 24).padStart(2, '0')}:00`;

/** The active filters as chips; search words and the time window have their own controls. */
export function chipsOf(filter: LoginFilter): Chip[] {
  const values = PARTS.flatMap((part) => [
    ...(filter[part] ?? []).map((value) => ({
      id: `${part} ${value}`,
      text: value,
      rest: { ...filter, [part]: without(filter[part], value) },
    })),
    ...(filter.not?.[part] ?? []).map((value) => ({
      id: `not ${part} ${value}`,
      text: `not ${value}`,
      rest: { ...filter, not: { ...filter.not, [part]: without(filter.not?.[part], value) } },
    })),
  ]);
  const { hours } = filter;
  const first = hours?.[0];
  const week =
    hours && first !== undefined
      ? [
          {
            id: 'hours',
            text: hours.length === 1 ? dayAndHour(first) : `${hours.length} hours of the week`,
            rest: { ...filter, hours: undefined },
          },
        ]
      : [];
  const box = filter.box ? [{ id: 'box', text: 'map area', rest: { ...filter, box: undefined } }] : [];
  return [...values, ...week, ...box];
}
