/**
 * Business constants and limits of the specification, section 9. Times are in milliseconds unless the name says
 * otherwise.
 */

/** "Cache TTL: 5 minutes". Governs freshness, not deletion (product.md, section 1). */
export const CACHE_TTL_MS = 5 * 60_000;
/** "Default query page size: 25". */
export const DEFAULT_PAGE_SIZE = 25;
/** "Scroll cache: 1m": how long a search_after cursor lives. */
export const SCROLL_LIFE_MS = 60_000;
/** "Permission page size: 20". */
export const PERMISSION_PAGE_SIZE = 20;
/** "File events page: 100". */
export const FILE_EVENTS_PAGE = 100;
/** "Debug links: up to 100000". */
export const DEBUG_LINKS_MAX = 100_000;
/** "Exception search page: 20". */
export const EXCEPTION_SEARCH_PAGE = 20;
/** "Heat map page: max 5000" rows in one answer. */
export const HEAT_MAP_PAGE_MAX = 5000;
/** "Heat map zoom-in: allowed when each app has at most 3000 points". */
export const HEAT_MAP_ZOOM_MAX = 3000;
/** Users whose logins the map loads alone: with more, loading everybody's takes hardly more calls. */
export const HEAT_MAP_USERS_MOST = 8;
/** "Download retries: 3", also the sec_match_file probe of section 7. */
export const DOWNLOAD_RETRIES = 3;
/** "Large numbers: K above 1e3 or 1e4, M above 1e6": tiles take the first, grid counts the second. */
export const TILE_THOUSANDS_ABOVE = 1e3;
export const GRID_THOUSANDS_ABOVE = 1e4;
export const MILLIONS_ABOVE = 1e6;
/** "Time-ago: under 59 seconds shows 'Just now'". */
export const JUST_NOW_BELOW_MS = 59_000;
/** "Exception default date window: 6M". */
export const EXCEPTION_WINDOW_MONTHS = 6;
/** "Icon z-index bases: modal 1100, overlay 1000". */
export const ICON_Z_INDEX = { modal: 1100, overlay: 1000 } as const;

/** Earlier than any relevant mail, sign-in or file; programs write 31 Dec 1969 when they do not know. */
export const EARLIEST = Date.UTC(1990, 0, 1);
/** Later than any, from here on. */
export const LATEST = Date.UTC(2100, 0, 1);

/** Whether a mail, sign-in or file can be of that time, in epoch ms. */
export const isPlausibleTime = (time: number): boolean => time >= EARLIEST && time < LATEST;
