/**
 * Reads one line of a sign-in log as a login: Entra and Azure AD in their various forms, and tables with named columns.
 */
import { toInstant } from '#shared/model/clock.ts';
import { plainName } from '#shared/model/field-names.ts';
import { isIp, plainIp } from '#shared/model/ip.ts';
import type { LoginRecord } from '../../store/records.ts';
import { cityNamed } from './cities.ts';
import { EVIDENCE_APP } from './email-record.ts';

/** The columns and their known names, without case, spaces and punctuation. */
const SIGNIN_COLUMNS = {
  time: [
    'createddatetime',
    'creationtime',
    'creationdate',
    'published',
    'logintimestamp',
    'signintime',
    'signindate',
    'dateutc',
    'timegenerated',
    'eventtime',
    'eventdate',
    'timestamp',
    'datetime',
    'time',
    'date',
  ],
  user: [
    'userprincipalname',
    'signinidentifier',
    'useremail',
    'alternateid',
    'actoralternateid',
    'email',
    'upn',
    'username',
    'user',
    'account',
    'actor',
    'userid',
    'userids',
    'accountupn',
    // Of Entra, where an app or a managed identity signs in.
    'serviceprincipalname',
    // Of CloudTrail, where no user is named: the root user, roles.
    'arn',
  ],
  ip: [
    'ipaddress',
    'clientip',
    'clientipaddress',
    'actoripaddress',
    'sourceipaddress',
    'sourceip',
    'remoteip',
    'ip',
  ],
  country: [
    'countryorregion',
    'countrycode',
    'countryiso',
    'country',
    'clientgeographicalcontextcountry',
    'location',
  ],
  city: ['city', 'clientgeographicalcontextcity'],
  lat: ['latitude', 'lat', 'loginlatitude', 'clientgeographicalcontextgeolocationlat'],
  lon: ['longitude', 'lon', 'lng', 'long', 'loginlongitude', 'clientgeographicalcontextgeolocationlon'],
  result: [
    'consolelogin',
    'errorcode',
    'resulttype',
    'signinerrorcode',
    'loginsuccessful',
    'successful',
    'success',
    'result',
    'resultstatus',
    'outcomeresult',
    'outcome',
    'status',
  ],
} as const;
type SigninColumn = keyof typeof SIGNIN_COLUMNS;

/** A log's own column names, if they are none of the above. */
export type SigninMapping = Partial<Record<SigninColumn, string>>;

type Values = ReadonlyMap<string, unknown>;

const columnName = (name: string): string =>
  plainName(name.toLowerCase().replace(/\[utc\]$|_(?:dynamic|string|[sdtg])$/, ''));

/** Some tools write objects in Python syntax; text in neither syntax stays text. */
function objectIn(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return text;
  for (const candidate of [text, text.replaceAll("'", '"').replace(/\bNone\b/g, 'null')])
    try {
      return JSON.parse(candidate) as unknown;
    } catch {
      // Not this syntax.
    }
  return text;
}

const MAX_DEPTH = 5;
/** Nested objects of a sign-in: their fields are lifted to the top level; for equal names the outermost wins. */
const HOLDERS =
  /^(?:properties|location|locationdetails|geocoordinates|status|useridentity|auditdata|actor|client|geographicalcontext|geolocation|outcome|id|accessdevice)$/;
/**
 * Sign-in events among all events of the unified audit log, Okta, Google and Duo; most names also give the outcome.
 */
const EVENTS: readonly [RegExp, boolean | null][] = [
  [/^(?:userloggedin|mailboxlogin|login success|successful login)$/, false],
  [/^(?:userloginfailed|login failure|failed login)$/, true],
  [/^(?:user\.(?:session\.start|authentication\.(?:sso|verify|auth(?!_via_mfa)\w*))|authentication)$/, null],
];

/** The sign-in calls among all calls of CloudTrail: of the console, Identity Center and the token service. */
const CLOUDTRAIL_SIGNINS =
  /^(?:consolelogin|(?:user)?authenticat(?:e|ion)|federate|switchrole|assumero(?:le|ot)(?:with\w+)?|get(?:session|federation|signin)token)$/;

/** The outcome from an event's name; null: not stated; undefined: not a sign-in. */
const eventOf = (name: string): boolean | null | undefined =>
  EVENTS.find(([names]) => names.test(name.toLowerCase().replaceAll('login_', 'login ')))?.[1];

/** The event of a line in such a log; null: a log that only has sign-ins. */
function eventIn(values: Values): string | null {
  const own = values.get('operation') ?? values.get('operations');
  if (
    typeof own === 'string' &&
    (values.has('recordtype') ||
      values.has('uniquequalifier') ||
      values.has('applicationname') ||
      values.has('workload'))
  )
    return own;
  const type = values.get('eventtype');
  // Of Okta, and of Duo.
  if (typeof type === 'string' && (/^[a-z_]+(?:\.\w+)+$/.test(type) || values.has('txid'))) return type;
  const shown = values.get('event');
  return typeof shown === 'string' && /log(?:in|out)/i.test(shown) ? shown : null;
}

/** Logs write a dash where there is no value. */
const isBlank = (value: unknown): boolean => typeof value === 'string' && /^\s*-?\s*$/.test(value);

function flatten(record: object, into: Map<string, unknown>, depth = 0): Map<string, unknown> {
  const later: object[] = [];
  for (const [name, raw] of Object.entries(record)) {
    const key = columnName(name);
    if (key === 'responseelements') {
      // CloudTrail puts the outcome of a sign-in here; for other calls the field has any response.
      const said: unknown = (raw as { ConsoleLogin?: unknown } | null)?.ConsoleLogin;
      if (typeof said === 'string') into.set('consolelogin', said);
      continue;
    }
    if (key === 'events' && typeof raw === 'object') {
      // Of Google; some tools make a record of each event.
      const names = [raw].flat().map((event: { name?: unknown } | null) => event?.name);
      const name = names.find((one) => typeof one === 'string' && eventOf(one) !== undefined) ?? names[0];
      if (typeof name === 'string') into.set('operation', name);
      continue;
    }
    if (key === 'user' && typeof raw === 'object' && raw !== null) {
      const { name } = raw as { name?: unknown };
      if (typeof name === 'string' && name !== '' && !into.has('username')) into.set('username', name);
      continue;
    }
    const value = typeof raw === 'string' && HOLDERS.test(key) ? objectIn(raw) : raw;
    if (typeof value === 'object' && value !== null) {
      if (HOLDERS.test(key) && !Array.isArray(value)) later.push(value);
    } else if (value !== null && !isBlank(value) && !into.has(key)) into.set(key, value);
  }
  if (depth < MAX_DEPTH) for (const part of later) flatten(part, into, depth + 1);
  return into;
}

/** null: not an object. */
export const signinValues = (record: unknown): Values | null =>
  typeof record === 'object' && record !== null && !Array.isArray(record) ? flatten(record, new Map()) : null;

/** A cell as text: `="007"` is how a CSV file keeps a spreadsheet from reading it as a number. */
const cellText = (value: string): string => /^="(.*)"$/s.exec(value.trim())?.[1] ?? value.trim();

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? cellText(value) : '';
  return text === '' || text === '-' ? null : text.slice(0, 320);
}

function degrees(value: unknown, limit: number): number | null {
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && value.trim() !== ''
        ? Number(cellText(value).replace(',', '.'))
        : Number.NaN;
  return Math.abs(number) <= limit ? number : null;
}

/** The portal's own format, e.g. `4/28/2021, 2:08:45.221 PM`: month first, as the 12-hour clock implies. */
const PORTAL =
  /^(\d{1,2})\/(\d{1,2})\/(\d{4}),? (\d{1,2}):(\d\d):(\d\d)(?:\.(\d{1,3})\d*)? (AM|PM)(?: ([+-])(\d\d):(\d\d))?$/i;

function portalInstant(text: string): number | null {
  const found = PORTAL.exec(text);
  if (!found) return null;
  const [, month = '', day = '', year = '', hour = '', minute = '', second = '', fraction = '0'] = found;
  if (Number(hour) > 12) return null;
  const hours = (Number(hour) % 12) + (/pm/i.test(found[8] ?? '') ? 12 : 0);
  const two = (part: string | number): string => String(part).padStart(2, '0');
  const zone = found[9] === undefined ? 'Z' : `${found[9]}${found[10]}:${found[11]}`;
  // Reads no 30 February as 2 March.
  return toInstant(`${year}-${two(month)}-${two(day)}T${two(hours)}:${minute}:${second}.${fraction}${zone}`);
}

/** Numbers are seconds, milliseconds or microseconds since 1970 by magnitude, unambiguous from 1973 on. */
function epochOf(number: number): number | null {
  if (number >= 1e8 && number < 1e11) return Math.round(number * 1000);
  if (number >= 1e11 && number < 1e14) return Math.round(number);
  return number >= 1e14 && number < 1e17 ? Math.round(number / 1000) : null;
}

/** Times without a zone are UTC, as these logs are. */
function instantOf(value: unknown): number | null {
  const text = textOf(value);
  if (text === null) return null;
  if (/^\d+(?:\.\d+)?$/.test(text)) return epochOf(Number(text));
  const iso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text)
    ? `${text.replace(' ', 'T')}Z`
    : text;
  return portalInstant(text) ?? toInstant(iso);
}

/** An IP address without brackets, port or zone, IPv4 also where it is written as IPv6; null: invalid. */
function addressOf(value: unknown): string | null {
  const text = textOf(value)?.toLowerCase() ?? '';
  const [, bracketed, v4, port] = /^(?:\[([^\]]*)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && Number(port) > 65_535) return null;
  const plain = (bracketed ?? v4 ?? text).replace(/%[\w.-]+$/, '');
  return isIp(plain) ? plainIp(plain) : null;
}

/** A location as the portal exports it, e.g. `Paris, Ile-de-France, FR`. */
const PORTAL_PLACE = /^([^,]{1,100}), [^,]{1,100}, ([A-Z]{2})$/;

/** Columns in which a number is an error code, or yes means failure. */
const OF_FAILURE = /error|resulttype|fail|denied|reject|block|refus/;
/** Columns in which yes, or 1, means success. */
const OF_SUCCESS = /success|succeed|granted|allowed/;
const NO_ERROR = /^(?:0+|0x0+|none|null|no ?error|s_ok)$/;
const SILENT =
  /^(?:unknown|undefined|n\/?a|nan|nil|[<([]null[>)\]]|not (?:known|applicable|set|available)|other)$/;
const NEGATED = /\b(?:not|no|never|without)\b/;
const NO_SUCCESS =
  /\b(?:not|no|never|without)\b.*(?:success|succe|grant|allow|permit|accept|authori[sz]ed|authenticated)/;
/** Words of failure anywhere in an outcome, since logs combine them in many ways. */
const FAILURE =
  /fail|den(?:y|ied)|block|lock(?:ed)? ?out|is locked|^locked$|reject|refus|invalid|incorrect|wrong|bad ?password|unauthori[sz]ed|forbidden|error|expired|interrupt|unsuccess|disabled|timed? ?out|abort|cancel|fraud/;
const SUCCESS =
  /^(?:ok|pass(?:ed)?|success(?:ful(?:ly)?)?|succeeded|allow(?:ed)?|granted|accepted|permit(?:ted)?|authenticated|(?:log[io]n|log ?in|sign ?in|logged in|signed in|authentication|access)(?: was)?(?: ok| success(?:ful(?:ly)?)?| succeeded| granted| allowed| accepted)?|credentials ok)$/;

/** true: failed; false: successful; null: not stated in known words. `column`: normalised name. */
function failedOf(value: unknown, column: string): boolean | null {
  const isFailure = OF_FAILURE.test(column) && !OF_SUCCESS.test(column);
  // For LOCKED_OUT and AccessDenied, whose parts are words.
  const text =
    typeof value === 'boolean'
      ? String(value)
      : textOf(value)
          ?.replace(/([a-z]{2})([A-Z])/g, '$1 $2')
          // Tools that know no missing integers write them as 0.0.
          .replace(/^(\d+)\.0+$/, '$1')
          .toLowerCase()
          .replace(/[_\s]+/g, ' ');
  if (text === undefined || SILENT.test(text)) return null;
  if (/^(?:true|yes)$/.test(text)) return isFailure;
  if (/^(?:false|no)$/.test(text)) return !isFailure;
  if (isFailure) return !(NO_ERROR.test(text) || SUCCESS.test(text));
  if (/^\d+$/.test(text)) {
    if (OF_SUCCESS.test(column)) return text === '1' ? false : text === '0' ? true : null;
    return /^40[13]$/.test(text) ? true : null;
  }
  // Windows status codes: errors have the top bit set.
  if (/^0x[\da-f]{1,8}$/.test(text)) {
    const code = Number(text);
    return code === 0 ? false : code >= 0x8000_0000 ? true : null;
  }
  if (text !== 'none' && text !== 'null' && NO_ERROR.test(text)) return false;
  if (NEGATED.test(text)) return NO_SUCCESS.test(text) ? true : null;
  return FAILURE.test(text) ? true : SUCCESS.test(text) ? false : null;
}

/** Azure writes its sign-ins beside audits, risks and calls of Graph, which also have a user, an address and a time. */
const isOtherOfAzure = (values: Values): boolean =>
  values.has('operationname') &&
  values.has('category') &&
  values.has('resourceid') &&
  !/signinlogs$/i.test(String(values.get('category')));

/** true: failed; false: successful; null: not stated; undefined: not a sign-in. `columns`: those that may say so. */
function outcomeOf(values: Values, columns: readonly string[]): boolean | null | undefined {
  const event = eventIn(values);
  const told = event === null ? null : eventOf(event);
  const isCall = values.has('eventversion') && values.has('eventsource');
  const call = String(values.get('eventname')).toLowerCase();
  if (told === undefined || (isCall && !CLOUDTRAIL_SIGNINS.test(call)) || isOtherOfAzure(values))
    return undefined;
  // The first column with a known outcome: an empty or vague one does not hide later ones.
  const said = columns.map((name) => failedOf(values.get(name), name)).find((one) => one !== null) ?? null;
  // Entra writes “Success” beside UserLoginFailed; beside UserLoggedIn, a failure counts.
  if (told === false && said === true) return true;
  // CloudTrail names an error where there is one; only sign-ins to the console state their success.
  const hasAnswer =
    isCall && call !== 'consolelogin' && !values.has('errorcode') && !values.has('errormessage');
  return told ?? said ?? (hasAnswer ? false : null);
}

const OTHER_EVENTS = 'are other events than sign-ins';

export interface SigninRow {
  login: LoginRecord;
  placed: 'coordinates' | 'city' | 'no';
  /** It has an address, which cannot be read. */
  lacksAddress: boolean;
}

/** A reader for one log; a text says why the line is not read, after “3 of 10 lines”. */
export function signinReader(mapping: SigninMapping = {}): (values: Values) => SigninRow | string {
  const own = Object.fromEntries(
    Object.entries(mapping).map(([column, name]) => [column, columnName(name ?? '')]),
  );
  return (values) => {
    const pick = (column: SigninColumn): unknown => {
      const named = own[column];
      if (named !== undefined) return values.get(named);
      const found = SIGNIN_COLUMNS[column].find((name) => values.has(name));
      return found === undefined ? undefined : values.get(found);
    };
    const failed = outcomeOf(values, own['result'] === undefined ? SIGNIN_COLUMNS.result : [own['result']]);
    if (failed === undefined) return OTHER_EVENTS;
    const at = instantOf(pick('time'));
    const user = textOf(pick('user'));
    const address = pick('ip');
    const ip = addressOf(address);
    if (at === null) return 'name no time that can be read';
    if (user === null && ip === null) return 'name neither a user nor an address';
    const where = textOf(pick('country'));
    const portal = PORTAL_PLACE.exec(where ?? '');
    const country = portal?.[2] ?? where;
    const city = textOf(pick('city')) ?? portal?.[1] ?? null;
    const [lat, lon] = [degrees(pick('lat'), 90), degrees(pick('lon'), 180)];
    // Logs use 0, 0, a point in the Atlantic, for an unknown location.
    const given = lat !== null && lon !== null && !(lat === 0 && lon === 0) ? { lat, lon } : null;
    const short = country !== null && /^[a-z]{2}$/i.test(country) ? country.toUpperCase() : null;
    const named =
      given || city === null || (country !== null && short === null) ? null : cityNamed(city, short);
    const place = given ?? named;
    return {
      login: {
        saas: EVIDENCE_APP,
        failed,
        at,
        user,
        ip,
        lat: place?.lat ?? null,
        lon: place?.lon ?? null,
        country: short ?? country ?? named?.country ?? null,
        city,
        count: 1,
      },
      placed: given ? 'coordinates' : named ? 'city' : 'no',
      lacksAddress: ip === null && textOf(address) !== null,
    };
  };
}

/** Whether a table's columns are those of a sign-in log: a time, and a user or an address. */
export function looksLikeSignins(names: Iterable<string>, mapping: SigninMapping = {}): boolean {
  const present = new Set([...names].map(columnName));
  const has = (column: SigninColumn): boolean =>
    mapping[column] === undefined
      ? SIGNIN_COLUMNS[column].some((name) => present.has(name))
      : present.has(columnName(mapping[column] ?? ''));
  // The audit log as a table has everything but the time in one column.
  if (present.has('auditdata') && has('time')) return true;
  return has('time') && has('ip') && (has('user') || has('result'));
}
