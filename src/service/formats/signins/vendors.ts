/** One table for each vendor: how its logs name their events, which of them are sign-ins, and what makes their ids. */

/** The fields of a line by their normalised names. */
export type Values = ReadonlyMap<string, unknown>;
/** The name under which they hold the whole line, which no column can have. */
export const WHOLE_LINE = '\0line';
/** The name under which they hold the line's own `id`, as opposed to that of a person in it. */
export const OWN_ID = '\0id';

type Marks = readonly (readonly string[])[];

interface Vendor {
  /** Logs with other events, too: the marks of a line, and the name of its event. */
  event: readonly [marks: Marks, name: (values: Values) => string | null];
  /** The events that are sign-ins, in lower case, with `stated` if the outcome is in another field. */
  succeeded?: RegExp;
  failed?: RegExp;
  stated?: RegExp;
  /** Logs whose events have an id: the marks of a line, and the fields of the id, the first of which must have a value. */
  ids?: readonly (readonly [marks: Marks, parts: readonly string[]])[];
}

/** `a b|c`: a line with these marks has the field `a`, and `b` or `c`. */
const marked = (marks: string): Marks => marks.split(' ').map((names) => names.split('|'));
const id = (marks: string, parts: string) => [marked(marks), parts.split(' ')] as const;

export const hasMarks = (values: Values, marks: Marks): boolean =>
  marks.every((names) => names.some((name) => values.has(name)));

export function textIn(values: Values, name: string): string | null {
  const value = values.get(name);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
const named =
  (...names: string[]) =>
  (values: Values): string | null =>
    names.map((name) => textIn(values, name)).find((text) => text !== null) ?? null;
/** For events without a name of their own. */
const numbered = (vendor: string, name: string) => (values: Values) => `${vendor} ${textIn(values, name)}`;
const matching = (text: string | null, form: RegExp) => (form.test(text ?? '') ? text : null);

/** Sentinel keeps a vendor's own type beside its own. */
function typeIn(values: Values): string | null {
  const original = textIn(values, 'eventoriginaltype') ?? '';
  return original.includes('.') ? original : textIn(values, 'eventtype');
}

const ecs: Vendor = {
  event: [marked('ecsevent'), named('ecsevent')],
  stated: /^authentication$/,
  // Several events of a line share its id.
  ids: [id('ecsevent', 'ecseventid ecsevent')],
};
const ocsf: Vendor = {
  // The second activity is to sign out.
  event: [
    marked('classuid activityid'),
    (values) => (textIn(values, 'activityid') === '2' ? 'logout' : numbered('ocsf', 'classuid')(values)),
  ],
  stated: /^ocsf 3002$/,
  ids: [id('classuid activityid', 'metadatauid')],
};
/** Its events are those of the unified audit log, which has Entra's id of the request, so that both name the same sign-in. */
const entra: Vendor = {
  event: [
    marked('operation|operations recordtype|uniquequalifier|applicationname|workload'),
    named('operation', 'operations'),
  ],
  succeeded: /^(?:userloggedin|mailboxlogin)$/,
  failed: /^userloginfailed$/,
  ids: [
    id('operation|operations recordtype', 'id'),
    // The portal's table, then Graph, Azure Monitor and Sentinel.
    id('requestid correlationid', 'requestid'),
    id('createddatetime correlationid|appid|appdisplayname', 'id'),
  ],
};
/** Entra's table of changes to the directory. */
const directory: Vendor = { event: [marked('activity service category correlationid'), named('activity')] };
/** Its reports, also as tables of GAM and of Sentinel. */
const google: Vendor = {
  event: [marked('uniquequalifier|iduniquequalifier'), named('eventname', 'name')],
  succeeded: /^login success$/,
  failed: /^login failure$/,
  ids: [id('uniquequalifier', 'uniquequalifier')],
};
const googleConsole: Vendor = {
  event: [marked('event actor description date'), named('event')],
  succeeded: /^successful login$/,
  failed: /^failed login$/,
};
/** A log with a column for events, of which some name themselves after sign-ins. */
const unknown: Vendor = {
  event: [marked('event'), (values) => matching(textIn(values, 'event'), /log(?:in|out)/i)],
};
const okta: Vendor = {
  event: [marked('eventoriginaltype|eventtype'), (values) => matching(typeIn(values), /^[a-z_]+(?:\.\w+)+$/)],
  stated: /^user\.(?:session\.start|authentication\.(?:sso|verify|auth(?!_via_mfa)\w*))$/,
  ids: [id('uuid eventtype actoralternateid|alternateid', 'uuid')],
};
const duo: Vendor = { event: [marked('txid'), typeIn], ids: [id('txid isotimestamp', 'txid')] };
const duoAdministrators: Vendor = {
  event: [marked('action isotimestamp'), named('action')],
  succeeded: /^admin_login$/,
  failed: /^admin_login_error$/,
};
const jumpcloud: Vendor = {
  event: [marked('service organization'), typeIn],
  stated: /^(?:(?:user|admin)_login_attempt|(?:radius|ldap)_auth_attempt|sso_auth|ldap_bind)$/,
  ids: [id('eventtype service organization', OWN_ID)],
};
const onelogin: Vendor = {
  event: [marked('eventtypeid'), numbered('onelogin', 'eventtypeid')],
  succeeded: /^onelogin [58]$/,
  failed: /^onelogin 6$/,
  ids: [id('eventtypeid', OWN_ID)],
};
const salesforce: Vendor = {
  event: [marked('timestampderived'), typeIn],
  stated: /^login$/,
  // Event log files, then the objects of event monitoring.
  ids: [id('timestampderived requestid', 'requestid'), id('eventdate eventidentifier', 'eventidentifier')],
};
/** Sentinel's own schema. */
const sentinel: Vendor = { event: [marked('eventresult'), typeIn], stated: /^logon$/ };
const defender: Vendor = {
  event: [marked('actiontype reportid|accountupn|accountobjectid'), named('actiontype')],
  succeeded: /^logonsuccess$/,
  failed: /^logonfailed$/,
  stated: /^logonattempted$/,
  // Some tables count anew on each device.
  ids: [id('actiontype reportid', 'reportid devicename')],
};
const auth0: Vendor = {
  event: [marked('logid useragent'), numbered('auth0', 'type')],
  succeeded: /^auth0 s$/,
  failed: /^auth0 f[pu]?$/,
  ids: [id('logid useragent', 'logid')],
};
const keycloak: Vendor = {
  event: [marked('realmid type|operationtype'), numbered('keycloak', 'type')],
  succeeded: /^keycloak (?:client_)?login$/,
  failed: /^keycloak (?:client_)?login_error$/,
  ids: [id('realmid type', OWN_ID)],
};
const cloudtrail = { ids: [id('eventversion eventsource', 'eventid')] };

/** The first whose marks a line has names its event. */
const BY_EVENT: readonly Vendor[] = [
  ...[ecs, ocsf, entra, google, okta, duo, salesforce, sentinel, jumpcloud, auth0, keycloak, onelogin],
  ...[duoAdministrators, defender, directory, unknown, googleConsole],
];

/** The first whose marks a line has gives its id, after this name. */
export const WITH_IDS = Object.entries({
  ...{ cloudtrail, google, okta, duo, entra, jumpcloud, onelogin, salesforce, defender, auth0, keycloak },
  ...{ ocsf, ecs },
}).flatMap(([vendor, { ids = [] }]) => ids.map(([marks, parts]) => [vendor, marks, parts] as const));

/** The event of a line; null in a log that only has sign-ins. */
export function eventIn(values: Values): string | null {
  for (const { event } of BY_EVENT) {
    const name = hasMarks(values, event[0]) ? event[1](values) : null;
    if (name !== null) return name;
  }
  return null;
}

/** Whether it failed, or null if another field says so; undefined if it is no sign-in. */
export function eventOf(event: string): boolean | null | undefined {
  const name = event.toLowerCase().replace(/^login_/, 'login ');
  for (const { succeeded, failed, stated } of BY_EVENT) {
    if (succeeded?.test(name)) return false;
    if (failed?.test(name)) return true;
    if (stated?.test(name)) return null;
  }
  return undefined;
}

/** Objects of which one field is of the sign-in: CloudTrail's outcome, OCSF's id, and the name of a user. */
export const LIFTED: ReadonlyMap<string, readonly [field: string, name: string]> = new Map([
  ['responseelements', ['ConsoleLogin', 'consolelogin']],
  ['metadata', ['uid', 'metadatauid']],
  ['user', ['name', 'username']],
]);

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
export const isInterruption = (column: string, text: string): boolean =>
  /^(?:signin)?error(?:code|number)$|^resulttype$/.test(column) &&
  INTERRUPTIONS.has(/^(?:aadsts)?0*(\d+)\b/.exec(text)?.[1] ?? '');

export const isAzureSignin = (values: Values): boolean =>
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

/** The sign-in calls among all calls of CloudTrail: of the console, Identity Center and the token service. */
const CLOUDTRAIL_SIGNINS =
  /^(?:consolelogin|(?:user)?authenticat(?:e|ion)|federate|switchrole|assumero(?:le|ot)(?:with\w+)?|get(?:session|federation|signin)token)$/;
const isCall = (values: Values): boolean => values.has('eventversion') && values.has('eventsource');
const callIn = (values: Values): string => String(values.get('eventname')).toLowerCase();

/** Whether a line is no sign-in, in a log whose events are not told by their names alone. */
export const isOther = (values: Values): boolean =>
  isOtherOfAzure(values) || (isCall(values) && !CLOUDTRAIL_SIGNINS.test(callIn(values)));

/** CloudTrail names an error where there is one; only sign-ins to the console state their success. */
export const isAnsweredCall = (values: Values): boolean =>
  isCall(values) &&
  callIn(values) !== 'consolelogin' &&
  !values.has('errorcode') &&
  !values.has('errormessage');
