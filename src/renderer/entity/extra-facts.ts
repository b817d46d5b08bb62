/** Fields of a profile beyond the specification's: shown as they are, so that nothing a service says is lost. */
import { emailProfile } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';

const KNOWN: ReadonlySet<string> = new Set(Object.keys(emailProfile.shape));
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

export function extraFacts(
  profile: Readonly<Record<string, unknown>>,
  /** all: of an entity that has no facts of its own. */
  { all = false } = {},
): { label: string; value: string | null }[] {
  return Object.entries(profile)
    .filter(([key]) => all || !KNOWN.has(key))
    .slice(0, MOST)
    .map(([key, value]) => ({ label: labelOf(key), value: valueText(value) }));
}
