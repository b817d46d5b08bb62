/** The columns of sign-in logs, by the names that logs give them. */
import { plainName } from '#shared/model/field-names.ts';
import { type DateOrder, zoneNamed } from './signin-time.ts';
import type { Values } from './vendors.ts';

const words = (text: string): readonly string[] => text.split(/\s+/);

/**
 * The columns and their known names, without case, spaces and punctuation; of several in a line, the first counts. The time
 * of Salesforce has no punctuation, `createdat` may be when an account was created, and the last users are those of lines
 * that name no person: apps, managed identities, roles, the root user.
 */
export const SIGNIN_COLUMNS = {
  time: words(`createddatetime creationtime creationdate published logintimestamp signintime signindate dateutc
    timestampderived timegenerated eventtime eventdate timestamp datetime time date createdat`),
  user: words(`userprincipalname signinidentifier useremail alternateid actoralternateid actoremail email upn
    username useridentityusername targetusername actorusername originalactoralternateid user account
    userid userids actor accountupn serviceprincipalname arn useridentityarn`),
  ip: words(`ipaddress clientip clientipaddress actoripaddress sourceipaddress sourceip remoteip srcipaddr
    accessdeviceip ipaddr ip`),
  country:
    words(`countryorregion countrycode countryiso country clientgeographicalcontextcountry srcgeocountry
    accessdevicelocationcountry location`),
  city: words('city cityname clientgeographicalcontextcity srcgeocity accessdevicelocationcity'),
  lat: words('latitude lat loginlatitude clientgeographicalcontextgeolocationlat srcgeolatitude'),
  lon: words(`longitude lon lng long loginlongitude clientgeographicalcontextgeolocationlon srcgeolongitude
    srcgeolongtitude`),
  result: words(`consolelogin errorcode errornumber resulttype signinerrorcode loginsuccessful successful
    ssotokensuccess success result resultstatus outcomeresult outcome eventresult status loginstatus`),
};
export type SigninColumn = keyof typeof SIGNIN_COLUMNS;

/**
 * A log's own column names, if they are none of the above, the order of its dates, and the IANA name of the zone of times
 * that name none.
 */
export type SigninMapping = Partial<Record<SigninColumn, string>> & { dates?: DateOrder; zone?: string };

/**
 * Headings of the tables that Entra's portal exports in German and French, in the terms of Microsoft's documentation, as
 * its English ones; without the letters that have accents.
 */
const TRANSLATED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    date: 'datum',
    requestid: 'anforderungsid idderequte',
    correlationid: 'korrelationsid iddecorrlation',
    user: 'benutzer utilisateur',
    username: 'benutzername nomdutilisateur',
    ipaddress: 'ipadresse adresseip',
    location: 'standort emplacement',
    signinerrorcode: 'anmeldefehlercode codederreurdeconnexion',
  }).flatMap(([name, translated]) => words(translated).map((word) => [word, name] as const)),
);

/** Every line of a log has the same names: the results for 1 000 of up to 100 characters are kept. */
function keeping<T>(read: (name: string) => T): (name: string) => T {
  const results = new Map<string, T>();
  return (name) => {
    const result = results.has(name) ? (results.get(name) as T) : read(name);
    if (results.size < 1_000 && name.length <= 100) results.set(name, result);
    return result;
  };
}

/** The zone that tables name in the heading of a time: `TimeGenerated [UTC]`, `TimeGenerated [Local Time]`. */
const HEADED_ZONE = /(?<!\s)\s*[[(]([^[\]()]{1,80})[\])]$/;

/** The zone that the heading of a time names (see `zoneNamed`), or null if it names none or is another heading. */
export const headedZone = keeping((name) => {
  const zone = HEADED_ZONE.exec(name)?.[1];
  const isTime = zone !== undefined && SIGNIN_COLUMNS.time.includes(plainName(name.replace(HEADED_ZONE, '')));
  return isTime ? zoneNamed(zone) : null;
});

export const columnName = keeping((name) => {
  const bare = headedZone(name) === null ? name : name.replace(HEADED_ZONE, '');
  const plain = plainName(bare.toLowerCase().replace(/[[(]utc[\])]$|_(?:dynamic|string|[sdtg])$/, ''));
  return TRANSLATED.get(plain) ?? plain;
});

export const MAX_DEPTH = 5;
/** Nested objects of a sign-in: their fields are lifted to the top level; for equal names the outermost wins. */
export const HOLDERS =
  /^(?:properties|location|locationdetails|geocoordinates|status|useridentity|auditdata|actor|client|geographicalcontext|geolocation|outcome|id|accessdevice|initiatedby|geoip|srcendpoint|result|raw|description|locationinfo)$/;

/** Further ones, if the record has such a field: of Auth0's streams, and of Keycloak. */
const MARKED_HOLDERS: ReadonlyMap<string, string> = new Map([
  ['data', 'log_id'],
  ['details', 'realmId'],
]);

export function isHolder(key: string, record: object): boolean {
  const mark = MARKED_HOLDERS.get(key);
  return HOLDERS.test(key) || (mark !== undefined && Object.hasOwn(record, mark));
}

/** `city` of `location.city`, or null for a name without a path through known objects. */
export function innerName(name: string): string | null {
  const dot = name.indexOf('.');
  return dot > 0 && HOLDERS.test(columnName(name.slice(0, dot))) ? name.slice(dot + 1) : null;
}

/** A column's name among the values of a sign-in. */
export function leafOf(name: string): string {
  let rest = name;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) rest = innerName(rest) ?? rest;
  return columnName(rest);
}

/** The value of a column, by the log's own name for it or a known one. */
export function pickerOf(mapping: SigninMapping): (values: Values, column: SigninColumn) => unknown {
  const headings = new Map(Object.entries(mapping).map(([column, name]) => [column, leafOf(name)]));
  return (values, column) => {
    const named = headings.get(column);
    if (named !== undefined) return values.get(named);
    const heading = SIGNIN_COLUMNS[column].find((name) => values.has(name));
    return heading === undefined ? undefined : values.get(heading);
  };
}

/** Whether a log's columns are those of sign-ins: a time, an address, and a user or, unless one is needed, a result. */
export function looksLikeSignins(
  names: Iterable<string>,
  mapping: SigninMapping = {},
  needsUser = false,
): boolean {
  const present = new Set([...names].map(leafOf));
  const has = (column: SigninColumn): boolean =>
    mapping[column] === undefined
      ? SIGNIN_COLUMNS[column].some((name) => present.has(name))
      : present.has(leafOf(mapping[column] ?? ''));
  // The audit log as a table has everything but the time in one column.
  if (present.has('auditdata') && has('time')) return true;
  return has('time') && has('ip') && (has('user') || (!needsUser && has('result')));
}
