/** Where Aldermoor's people sign in from: offices, destinations of trips, and the attackers' locations. */
import places from '../../../resources/demo/places.json' with { type: 'json' };

export interface Place {
  city: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  lat: number;
  lon: number;
  /** Hours ahead of UTC, without summer time. */
  zone: number;
}

/** An office with its IP address, and the country in its people's accounts. */
export const OFFICES: readonly { at: Place; ip: string; people: string; weight: number }[] = places.offices;
export const TRIPS: readonly Place[] = places.trips;
/** Exits of the company's VPN, far from its users. */
export const VPN_EXITS: readonly { at: Place; ip: string }[] = places.vpnExits;
/** Rented servers that a password spray came from. */
export const SPRAY: { at: Place; ips: readonly string[] } = places.spray;
/** Where the compromised account was used, an hour after its owner signed in at the office. */
export const TAKEOVER: { at: Place; ip: string; victim: string } = places.takeover;
