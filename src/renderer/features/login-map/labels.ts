/** Labels of the login map. Pure. */

import { EVERYWHERE, hint, LOGIN_LISTS } from '#renderer/commands/keys.ts';
import type { Hint } from '#renderer/ui/kbd.tsx';
import type { ConnectionKind } from '#shared/bridge/operations.ts';
import { dictionary } from '#shared/dictionary.ts';
import { HEAT_MAP_PAGE_MAX, HEAT_MAP_ZOOM_MAX } from '#shared/model/constants.ts';
import { exact, plural } from '#shared/model/format.ts';
import { outcomeWord, sameLayer } from './choices.ts';
import type { Loaded, MapSummary, TravelPair } from './engine.ts';
import type { Part } from './filter-state.ts';
import type { Mode } from './login-map-screen.tsx';
import type { ListView } from './side-pane.tsx';
import type { LayerRead } from './use-layers.ts';

export const HINTS: readonly Hint[] = [
  hint('move', LOGIN_LISTS.next, LOGIN_LISTS.previous),
  { keys: 'Enter', text: 'act' },
  hint('search', EVERYWHERE.search),
  hint('shortcuts', EVERYWHERE.shortcuts),
];

const DROPPED: Readonly<Record<string, string>> = dictionary({
  shape: 'not a login',
  latitude: 'latitude out of range',
  longitude: 'longitude out of range',
  count: 'no count',
});

/** Why zooming in is disabled (specification section 9), based on the filtered points. Null if it is enabled. */
export function zoomRefusal(
  summary: Pick<MapSummary, 'points'> | null,
  nameOf: (module: string) => string,
): string | null {
  if (!summary) return null;
  const { points } = summary;
  const [module, most] = [...points].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
  if (most <= HEAT_MAP_ZOOM_MAX) return null;
  return `${nameOf(module)} shows ${exact(most)} points; zoom works up to ${exact(HEAT_MAP_ZOOM_MAX)} per app`;
}

const NOT_LOADED = 'Logins not loaded';

/** The empty state: nothing passes the filter, there are no logins, or some could not be read. */
export function emptyWords(
  loaded: Pick<Loaded, 'rows' | 'layers'>,
  name: string,
  kind: ConnectionKind | undefined,
  layers: readonly LayerRead[],
): { title: string; reason: string } {
  if (loaded.rows > 0)
    return {
      title: 'No matching logins',
      reason: isOfUsersAlone(layers)
        ? `${name}: none passes the filter.`
        : `None of ${plural(loaded.rows, 'login')} passes the filter.`,
    };
  const unread = layers.filter((layer) => isUnread(loaded, layer)).length;
  if (unread > 0)
    return {
      title: NOT_LOADED,
      reason: `${name}: ${exact(unread)} of ${plural(layers.length, 'layer')} could not be read${
        unread < layers.length ? ', and the rest has no logins' : ''
      }.`,
    };
  return {
    title: 'No logins',
    reason:
      kind === 'evidence'
        ? `${name}: this evidence has none. Sign-in logs in its folder (CSV or JSON) are read with the mail.`
        : `${name}: the service returned none.`,
  };
}

/** The loading state, e.g. "Loading All failed: 3 of 7 answers". */
export function loadingWords(name: string, layers: readonly LayerRead[]): string {
  const total = layers.reduce((sum, layer) => sum + layer.requested, 0);
  const here = layers.reduce((sum, layer) => sum + (layer.error ? layer.requested : layer.pages.length), 0);
  return here < total ? `Loading ${name}: ${exact(here)} of ${exact(total)} answers` : `Loading ${name}`;
}

const partOf = (points: string) => `Partial: ${points}. Rarity counts only these.`;

/** How much of a choice is shown while the rest loads, e.g. "Partial: 225,000 of 857,142 points". */
export function partialWords(
  loaded: Pick<Loaded, 'rows'> | null,
  summary: Pick<MapSummary, 'rows'> | null,
  layers: readonly LayerRead[],
): string {
  if (!loaded || !summary) return '';
  if (isOfUsersAlone(layers)) return partOf(`${plural(summary.rows, 'point')} so far`);
  const totals = layers.flatMap(({ total }) => (total === null ? [] : [total]));
  const all = totals.reduce((sum, each) => sum + each, 0);
  const isKnown = totals.length === layers.length && all >= loaded.rows;
  return partOf(
    isKnown ? `${exact(loaded.rows)} of ${plural(all, 'point')}` : `${plural(loaded.rows, 'point')} so far`,
  );
}

/** Whether only the logins of users who match the filter are loaded, as more pages would hold those of others. */
export const isOfUsersAlone = (layers: readonly LayerRead[]): boolean =>
  layers.some(({ users }) => users !== null);

export const USERS_ALONE = 'Only the logins of users who match the filter are loaded';

/** Rows left out and why, e.g. "41 rows dropped: latitude out of range". */
export function droppedWords(dropped: Readonly<Record<string, number>>): string[] {
  return Object.entries(dropped)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${plural(count, 'row')} dropped: ${DROPPED[reason] ?? reason}`);
}

/** The status bar text: `layers` of `all` are drawn; null until known. */
export function statusWords(
  loaded: Loaded | null,
  summary: Pick<MapSummary, 'rows' | 'unplaced'> | null,
  layers: readonly LayerRead[],
  all: readonly LayerRead[] = layers,
): string | null {
  if (!loaded || !summary) return null;
  const drawn = loaded.layers.filter(({ error }) => error === null);
  const count = new Set(drawn.map(({ module, failed }) => `${module} ${failed}`)).size;
  const isAlone = isOfUsersAlone(layers);
  const shown =
    isAlone || summary.rows === loaded.rows
      ? plural(summary.rows, 'point')
      : `${exact(summary.rows)} of ${exact(loaded.rows)} points`;
  const unread = layers.filter((layer) => isUnread(loaded, layer) && isLacking(loaded, layer)).length;
  if (unread > 0 && unread === layers.length && loaded.rows === 0) return NOT_LOADED;
  const cut = layers.filter((layer) => !isUnread(loaded, layer) && isCut(loaded, layer)).length;
  const full = layers.filter((layer) => isPerhapsCut(loaded, layer)).length;
  // Logins with an unknown outcome are neither successful nor failed, so both views must mention them.
  const unknownLogins = layers.some(({ failed }) => failed === null)
    ? 0
    : all.reduce((sum, { failed, total }) => sum + (failed === null ? (total ?? 0) : 0), 0);
  return [
    `${shown} in ${plural(count, 'layer')}`,
    ...(unread > 0 ? [`${plural(unread, 'layer')} not fully loaded`] : []),
    ...(isAlone ? [USERS_ALONE.charAt(0).toLowerCase() + USERS_ALONE.slice(1)] : []),
    ...(summary.unplaced > 0 ? [`${exact(summary.unplaced)} unplaced: no coordinates`] : []),
    ...droppedWords(loaded.dropped),
    ...(loaded.doubts['future']
      ? [`${plural(loaded.doubts['future'], 'timestamp')} ahead of this machine’s clock ignored`]
      : []),
    ...(loaded.doubts['clock']
      ? [`${plural(loaded.doubts['clock'], 'timestamp')} ahead of this machine’s clock, which seems wrong`]
      : []),
    ...(loaded.doubts['past'] ? [`${plural(loaded.doubts['past'], 'timestamp')} before 1990 ignored`] : []),
    ...(loaded.doubts['time'] ? [plural(loaded.doubts['time'], 'unreadable timestamp')] : []),
    ...(unknownLogins > 0 ? [`${plural(unknownLogins, 'login')} not shown: unknown outcome`] : []),
    ...(cut > 0 ? [`${plural(cut, 'layer has', 'layers have')} more rows than shown`] : []),
    ...(full > 0 ? [`${plural(full, 'layer', 'layers')} may have more rows than shown`] : []),
  ].join(' · ');
}

const lost = ({ dropped }: Loaded) => Object.values(dropped).reduce((sum, each) => sum + each, 0);

const rowsOf = (loaded: Loaded, layer: LayerRead): number =>
  loaded.layers.filter((other) => sameLayer(other, layer)).reduce((sum, layer) => sum + layer.points, 0) +
  lost(loaded);

/** Where only some users' rows are wanted, the others are not missing. */
const isCut = (loaded: Loaded, layer: LayerRead): boolean =>
  layer.users === null && layer.total !== null && rowsOf(loaded, layer) < layer.total;

/**
 * Used when there is no count to compare with: a page names a further one that was not read, or the service never
 * names the next page and its page is full.
 */
const isPerhapsCut = (loaded: Loaded, layer: LayerRead): boolean =>
  (layer.total === null || layer.users !== null) &&
  (layer.isOpen ||
    (layer.pages.length > 0 &&
      layer.isEnded !== true &&
      layer.pages.at(-1)?.next === undefined &&
      rowsOf(loaded, layer) >= HEAT_MAP_PAGE_MAX));

/** Its request failed, or its answer cannot be decoded. */
const isUnread = (loaded: Pick<Loaded, 'layers'>, layer: LayerRead): boolean =>
  layer.error !== null || isBroken(loaded, layer);
const isBroken = (loaded: Pick<Loaded, 'layers'>, layer: LayerRead): boolean =>
  loaded.layers.some((other) => sameLayer(other, layer) && other.error !== null);

/** Whether pages of a layer are missing for good, so that nothing can be ruled out and no number is final. */
export const isLacking = (loaded: Pick<Loaded, 'layers'> | null, layer: LayerRead): boolean =>
  layer.pages.length < layer.requested || layer.isOpen || (loaded !== null && isBroken(loaded, layer));

/** Why the rows of the chosen layers are not all of them, for a file, or null if they are. */
export function missingWords(
  loaded: Loaded | null,
  layers: readonly LayerRead[],
  nameOf: (module: string) => string,
): string | null {
  if (!loaded) return null;
  const named = (layer: Pick<LayerRead, 'module' | 'failed'>) =>
    `${nameOf(layer.module)} (${outcomeWord(layer.failed)})`;
  const reasons = [
    ...layers.filter((layer) => isUnread(loaded, layer)).map((layer) => `${named(layer)} could not be read`),
    ...layers
      .filter((layer) => layer.error === null && isCut(loaded, layer))
      .map(
        (layer) =>
          `${named(layer)} has ${exact(layer.total ?? 0)} rows, and ${exact(rowsOf(loaded, layer))} were read`,
      ),
    ...layers
      .filter((layer) => layer.error === null && isPerhapsCut(loaded, layer))
      .map(
        (layer) =>
          `${named(layer)} may have more than the ${exact(rowsOf(loaded, layer))} rows that were read`,
      ),
    ...droppedWords(loaded.dropped),
  ];
  return reasons.length === 0 ? null : `${reasons.join('; ')}.`;
}

/** A duration in hours and minutes; in seconds below a minute. */
export function spanWords(hours: number): string {
  const seconds = Math.round(hours * 3600);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** "5,015 km ÷ 1 h 0 min = 5,015 km/h". */
export const arithmetic = ({ km, hours, kmh }: Pick<TravelPair, 'km' | 'hours' | 'kmh'>): string =>
  Number.isFinite(kmh)
    ? `${exact(Math.round(km))} km ÷ ${spanWords(hours)} = ${exact(Math.round(kmh))} km/h`
    : `${exact(Math.round(km))} km at the same moment`;

export const outcomeLabel = (failed: boolean | null): string =>
  failed === null ? 'Unknown' : failed ? 'Failed' : 'Successful';

/** Instead of a login's places. */
export const REREAD = 'Unknown: its log was read again. Close this and open the login again.';

/** The position of a login in a log, e.g. "line 12"; an entry of a JSON log may have any number of lines. */
export const logPlaceWords = ({ line, entry }: { line: number | null; entry: number | null }): string =>
  [
    ...(entry === null ? [] : [`entry\u00a0${exact(entry)}`]),
    ...(line === null ? [] : [`line\u00a0${exact(line)}`]),
  ].join(', ');

export const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

export const PART_LABELS: Readonly<Record<Part, string>> = {
  users: 'User',
  countries: 'Country',
  ips: 'IP address',
};
/** The same, inside a sentence. */
export const PART_NOUNS: Readonly<Record<Part, string>> = {
  users: 'user',
  countries: 'country',
  ips: 'IP address',
};

export const CHOICE_LABELS = {
  successful: 'All successful',
  failed: 'All failed',
  unknown: 'Unknown outcome',
} as const;

export const LIST_TITLES: Readonly<Record<ListView, string>> = {
  rarest: 'Rarest first',
  users: 'Users',
  countries: 'Countries',
  ips: 'IP addresses',
  travel: 'Impossible travel',
};

export const LIST_OPTIONS: { value: ListView; label: string }[] = [
  { value: 'rarest', label: 'Logins' },
  { value: 'users', label: 'Users' },
  { value: 'countries', label: 'Countries' },
  { value: 'ips', label: 'IPs' },
  { value: 'travel', label: 'Travel' },
];

export const MODE_OPTIONS: { value: Mode; label: string }[] = [
  { value: 'points', label: 'Points' },
  { value: 'density', label: 'Density' },
  { value: 'table', label: 'Table' },
];
