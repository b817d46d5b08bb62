import type { JSX } from 'react';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { Freshness } from '#shared/bridge/freshness.ts';
import { profileTime } from '#shared/model/clock.ts';
import { CACHE_TTL_MS } from '#shared/model/constants.ts';
import { isAheadOf, shortAge } from '#shared/model/format.ts';
import { useClock } from './clock-context.ts';
import { GlyphArc, GlyphDot, GlyphFailed, GlyphHalf, GlyphSaved } from './glyphs.tsx';
import { useNow } from './use-now.ts';

const DAY_MS = 24 * 3600_000;

interface FreshnessMarkProps {
  freshness: Freshness | null;
  loading?: boolean;
  loadingText?: string;
  error?: BridgeError | null;
  /** Epoch ms; the shared clock by default. */
  now?: number;
  /** "2m" instead of "2m ago": panel headers and grid cells. */
  short?: boolean;
  /** A word before the age: "Updated", "Counted". */
  prefix?: string;
}

/** "2m ago", "just now": a young age has no "ago". */
function ageWords(fetchedAt: number, now: number, short: boolean | undefined): string {
  if (!short && isAheadOf(fetchedAt, now)) return 'age unknown';
  const age = shortAge(fetchedAt, now);
  if (short || !/^\d/.test(age)) return age;
  return `${age} ago`;
}

/** The age of data as shape, colour and words (design.md, Freshness). */
export function FreshnessMark(props: FreshnessMarkProps): JSX.Element {
  const ticking = useNow();
  const now = props.now ?? ticking;
  const clock = useClock();
  const exactTime = (time: number) => profileTime(time, clock);
  const { freshness, error, loading, short } = props;
  const fetchedAt = freshness?.fetchedAt ?? null;
  if (loading && fetchedAt === null) {
    return (
      <span className="pp-fresh pp-fresh-loading">
        <GlyphArc />
        {props.loadingText ?? 'loading'}
      </span>
    );
  }
  if (error && !loading) {
    const words =
      error.code === 'offline' ? 'offline' : fetchedAt === null ? 'never loaded' : 'refresh failed';
    const title = fetchedAt === null ? error.message : `${error.message} Shown: ${exactTime(fetchedAt)}`;
    return (
      <span className="pp-fresh pp-fresh-failed" title={title}>
        <GlyphFailed />
        {words}
      </span>
    );
  }
  if (!freshness || fetchedAt === null) {
    return (
      <span className="pp-fresh pp-fresh-offline">
        <GlyphSaved />
        {freshness?.offline ? 'not saved' : 'never loaded'}
      </span>
    );
  }
  const title = `${freshness.source === 'cache' ? 'Saved copy of' : 'Received at'} ${exactTime(fetchedAt)}`;
  const age = ageWords(fetchedAt, now, short);
  if (freshness.offline) {
    const words = short ? age : `saved${isAheadOf(fetchedAt, now) ? ',' : ''} ${age}`;
    return (
      <span className="pp-fresh pp-fresh-offline" title={`${title}, offline`}>
        <GlyphSaved />
        {props.prefix ? `Saved ${age}` : words}
      </span>
    );
  }
  const elapsed = isAheadOf(fetchedAt, now) ? Number.POSITIVE_INFINITY : now - fetchedAt;
  const level = elapsed < CACHE_TTL_MS ? 'now' : elapsed < DAY_MS ? 'aged' : 'old';
  const words = loading ? (props.loadingText ?? `${ageWords(fetchedAt, now, true)}, refreshing`) : age;
  return (
    <span className={`pp-fresh pp-fresh-${loading ? 'loading' : level}`} title={title}>
      {loading ? <GlyphArc /> : level === 'now' ? <GlyphDot /> : <GlyphHalf />}
      {props.prefix && !(loading && props.loadingText)
        ? `${props.prefix} ${words.charAt(0).toLowerCase()}${words.slice(1)}`
        : words}
    </span>
  );
}
