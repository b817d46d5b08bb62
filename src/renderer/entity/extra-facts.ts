/** Fields of a profile beyond the specification's, so that nothing a service says is lost. Times follow the clock. */
import { type ClockSetting, profileTime, toInstant } from '#shared/model/clock.ts';
import { visibleText } from '#shared/model/format.ts';
import { fieldLabel } from '#shared/model/labels.ts';

const MOST = 40;
const MAX_TEXT = 300;

/** With its zone, so that nothing has to be guessed to show it by the one clock. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

function valueText(value: unknown, clock: ClockSetting): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'string' && TIME.test(value) && toInstant(value) !== null)
    return profileTime(value, clock);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
  return visibleText(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
}

/** `shape`: the fields that have facts of their own. */
export function extraFacts(
  profile: Readonly<Record<string, unknown>>,
  shape: object,
  clock: ClockSetting,
): { label: string; value: string | null }[] {
  return Object.entries(profile)
    .filter(([key]) => !Object.hasOwn(shape, key))
    .slice(0, MOST)
    .map(([key, value]) => ({
      label: visibleText(fieldLabel(key).slice(0, 40)),
      value: valueText(value, clock),
    }));
}
