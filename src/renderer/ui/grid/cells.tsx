import type { CSSProperties, JSX } from 'react';
import { dictionary } from '#shared/dictionary.ts';
import { defangUrlsIn } from '#shared/mail/text-urls.ts';
import { type ClockSetting, gridTime, profileTime, sentInstant } from '#shared/model/clock.ts';
import { EARLIEST, isPlausibleTime } from '#shared/model/constants.ts';
import { defang } from '#shared/model/defang.ts';
import { bytes, exact, formatGridCount, visibleText } from '#shared/model/format.ts';
import { homograph } from '#shared/model/lookalike.ts';
import { severityLabel } from '#shared/model/severity.ts';
import { QueryStatusMark } from '../query-status.tsx';
import { SeverityMark } from '../severity.tsx';
import { type StackEntry, StackGlyphs, stackText } from '../stack-glyphs.tsx';
import { ownLocalPart, shortHash, splitAddress } from '../truncate.ts';
import { VerdictChip, verdictWord } from '../verdict-chip.tsx';

/** How a column displays its values; unknown types are shown as `text`. */
const CELL_TYPES = [
  'text',
  'name',
  'mono',
  'time',
  'verdict',
  'stack',
  'address',
  'domain',
  'recipient',
  'url',
  'hash',
  'count',
  'number',
  'bytes',
  'boolean',
  'severity',
  'status',
] as const;
export type CellType = (typeof CELL_TYPES)[number];

const OF_FIELDS: Readonly<Record<string, CellType>> = dictionary({
  date: 'time',
  email: 'address',
  domain: 'domain',
  url: 'url',
  ip: 'mono',
  hash: 'hash',
  number: 'count',
  bytes: 'bytes',
  boolean: 'boolean',
});
export const fieldCellType = (fieldType: string): CellType => OF_FIELDS[fieldType] ?? 'text';

export interface VerdictValue {
  verdict: string;
  code?: string | null;
  error?: boolean;
}

export interface CellContext {
  clock: ClockSetting;
  ownDomains: ReadonlySet<string>;
}

const NUMERIC: ReadonlySet<CellType> = new Set(['count', 'number', 'bytes']);
const RENDERED: ReadonlySet<CellType> = new Set([
  'verdict',
  'stack',
  'address',
  'recipient',
  'severity',
  'status',
]);
const MONO: ReadonlySet<CellType> = new Set(['mono', 'address', 'domain', 'recipient', 'url', 'hash']);

const ADDRESSES: ReadonlySet<CellType> = new Set(['address', 'recipient', 'domain']);

/** Numbers and their headers are right-aligned. */
export const isNumeric = (type: CellType): boolean => NUMERIC.has(type);
/** Types rendered as elements; all others are plain text, which grids draw fastest. */
export const isRendered = (type: CellType): boolean => RENDERED.has(type);
export const isMono = (type: CellType): boolean => MONO.has(type);

export const isUnknown = (value: unknown): boolean => value === null || value === undefined;
/** Present but empty: a mail without a subject differs from one whose subject is unknown. */
const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.length === 0);

/** Lists as `first, second, +3`. */
function listText(values: readonly unknown[], most: number): string {
  const shown = values.slice(0, most).map(plainText).join(', ');
  return values.length > most ? `${shown}, +${values.length - most}` : shown;
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return visibleText(value);
  if (typeof value === 'number') return exact(value);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return listText(value, 3);
  return isUnknown(value) ? '' : visibleText(JSON.stringify(value));
}

/** The value as it may be shown: nothing in it can become a link. */
function defanged(value: unknown, type: CellType): unknown {
  const change = type === 'url' ? defang : type === 'text' ? defangUrlsIn : null;
  if (change === null) return value;
  if (Array.isArray(value)) return value.map((entry) => defanged(entry, type));
  return typeof value === 'string' ? change(value) : value;
}

/** An invalid time, such as 30 February, is shown as received. */
const timeText = (value: unknown, clock: ClockSetting): string => {
  const time = sentInstant(value);
  if (time === null) return plainText(value);
  return isPlausibleTime(time) ? gridTime(time, clock) : profileTime(time, clock);
};

/** Texts with invisible or direction-changing characters, which the cell shows as code points. */
const isTricky = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(isTricky)
    : typeof value === 'string' && visibleText(value) !== value.replace(/[\t\r\n]/g, ' ');
const TRICKY = 'Contains invisible or direction-changing characters.';

export const isVerdict = (value: unknown): value is VerdictValue =>
  typeof value === 'object' && value !== null && 'verdict' in value && typeof value.verdict === 'string';
const isStack = (value: unknown): value is StackEntry[] =>
  Array.isArray(value) && value.every((entry) => isVerdict(entry) && 'tool' in entry);

/**
 * A cell as text. Unknown reads "Unknown" (see cellTone for its colour), a value of the wrong type is shown as it is.
 */
export function cellText(value: unknown, type: CellType, context: CellContext): string {
  if (isUnknown(value)) return 'Unknown';
  if (isEmpty(value)) return 'Empty';
  switch (type) {
    case 'time':
      return timeText(value, context.clock);
    case 'count':
      return typeof value === 'number' ? formatGridCount(value) : plainText(value);
    case 'bytes':
      return typeof value === 'number' ? bytes(value) : plainText(value);
    case 'hash':
      return typeof value === 'string' ? shortHash(visibleText(value)) : plainText(value);
    case 'domain': {
      const passes = typeof value === 'string' ? homograph(value) : null;
      return passes === null ? plainText(value) : `${visibleText(passes.shown)} ≈ ${passes.looksLike}`;
    }
    case 'verdict':
      return isVerdict(value) ? verdictWord(value.verdict) : verdictWord(plainText(value));
    case 'severity':
      return severityLabel(value);
    default:
      return plainText(defanged(value, type));
  }
}

/** The whole value for the tooltip: nothing shortened, counts exact, times with their zone. */
export function cellTooltip(value: unknown, type: CellType, context: CellContext): string | null {
  if (isUnknown(value)) return 'Unknown: the service sent no value';
  if (isEmpty(value)) return 'Empty: the value is present but empty';
  const time = type === 'time' ? sentInstant(value) : null;
  if (time !== null) return profileTime(time, context.clock);
  if (type === 'count' || type === 'number')
    return typeof value === 'number' ? exact(value) : plainText(value);
  if (type === 'bytes') return typeof value === 'number' ? `${exact(value)} bytes` : plainText(value);
  if (type === 'stack' && isStack(value)) return stackText(value);
  if (type === 'verdict' && isVerdict(value)) {
    return [verdictWord(value.verdict), value.code, value.error ? 'a tool answered with an error' : null]
      .filter(Boolean)
      .join(' · ');
  }
  const shown = defanged(value, type);
  const lines = (Array.isArray(shown) ? shown : [shown]).map((entry) => {
    const passes = ADDRESSES.has(type) && typeof entry === 'string' ? homograph(entry) : null;
    return passes === null
      ? plainText(entry)
      : `${visibleText(passes.shown)}\nLooks like ${passes.looksLike}, in letters of another script.`;
  });
  const text = lines.join('\n');
  return isTricky(value) ? `${text}\n${TRICKY}` : text;
}

/** Unknown and zero are muted (t3). Texts with hidden characters are highlighted. */
export function cellTone(value: unknown, type: CellType): 'pp-unknown' | 'pp-zero' | 'pp-caution' | null {
  if (isUnknown(value) || isEmpty(value)) return 'pp-unknown';
  if (type === 'text' && isTricky(value)) return 'pp-caution';
  if (type === 'domain' && typeof value === 'string' && homograph(value) !== null) return 'pp-caution';
  if (type === 'time' && !isPlausibleTime(sentInstant(value) ?? EARLIEST)) return 'pp-caution';
  return NUMERIC.has(type) && value === 0 ? 'pp-zero' : null;
}

/**
 * An address on one line whose local part is truncated before its domain; `more` counts further ones. With `own`, the
 * local part of an address in one of our own domains.
 */
function AddressText({
  address,
  own: isOwn = false,
  more = 0,
}: {
  address: string;
  own?: boolean;
  more?: number;
}): JSX.Element {
  // A local part alone is no domain name: its letters cannot imitate one.
  const passes = isOwn ? null : homograph(address);
  const [local, domain] = splitAddress(visibleText(passes?.shown ?? address));
  const looks = passes === null ? '' : `≈ ${passes.looksLike}`;
  const suffix = more > 0 ? `+${more}` : '';
  const suffixLength = domain.length + (suffix ? suffix.length + 1 : 0);
  return (
    <span className="pp-address">
      {local ? (
        <span className="pp-address-local" style={{ '--pp-taken': suffixLength } as CSSProperties}>
          {local}
        </span>
      ) : null}
      <span className={passes === null ? undefined : 'pp-caution'}>{domain}</span>
      {looks ? <span className="pp-address-looks pp-caution">{looks}</span> : null}
      {suffix ? <span className="pp-address-more">{suffix}</span> : null}
    </span>
  );
}

export function Cell({
  value,
  type,
  context,
}: {
  value: unknown;
  type: CellType;
  context: CellContext;
}): JSX.Element {
  if (isUnknown(value) || isEmpty(value))
    return <span className="pp-unknown">{cellText(value, type, context)}</span>;
  if (type === 'verdict') {
    return isVerdict(value) ? (
      <VerdictChip compact verdict={value.verdict} code={value.code} error={value.error} />
    ) : (
      <VerdictChip compact verdict={plainText(value)} />
    );
  }
  if (type === 'stack' && isStack(value)) return <StackGlyphs stack={value} title={false} />;
  if (type === 'severity') return <SeverityMark severity={value} />;
  if (type === 'status') return <QueryStatusMark status={value} />;
  if (type === 'address' || type === 'recipient') {
    const list = Array.isArray(value) ? value : [value];
    const first = list[0];
    if (typeof first === 'string') {
      const shown = type === 'recipient' ? ownLocalPart(first, context.ownDomains) : first;
      return <AddressText address={shown} own={shown !== first} more={list.length - 1} />;
    }
  }
  return <>{cellText(value, type, context)}</>;
}
