/** Shows the fields of a profile that the specification does not have, so that none are lost. Times follow the clock. */
import type { GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import { LEFT_OUT } from '#shared/api/repair.ts';
import { type ClockSetting, profileTime, toInstant } from '#shared/model/clock.ts';
import { plural, visibleText } from '#shared/model/format.ts';
import { fieldLabel } from '#shared/model/labels.ts';

const MOST = 40;
const MOST_COLUMNS = 12;
const MAX_TEXT = 300;

/** Only with a zone, as otherwise the instant would be a guess. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

function valueText(value: unknown, clock: ClockSetting): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'string' && TIME.test(value) && toInstant(value) !== null)
    return profileTime(value, clock);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
  return visibleText(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
}

/** `shape` is the fields that have facts of their own. */
export const extraFacts = (
  profile: Readonly<Record<string, unknown>>,
  shape: object,
  clock: ClockSetting,
): { label: string; value: string | null }[] =>
  extraFields(profile, shape, clock).map(({ label, value }) => ({ label, value }));

/** The same with the name of each field, which is unique. */
export function extraFields(
  profile: Readonly<Record<string, unknown>>,
  shape: object,
  clock: ClockSetting,
): { key: string; label: string; value: string | null }[] {
  const extra = Object.entries(profile).filter(([key]) => !Object.hasOwn(shape, key) && key !== LEFT_OUT);
  const facts = extra
    .slice(0, MOST)
    .map(([key, value]) => ({ key, label: labelOf(key), value: valueText(value, clock) }));
  const rest = extra.slice(MOST).map(([key]) => visibleText(key.slice(0, 40)));
  return rest.length === 0
    ? facts
    : [
        ...facts,
        { key: '', label: 'Not shown', value: `${plural(rest.length, 'field')}: ${rest.join(', ')}` },
      ];
}

const labelOf = (key: string): string => visibleText(fieldLabel(key).slice(0, 40));

/** Columns for fields of a list's rows that have no column of their own. */
export function extraColumns<T extends Readonly<Record<string, unknown>>>(
  rows: readonly T[],
  shape: object,
  clock: ClockSetting,
): GridColumn<T>[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
    (key) => !Object.hasOwn(shape, key),
  );
  const [shown, rest] = [keys.slice(0, MOST_COLUMNS), keys.slice(MOST_COLUMNS)];
  const columns = shown.map(
    (key): GridColumn<T> => ({
      id: `extra.${key}`,
      label: labelOf(key),
      value: (row) => valueText(row[key], clock),
      sortId: `extra.${key}`,
      minWidth: 120,
    }),
  );
  if (rest.length === 0) return columns;
  const value = (row: T) =>
    valueText(Object.fromEntries(rest.flatMap((key) => (key in row ? [[key, row[key]]] : []))), clock);
  return [...columns, { id: 'extra', label: plural(rest.length, 'more field'), value, minWidth: 200 }];
}
