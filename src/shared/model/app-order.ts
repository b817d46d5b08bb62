import { APP_STATES, type AppState, LICENCES, type Licence } from './enums.ts';

export const APP_STATE_LABELS: Readonly<Record<AppState, string>> = {
  enabled: 'Enabled',
  disabled: 'Disabled',
  display_only: 'Display only',
};

export const LICENCE_LABELS: Readonly<Record<Licence, string>> = {
  paid: 'Paid',
  demo: 'Demo',
  expired: 'Expired',
  contact_support: 'Contact support',
};

/** Properties that determine the order; the App of entities.ts has them. */
export interface OrderedApp {
  name: string;
  label: string;
  state: string;
  license_info?: string | null | undefined;
}

function plainWord(value: unknown): string {
  return typeof value === 'string' && value.length <= 64
    ? value.trim().toLowerCase().replace(/[\s-]/g, '_')
    : '';
}

/** The app state, or null for an unknown word (shown as it is). */
export function parseAppState(value: unknown): AppState | null {
  const word = plainWord(value);
  return APP_STATES.find((state) => state === word) ?? null;
}

/** The licence, or null when absent or outside the set. */
export function parseLicence(value: unknown): Licence | null {
  const word = plainWord(value);
  return LICENCES.find((licence) => licence === word) ?? null;
}

function stateRank(value: unknown): number {
  const state = parseAppState(value);
  return state === null ? APP_STATES.length : APP_STATES.indexOf(state);
}

// An app without a licence, or with an unknown one, is usable: it sorts between demo and expired.
const LICENCE_RANK: Readonly<Record<Licence, number>> = { paid: 0, demo: 1, expired: 3, contact_support: 4 };
const NO_LICENCE_RANK = 2;

function licenceRank(value: unknown): number {
  const licence = parseLicence(value);
  return licence === null ? NO_LICENCE_RANK : LICENCE_RANK[licence];
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * "App state order: enabled, disabled, display_only. Within that, by licence: paid before demo, expired later,
 * contact-support last." Unknown states go last. 0 when only the label or the service's order distinguishes them.
 */
export function compareStates(a: OrderedApp, b: OrderedApp): number {
  return stateRank(a.state) - stateRank(b.state) || licenceRank(a.license_info) - licenceRank(b.license_info);
}

/** The same, with ties broken by label, then name, so that the order is total. */
export function compareApps(a: OrderedApp, b: OrderedApp): number {
  return (
    compareStates(a, b) ||
    compareText(a.label.toLowerCase(), b.label.toLowerCase()) ||
    compareText(a.name, b.name)
  );
}
