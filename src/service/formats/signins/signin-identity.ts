/** What makes two lines of sign-in logs the same sign-in. */
import { hash } from 'node:crypto';
import type { SigninIdentity } from '../../store/evidence.ts';
import type { LoginRecord } from '../../store/records.ts';

/** The name under which the values of a line hold the whole line, which no column can have. */
export const WHOLE_LINE = '\0line';

/** The name under which they hold the line's own `id`, as opposed to that of a person in it. */
export const OWN_ID = '\0id';

const GUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const NO_GUID = /^[0-]+$/;

type Values = ReadonlyMap<string, unknown>;

/**
 * Logs whose events have an id: the names that mark a line of such a log, of each list one, and those that make the id,
 * the first of which must have a value. An id of Entra is a GUID. The unified audit log has Entra's id of the request, so
 * that both logs name the same sign-in.
 */
const SOURCES: readonly (readonly [source: string, marks: readonly string[][], id: readonly string[]])[] = [
  ['cloudtrail', [['eventversion'], ['eventsource']], ['eventid']],
  ['google', [['uniquequalifier']], ['uniquequalifier']],
  ['okta', [['uuid'], ['eventtype'], ['actoralternateid', 'alternateid']], ['uuid']],
  ['duo', [['txid'], ['isotimestamp']], ['txid']],
  ['entra', [['operation', 'operations'], ['recordtype']], ['id']],
  // The portal's table, then Graph, Azure Monitor and Sentinel.
  ['entra', [['requestid'], ['correlationid']], ['requestid']],
  ['entra', [['createddatetime'], ['correlationid', 'appid', 'appdisplayname']], ['id']],
  ['jumpcloud', [['eventtype'], ['service'], ['organization']], [OWN_ID]],
  ['onelogin', [['eventtypeid']], [OWN_ID]],
  // Event log files, then the objects of event monitoring.
  ['salesforce', [['timestampderived'], ['requestid']], ['requestid']],
  ['salesforce', [['eventdate'], ['eventidentifier']], ['eventidentifier']],
  // Some tables of Defender count anew on each device.
  ['defender', [['actiontype'], ['reportid']], ['reportid', 'devicename']],
  ['auth0', [['logid'], ['useragent']], ['logid']],
  ['keycloak', [['realmid'], ['type']], [OWN_ID]],
  ['ocsf', [['classuid'], ['activityid']], ['metadatauid']],
  // Several events of a line share its id.
  ['ecs', [['ecsevent']], ['ecseventid', 'ecsevent']],
];

/** The id that the source of an event gave it, after the name of the source; null: none that is known to be unique. */
function eventIdOf(values: Values): string | null {
  const source = SOURCES.find(([, marks]) => marks.every((names) => names.some((name) => values.has(name))));
  if (source === undefined) return null;
  const [name, , parts] = source;
  const [id = '', ...others] = parts.map((part) => {
    const value = values.get(part);
    return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  });
  if (id === '') return null;
  if (name !== 'entra') return [name, id, ...others].join(' ');
  return GUID.test(id) && !NO_GUID.test(id) ? `entra ${id.toLowerCase()}` : null;
}

/** Of a sign-in, in seconds since 1970. */
export const secondOf = ({ at }: LoginRecord): number => Math.floor((at ?? 0) / 1_000);

/**
 * The same for the same sign-in in any log: of its id, or without one of the whole line, and of its user, second, address
 * and outcome, so that a false id hides no other sign-in. Formats write times to the second or more exactly, and users in
 * any case.
 */
export function identityOf(values: Values, login: LoginRecord): SigninIdentity {
  const id = eventIdOf(values);
  const source = id ?? JSON.stringify(values.get(WHOLE_LINE) ?? [...values]);
  const { user, ip, failed } = login;
  return {
    hex: hash('sha256', `${source}\0${user?.toLowerCase()}\0${secondOf(login)}\0${ip}\0${failed}`),
    isUnique: id !== null,
  };
}

/** The identity of a line after this many equal ones in its log. */
export const repeatedIdentity = ({ hex }: SigninIdentity, repeat: number): string =>
  repeat === 0 ? hex : hash('sha256', `${hex}\0${repeat}`);
