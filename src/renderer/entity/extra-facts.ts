/** Fields of a profile beyond the specification's: shown as they are, so that nothing a service says is lost. */
import { visibleText } from '#shared/model/format.ts';

const MOST = 40;
const MAX_TEXT = 300;

function valueText(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
  return visibleText(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
}

const SHORT = new Set(['spf', 'dkim', 'dmarc', 'arc', 'ip', 'url']);

/** `thread_id` → "Thread id". */
const labelOf = (key: string): string => {
  if (SHORT.has(key)) return key.toUpperCase();
  const words = visibleText(key.replaceAll('_', ' ').slice(0, 40));
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** `shape`: the fields that have facts of their own. */
export function extraFacts(
  profile: Readonly<Record<string, unknown>>,
  shape: object = {},
): { label: string; value: string | null }[] {
  return Object.entries(profile)
    .filter(([key]) => !Object.hasOwn(shape, key))
    .slice(0, MOST)
    .map(([key, value]) => ({ label: labelOf(key), value: valueText(value) }));
}
