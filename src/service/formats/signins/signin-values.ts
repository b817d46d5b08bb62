/** The fields of a line of a sign-in log, also of nested objects, by their normalised names. */
import { isRecord } from '#shared/model/narrow.ts';
import {
  columnName,
  HOLDERS,
  headedZone,
  innerName,
  isHolder,
  MAX_DEPTH,
  SIGNIN_COLUMNS,
} from './signin-columns.ts';
import { ecsSignin } from './signin-ecs.ts';
import { inHeadedZone, isInLocalTime } from './signin-time.ts';
import { eventOf, LIFTED, OWN_ID, type Values, WHOLE_LINE } from './vendors.ts';

/**
 * Objects as tables of PowerShell have them: `@{errorCode=0; failureReason=Other.}`, and the several lines
 * `class Status { ErrorCode: 0 FailureReason: Other. }`.
 */
const OF_POWERSHELL = /^@\{(.*)\}$|^class \w+ \{(.*)\}$/s;

/** An object in the syntax of JSON, Python or PowerShell, or null if it is in none. Other text stays text. */
function objectIn(text: string): unknown {
  const [, braces, lines] = OF_POWERSHELL.exec(text.trim()) ?? [];
  if (braces !== undefined)
    return Object.fromEntries(braces.split('; ').map((part) => part.split(/=(.*)/s).slice(0, 2)));
  if (lines !== undefined)
    return Object.fromEntries([...lines.matchAll(/^[ \t]*(\w+): ?(.*)$/gm)].map((match) => match.slice(1)));
  if (!/^\s*(?:[{[]|@\{|class \w+ \{)/.test(text)) return text;
  for (const candidate of [text, text.replaceAll("'", '"').replace(/\bNone\b/g, 'null')])
    try {
      return JSON.parse(candidate) as unknown;
    } catch {
      // Not this syntax.
    }
  return null;
}

/** Logs write a dash where there is no value, and PowerShell the type of one that it does not write. */
const isBlank = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^-?$|^(?:System\.(?:Object|String|Collections)|Microsoft\.(?:Graph|Open))\b[\w.`,[\]]*$/.test(
    value.trim(),
  );

/** A time that Windows PowerShell writes as an object with this text, or undefined if it is something else. */
const dateIn = (value: unknown): string | undefined => {
  const text = (value as { value?: unknown } | null | undefined)?.value;
  return typeof text === 'string' && text.startsWith('/Date(') ? text : undefined;
};

function flatten(record: object, into: Map<string, unknown>, depth = 0): Map<string, unknown> {
  const later: object[] = [];
  for (const [name, raw] of Object.entries(record)) {
    const inside = innerName(name);
    if (inside !== null) {
      later.push({ [inside]: raw });
      continue;
    }
    const key = columnName(name);
    if (key === 'events' && typeof raw === 'object') {
      // Of Google; some tools make a record of each event.
      const names = [raw].flat().map((event: { name?: unknown } | null) => event?.name);
      const event = names.find((text) => typeof text === 'string' && eventOf(text) !== undefined) ?? names[0];
      if (typeof event === 'string') into.set('operation', event);
      continue;
    }
    const [field = '', lifted = ''] = LIFTED.get(key) ?? [];
    const inner = key === 'responseelements' && typeof raw === 'string' ? objectIn(raw) : raw;
    if (lifted !== '' && isRecord(inner)) {
      const text = inner[field];
      if ((typeof text === 'string' || typeof text === 'number') && text !== '' && !into.has(lifted))
        into.set(lifted, text);
      continue;
    }
    const read = typeof raw === 'string' && HOLDERS.test(key) ? objectIn(raw) : (dateIn(raw) ?? raw);
    const zone = typeof read === 'string' && !isBlank(read) ? headedZone(name) : null;
    const value = zone === null ? read : inHeadedZone(String(read), zone);
    if (typeof value === 'object' && value !== null) {
      if (!Array.isArray(value) && isHolder(key, record)) later.push(value);
      // Of a time in several zones, one that is known counts.
    } else if (value != null && !isBlank(value) && (!into.has(key) || isInLocalTime(into.get(key)))) {
      into.set(key, value);
      if (depth === 0 && key === 'id') into.set(OWN_ID, value);
    }
  }
  if (depth < MAX_DEPTH) for (const part of later) flatten(part, into, depth + 1);
  return into;
}

/** The event in an alert of Wazuh, which puts it below `data` and the name of its source, or null if it is no alert. */
function wazuhEvent({ rule, agent, data }: Readonly<Record<string, unknown>>): object | null {
  if (!isRecord(rule) || !isRecord(agent) || !isRecord(data)) return null;
  const { integration } = data;
  const named = typeof integration === 'string' ? data[integration] : undefined;
  return isRecord(named) ? named : data;
}

/** Null if it is no object. `line` is all that the line says, if that is not the object. */
export function signinValues(record: unknown, line?: readonly string[]): Values | null {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return null;
  // A search of Elasticsearch wraps its events.
  const { _source: wrapped } = record as { _source?: unknown };
  const outer = typeof wrapped === 'object' && wrapped !== null ? wrapped : record;
  const alert = wazuhEvent(outer as Record<string, unknown>);
  const event = alert ?? outer;
  // The event's own names stay for a mapping of columns.
  const values = flatten(event, flatten(ecsSignin(event as Record<string, unknown>) ?? {}, new Map()));
  // The time of the alert, if its event names none.
  if (alert !== null && !SIGNIN_COLUMNS.time.some((name) => values.has(name)))
    values.set('timestamp', (outer as { timestamp?: unknown }).timestamp);
  return values.set(WHOLE_LINE, line ?? event);
}
