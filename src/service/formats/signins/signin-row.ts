/**
 * Reads one line of a sign-in log as a login: Entra and Azure AD in their various forms, and tables with named columns.
 */
import { placeOf } from '#shared/logins/place.ts';
import { plainName } from '#shared/model/field-names.ts';
import { isIp, plainIp } from '#shared/model/ip.ts';
import { isRecord } from '#shared/model/narrow.ts';
import type { SigninIdentity } from '../../store/evidence.ts';
import { EVIDENCE_APP, type LoginRecord } from '../../store/records.ts';
import { cityNamed, countryCode } from './cities.ts';
import { ecsSignin } from './signin-ecs.ts';
import { identityOf, OWN_ID, WHOLE_LINE } from './signin-identity.ts';
import {
  AMBIGUOUS,
  type DateOrder,
  inHeadedZone,
  isInLocalTime,
  orderOf,
  timeOf,
  ZONELESS,
  zoneNamed,
} from './signin-time.ts';

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
    // Of Salesforce, whose own time has no punctuation.
    'timestampderived',
    'timegenerated',
    'eventtime',
    'eventdate',
    'timestamp',
    'datetime',
    'time',
    'date',
    // Of OneLogin; elsewhere, it may be when the account was created.
    'createdat',
  ],
  user: [
    'userprincipalname',
    'signinidentifier',
    'useremail',
    'alternateid',
    'actoralternateid',
    'actoremail',
    'email',
    'upn',
    'username',
    'useridentityusername',
    // Of Sentinel's own schema, and of Okta in it.
    'targetusername',
    'actorusername',
    'originalactoralternateid',
    'user',
    'account',
    'userid',
    'userids',
    // A name in the table of Google, ids in tables of the audit log.
    'actor',
    'accountupn',
    // Of Entra, where an app or a managed identity signs in.
    'serviceprincipalname',
    // Of CloudTrail, where no user is named: the root user, roles.
    'arn',
    'useridentityarn',
  ],
  ip: [
    'ipaddress',
    'clientip',
    'clientipaddress',
    'actoripaddress',
    'sourceipaddress',
    'sourceip',
    'remoteip',
    'srcipaddr',
    'accessdeviceip',
    'ipaddr',
    'ip',
  ],
  country: [
    'countryorregion',
    'countrycode',
    'countryiso',
    'country',
    'clientgeographicalcontextcountry',
    'srcgeocountry',
    'accessdevicelocationcountry',
    'location',
  ],
  city: ['city', 'cityname', 'clientgeographicalcontextcity', 'srcgeocity', 'accessdevicelocationcity'],
  lat: ['latitude', 'lat', 'loginlatitude', 'clientgeographicalcontextgeolocationlat', 'srcgeolatitude'],
  lon: [
    'longitude',
    'lon',
    'lng',
    'long',
    'loginlongitude',
    'clientgeographicalcontextgeolocationlon',
    'srcgeolongitude',
    // So spelled for Okta.
    'srcgeolongtitude',
  ],
  result: [
    'consolelogin',
    'errorcode',
    'errornumber',
    'resulttype',
    'signinerrorcode',
    'loginsuccessful',
    'successful',
    'ssotokensuccess',
    'success',
    'result',
    'resultstatus',
    'outcomeresult',
    'outcome',
    'eventresult',
    'status',
    'loginstatus',
  ],
} as const;
type SigninColumn = keyof typeof SIGNIN_COLUMNS;

/**
 * A log's own column names, if they are none of the above, the order of its dates, and the IANA name of the zone of times
 * that name none.
 */
export type SigninMapping = Partial<Record<SigninColumn, string>> & { dates?: DateOrder; zone?: string };

/**
 * Headings of the tables that Entra's portal exports in German and French, in the terms of Microsoft's documentation, as
 * its English ones; without the letters that have accents.
 */
const TRANSLATED: ReadonlyMap<string, string> = new Map([
  ['datum', 'date'],
  ['anforderungsid', 'requestid'],
  ['idderequte', 'requestid'],
  ['korrelationsid', 'correlationid'],
  ['iddecorrlation', 'correlationid'],
  ['benutzer', 'user'],
  ['utilisateur', 'user'],
  ['benutzername', 'username'],
  ['nomdutilisateur', 'username'],
  ['ipadresse', 'ipaddress'],
  ['adresseip', 'ipaddress'],
  ['standort', 'location'],
  ['emplacement', 'location'],
  ['anmeldefehlercode', 'signinerrorcode'],
  ['codederreurdeconnexion', 'signinerrorcode'],
]);

type Values = ReadonlyMap<string, unknown>;

/** Every line of a log has the same names: the results for this many, each up to this length, are kept. */
const MAX_NAMES = 1_000;
const MAX_NAME = 100;
const columnNames = new Map<string, string>();

/** The zone that tables name in the heading of a time: `TimeGenerated [UTC]`, `TimeGenerated [Local Time]`. */
const HEADED_ZONE = /\s*[[(]([^[\]()]{1,80})[\])]$/;
const headedZones = new Map<string, string | null>();

/** The zone that the heading of a time names (see `zoneNamed`), or null: none, or another heading. */
function headedZone(name: string): string | null {
  const known = headedZones.get(name);
  if (known !== undefined) return known;
  const words = HEADED_ZONE.exec(name)?.[1];
  const plain = words === undefined ? '' : plainName(name.replace(HEADED_ZONE, ''));
  const isTime = SIGNIN_COLUMNS.time.some((known) => known === plain);
  const zone = words !== undefined && isTime ? zoneNamed(words) : null;
  if (headedZones.size < MAX_NAMES && name.length <= MAX_NAME) headedZones.set(name, zone);
  return zone;
}

function columnName(name: string): string {
  const known = columnNames.get(name);
  if (known !== undefined) return known;
  const bare = headedZone(name) === null ? name : name.replace(HEADED_ZONE, '');
  const own = plainName(bare.toLowerCase().replace(/[[(]utc[\])]$|_(?:dynamic|string|[sdtg])$/, ''));
  const plain = TRANSLATED.get(own) ?? own;
  if (columnNames.size < MAX_NAMES && name.length <= MAX_NAME) columnNames.set(name, plain);
  return plain;
}

/**
 * Objects as tables of PowerShell have them: `@{errorCode=0; failureReason=Other.}`, and the several lines
 * `class Status { ErrorCode: 0 FailureReason: Other. }`.
 */
const OF_POWERSHELL = /^@\{(.*)\}$|^class \w+ \{(.*)\}$/s;

/** An object in the syntax of JSON, Python or PowerShell; null: in no known syntax. Other text stays text. */
function objectIn(text: string): unknown {
  const [, braces, lines] = OF_POWERSHELL.exec(text.trim()) ?? [];
  if (braces !== undefined)
    return Object.fromEntries(braces.split('; ').map((part) => part.split(/=(.*)/s).slice(0, 2)));
  if (lines !== undefined)
    return Object.fromEntries([...lines.matchAll(/^[ \t]*(\w+): ?(.*)$/gm)].map((found) => found.slice(1)));
  if (!/^\s*(?:[{[]|@\{|class \w+ \{)/.test(text)) return text;
  for (const candidate of [text, text.replaceAll("'", '"').replace(/\bNone\b/g, 'null')])
    try {
      return JSON.parse(candidate) as unknown;
    } catch {
      // Not this syntax.
    }
  return null;
}

const MAX_DEPTH = 5;
/** Nested objects of a sign-in: their fields are lifted to the top level; for equal names the outermost wins. */
const HOLDERS =
  /^(?:properties|location|locationdetails|geocoordinates|status|useridentity|auditdata|actor|client|geographicalcontext|geolocation|outcome|id|accessdevice|initiatedby|geoip|srcendpoint|result|raw|description|locationinfo)$/;
/** Further ones, if the record has such a field: of Auth0's streams, and of Keycloak. */
const MARKED_HOLDERS: ReadonlyMap<string, string> = new Map([
  ['data', 'log_id'],
  ['details', 'realmId'],
]);

function isHolder(key: string, record: object): boolean {
  if (HOLDERS.test(key)) return true;
  const mark = MARKED_HOLDERS.get(key);
  return mark !== undefined && Object.hasOwn(record, mark);
}

/**
 * Sign-in events among all events of the unified audit log, Okta, Google, Duo, JumpCloud, OneLogin, Defender, Salesforce,
 * Auth0, Keycloak, OCSF and ECS; most names also give the outcome.
 */
const EVENTS: readonly [RegExp, boolean | null][] = [
  [
    /^(?:userloggedin|mailboxlogin|login success|successful login|logonsuccess|admin_login|onelogin [58]|auth0 s|keycloak (?:client_)?login)$/,
    false,
  ],
  [
    /^(?:userloginfailed|login failure|failed login|logonfailed|admin_login_error|onelogin 6|auth0 f[pu]?|keycloak (?:client_)?login_error)$/,
    true,
  ],
  [/^(?:user\.(?:session\.start|authentication\.(?:sso|verify|auth(?!_via_mfa)\w*))|authentication)$/, null],
  [
    /^(?:(?:user|admin)_login_attempt|(?:radius|ldap)_auth_attempt|sso_auth|ldap_bind|logonattempted|login|logon|ocsf 3002)$/,
    null,
  ],
];

/** The sign-in calls among all calls of CloudTrail: of the console, Identity Center and the token service. */
const CLOUDTRAIL_SIGNINS =
  /^(?:consolelogin|(?:user)?authenticat(?:e|ion)|federate|switchrole|assumero(?:le|ot)(?:with\w+)?|get(?:session|federation|signin)token)$/;

/** The outcome from an event's name; null: not stated; undefined: not a sign-in. */
const eventOf = (name: string): boolean | null | undefined =>
  EVENTS.find(([names]) => names.test(name.toLowerCase().replace(/^login_/, 'login ')))?.[1];

/** The event of a line in such a log; null: a log that only has sign-ins. */
function eventIn(values: Values): string | null {
  const text = (name: string): string | null => {
    const value = values.get(name);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
  };
  const has = (...names: string[]): boolean => names.some((name) => values.has(name));
  const schema =
    text('ecsevent') ?? (has('classuid') && has('activityid') ? `ocsf ${text('classuid')}` : null);
  // In OCSF, the second activity is to sign out.
  if (schema !== null) return schema === 'ocsf 3002' && text('activityid') === '2' ? 'logout' : schema;
  const own = text('operation') ?? text('operations');
  if (own !== null && has('recordtype', 'uniquequalifier', 'applicationname', 'workload')) return own;
  // Google's reports as a table: of GAM, and of Sentinel.
  if (has('uniquequalifier', 'iduniquequalifier')) return text('eventname') ?? text('name');
  const original = text('eventoriginaltype') ?? '';
  const type = original.includes('.') ? original : text('eventtype');
  // Of Okta, Duo, Salesforce, JumpCloud and Sentinel's own schema.
  if (
    type !== null &&
    (/^[a-z_]+(?:\.\w+)+$/.test(type) ||
      has('txid', 'timestampderived', 'eventresult') ||
      (has('service') && has('organization')))
  )
    return type;
  if (values.has('logid') && values.has('useragent')) return `auth0 ${text('type')}`;
  if (values.has('realmid') && has('type', 'operationtype')) return `keycloak ${text('type')}`;
  if (has('eventtypeid')) return `onelogin ${text('eventtypeid')}`;
  // Of Duo's administrators.
  if (has('action') && has('isotimestamp')) return text('action');
  if (has('actiontype') && has('reportid', 'accountupn', 'accountobjectid')) return text('actiontype');
  // Entra's table of changes to the directory.
  if (has('activity') && has('service') && has('category') && has('correlationid')) return text('activity');
  const shown = text('event');
  // Google's console names other events, too.
  const isGoogle = has('actor') && has('description') && has('date');
  return shown !== null && (/log(?:in|out)/i.test(shown) || isGoogle) ? shown : null;
}

/** Logs write a dash where there is no value, and PowerShell the type of one that it does not write. */
const isBlank = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^-?$|^(?:System\.(?:Object|String|Collections)|Microsoft\.(?:Graph|Open))\b[\w.`,[\]]*$/.test(
    value.trim(),
  );

/** `location.city` is `city` in `location`; null: a name without a path through known objects. */
function pathOf(name: string): [holder: string, rest: string] | null {
  const dot = name.indexOf('.');
  return dot > 0 && HOLDERS.test(columnName(name.slice(0, dot)))
    ? [name.slice(0, dot), name.slice(dot + 1)]
    : null;
}

/** A column's name among the values of a sign-in. */
function leafOf(name: string): string {
  let rest = name;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) rest = pathOf(rest)?.[1] ?? rest;
  return columnName(rest);
}

/** A time that Windows PowerShell writes as an object with this text; undefined: something else. */
const dateIn = (value: unknown): string | undefined => {
  const text = (value as { value?: unknown } | null | undefined)?.value;
  return typeof text === 'string' && text.startsWith('/Date(') ? text : undefined;
};

function flatten(record: object, into: Map<string, unknown>, depth = 0): Map<string, unknown> {
  const later: object[] = [];
  for (const [name, raw] of Object.entries(record)) {
    const path = pathOf(name);
    if (path !== null) {
      later.push({ [path[1]]: raw });
      continue;
    }
    const key = columnName(name);
    if (key === 'responseelements') {
      // CloudTrail puts the outcome of a sign-in here; for other calls the field has any response.
      const answer = typeof raw === 'string' ? objectIn(raw) : raw;
      const said: unknown = (answer as { ConsoleLogin?: unknown } | null)?.ConsoleLogin;
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
    if (key === 'metadata' && typeof raw === 'object' && raw !== null) {
      // Of OCSF, whose other objects have ids, too.
      const { uid } = raw as { uid?: unknown };
      if (uid != null && !into.has('metadatauid')) into.set('metadatauid', uid);
      continue;
    }
    if (key === 'user' && typeof raw === 'object' && raw !== null) {
      const { name } = raw as { name?: unknown };
      if (typeof name === 'string' && name !== '' && !into.has('username')) into.set('username', name);
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

/** The event in an alert of Wazuh, which puts it below `data` and the name of its source; null: no such alert. */
function wazuhEvent({ rule, agent, data }: Readonly<Record<string, unknown>>): object | null {
  if (!isRecord(rule) || !isRecord(agent) || !isRecord(data)) return null;
  const { integration } = data;
  const named = typeof integration === 'string' ? data[integration] : undefined;
  return isRecord(named) ? named : data;
}

/** null: not an object. `line`: all that the line says, if that is not the object. */
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

/** `HOST (198.51.100.7)`, `198.51.100.7 (HOST)` and `HOST [198.51.100.7]`, also in brackets as a whole. */
const NAMED_ADDRESS = [
  /^\[?([^()]{0,255}?) ?\(([^()]{1,255})\)\]?$/,
  /^([^()[\]]{1,255}) \[([^()[\]]{1,60})\]$/,
];

/**
 * An IP address without the name of a computer, brackets, port, zone or the length of a network of one, IPv4 also where
 * it is written as IPv6; null: invalid, or several.
 */
function addressOf(value: unknown): string | null {
  const whole = textOf(value)?.toLowerCase() ?? '';
  const named = NAMED_ADDRESS.flatMap((form) => form.exec(whole)?.slice(1) ?? []);
  if (named.length === 0) return plainAddress(whole);
  const [address = null, ...others] = named.flatMap((part) => plainAddress(part.trim()) ?? []);
  return others.length === 0 ? address : null;
}

function plainAddress(written: string): string | null {
  const text = written.replace(/(?<=\.\d{1,3})\/32$|(?<=:.{0,40})\/128$/, '');
  const [, bracketed, v4, port] = /^(?:\[([^\]]*)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && Number(port) > 65_535) return null;
  const plain = (bracketed ?? v4 ?? text).replace(/%[\w.-]+$/, '');
  if (!isIp(plain)) return null;
  const ip = plainIp(plain);
  // One spelling for each address (RFC 5952), as the URL standard has it.
  return ip.includes(':') ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip;
}

/** A location as the portal exports it, e.g. `Paris, Ile-de-France, FR`. */
const PORTAL_PLACE = /^([^,]{1,100}), [^,]{1,100}, ([A-Z]{2})$/;

/** Columns in which a number is an error code, or yes means failure. */
const OF_FAILURE = /error|resulttype|fail|denied|reject|block|refus/;
/** Columns in which yes, or 1, means success. */
const OF_SUCCESS = /success|succeed|granted|allowed/;
const NO_ERROR = /^(?:0+|0x0+|none|null|(?:login )?no ?error|s_ok)$/;
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

/** A sign-in that was stopped for a further step and neither failed nor succeeded. */
const INTERRUPTED = 'interrupted';
type Outcome = boolean | null | typeof INTERRUPTED;

/**
 * Errors of Entra that ask for a further step: those that Microsoft's list calls an interrupt, and those by which the
 * user must first renew a password, sign in, confirm with a second factor or a device, or consent.
 * https://learn.microsoft.com/entra/identity-platform/reference-error-codes
 */
const INTERRUPTIONS: ReadonlySet<string> = new Set(
  '16000 50055 50058 50072 50074 50076 50078 50079 50097 50125 50127 50129 50140 50144 50158 50168 50199 51006 65001'.split(
    ' ',
  ),
);
/** Columns with such an error. */
const OF_ENTRA = /^(?:signin)?error(?:code|number)$|^resulttype$/;

/** true: failed; false: successful; null: not stated in known words. `column`: normalised name. */
function failedOf(value: unknown, column: string): Outcome {
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
  if (/^interrupt(?:ed)?$/.test(text)) return INTERRUPTED;
  const code = OF_ENTRA.test(column) ? (/^(?:aadsts)?0*(\d+)\b/.exec(text)?.[1] ?? '') : '';
  if (INTERRUPTIONS.has(code)) return INTERRUPTED;
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

const isAzureSignin = (values: Values): boolean =>
  /sign-?in(?:logs|events\w*)$|^AdvancedHunting-(?:IdentityLogon|CloudApp)Events$/i.test(
    String(values.get('category')),
  );

/**
 * Azure and Defender write their sign-ins beside audits, risks, clicks and calls of Graph, which also have a user, an
 * address and a time.
 */
const isOtherOfAzure = (values: Values): boolean =>
  values.has('riskeventtype') ||
  (values.has('operationname') &&
    values.has('category') &&
    (values.has('resourceid') || /^AdvancedHunting-/i.test(String(values.get('category')))) &&
    !isAzureSignin(values));

/** true: failed; false: successful; null: not stated; undefined: not a sign-in. `columns`: those that may say so. */
function outcomeOf(values: Values, columns: readonly string[]): Outcome | undefined {
  const event = eventIn(values);
  const told = event === null ? null : eventOf(event);
  const isCall = values.has('eventversion') && values.has('eventsource');
  const call = String(values.get('eventname')).toLowerCase();
  if (told === undefined || (isCall && !CLOUDTRAIL_SIGNINS.test(call)) || isOtherOfAzure(values))
    return undefined;
  // The first column with a known outcome: an empty or vague one does not hide later ones.
  let said: Outcome = null;
  for (const name of columns) said ??= values.has(name) ? failedOf(values.get(name), name) : null;
  // The audit log has interruptions as failed or as successful.
  if (said === INTERRUPTED) return said;
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
  identity: SigninIdentity;
  placed: 'coordinates' | 'city' | 'no';
  /** It was stopped for a further step, such as a second factor. */
  isInterrupted: boolean;
  /** It has an address, which cannot be read. */
  lacksAddress: boolean;
  /** Nothing but its capital AM or PM says that its month comes first. */
  guessesDate: boolean;
}

/** The value of a column, by the log's own name for it or a known one. */
function pickerOf(mapping: SigninMapping): (values: Values, column: SigninColumn) => unknown {
  const own = new Map(Object.entries(mapping).map(([column, name]) => [column, leafOf(name)]));
  return (values, column) => {
    const named = own.get(column);
    if (named !== undefined) return values.get(named);
    const found = SIGNIN_COLUMNS[column].find((name) => values.has(name));
    return found === undefined ? undefined : values.get(found);
  };
}

/** What a line's time says about the order of its day and month: see `orderOf`. */
export function dateOrderReader(mapping: SigninMapping): (values: Values) => DateOrder | null | undefined {
  const pick = pickerOf(mapping);
  return (values) => orderOf(textOf(pick(values, 'time')) ?? '');
}

/** Of a date in an order that the log does not show, with what helps. */
export const NO_ORDER =
  'have a date whose day and month cannot be told apart (“dates” in signin-columns.json can say “day first” or “month first”)';

/** Of a time as Kibana and Azure's tables show it, with what helps. */
const NO_ZONE =
  'have a time of whoever exported the log, without its zone (“zone” in signin-columns.json can name it, such as “Europe/Berlin”)';

/**
 * A reader for one log; a text says why the line is not read, after “3 of 10 lines”. `order`: how it writes dates that
 * allow both orders; null: unknown.
 */
export function signinReader(
  mapping: SigninMapping = {},
  order: DateOrder | null = null,
): (values: Values) => SigninRow | string {
  const pickFrom = pickerOf(mapping);
  const zone = mapping.zone ?? null;
  const outcomes = mapping.result === undefined ? SIGNIN_COLUMNS.result : [leafOf(mapping.result)];
  return (values) => {
    const pick = (column: SigninColumn): unknown => pickFrom(values, column);
    const outcome = outcomeOf(values, outcomes);
    if (outcome === undefined) return OTHER_EVENTS;
    const time = textOf(pick('time')) ?? '';
    // Azure itself writes the month first in every language; its portal writes a comma, and the reader's language.
    const known = order ?? (isAzureSignin(values) && !time.includes(',') ? 'month first' : null);
    const at = timeOf(time, known, zone);
    const name = textOf(pick('user'));
    // So the audit log writes an account that it does not know.
    const user = name?.toLowerCase() === 'not available' ? null : name;
    const address = pick('ip');
    const ip = addressOf(address);
    if (at === AMBIGUOUS) return NO_ORDER;
    if (at === ZONELESS) return NO_ZONE;
    if (at === null) return 'name no time that can be read';
    if (user === null && ip === null) return 'name neither a user nor an address';
    const where = textOf(pick('country'));
    const portal = PORTAL_PLACE.exec(where ?? '');
    const country = portal?.[2] ?? where;
    const city = textOf(pick('city')) ?? portal?.[1] ?? null;
    const [lat, lon] = [degrees(pick('lat'), 90), degrees(pick('lon'), 180)];
    const given = placeOf(lat, lon);
    const short = country === null ? null : countryCode(country);
    const named =
      given || city === null || (country !== null && short === null) ? null : cityNamed(city, short);
    const place = given ?? named;
    const login: LoginRecord = {
      saas: EVIDENCE_APP,
      failed: outcome === INTERRUPTED ? null : outcome,
      at,
      user,
      ip,
      lat: place?.lat ?? null,
      lon: place?.lon ?? null,
      country: short ?? country ?? named?.country ?? null,
      city,
      count: 1,
    };
    return {
      login,
      identity: identityOf(values, login),
      placed: given ? 'coordinates' : named ? 'city' : 'no',
      isInterrupted: outcome === INTERRUPTED,
      lacksAddress: ip === null && textOf(address) !== null,
      guessesDate: known === null && orderOf(time) === null && timeOf(time, 'day first', zone) !== at,
    };
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
