/** Events in the Elastic Common Schema, nested or with dotted names, as Kibana's tables have them. */
import { isRecord } from '#shared/model/narrow.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The value of `source.ip`, under that name or nested, also partly. */
function valueAt(record: Fields, path: string): unknown {
  if (Object.hasOwn(record, path)) return record[path];
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const inner = Object.hasOwn(record, path.slice(0, dot)) ? record[path.slice(0, dot)] : undefined;
    if (isRecord(inner)) return valueAt(inner, path.slice(dot + 1));
  }
  return undefined;
}

/** A list, also one that a table has as `authentication, session`. */
const wordsOf = (value: unknown): string[] =>
  [value].flat().flatMap((word) => (typeof word === 'string' ? word.toLowerCase().split(/[\s,"[\]]+/) : []));

/** Actions by which the log itself names sign-ins and other events more exactly than the category does. */
const EXACT = /^(?:user\.\w|login_|logout|userlog|account_)/i;
/** Logs of which every action does so. */
const EXACT_DATASETS = /^google_workspace\./;

/** Firewalls and web servers, of which some name no category either, name no `user` who did it. */
function eventOf(record: Fields, user: unknown): string {
  const categories = wordsOf(valueAt(record, 'event.category')).filter((word) => word !== '');
  if (categories.length > 0 && !categories.includes('authentication')) return 'other';
  if (wordsOf(valueAt(record, 'event.type')).some((type) => /^(?:end|change|creation|deletion)$/.test(type)))
    return 'other';
  const action = valueAt(record, 'event.action');
  const isExact = EXACT_DATASETS.test(String(valueAt(record, 'event.dataset'))) || EXACT.test(String(action));
  if (typeof action === 'string' && isExact) return action;
  return categories.length === 0 && user == null ? 'other' : 'authentication';
}

/** The address, where it is known; else the name with its domain, which the schema keeps apart. */
function userOf(record: Fields): unknown {
  const [name, domain] = [[valueAt(record, 'user.name')].flat()[0], valueAt(record, 'user.domain')];
  const isPlain = typeof name === 'string' && name !== '' && !/[@\\]/.test(name);
  return (
    valueAt(record, 'user.email') ??
    valueAt(record, 'source.user.email') ??
    valueAt(record, 'azure.signinlogs.properties.user_principal_name') ??
    valueAt(record, 'okta.actor.alternate_id') ??
    (isPlain && typeof domain === 'string' && domain.includes('.') ? `${name}@${domain}` : name)
  );
}

/** An event's fields by the names of a sign-in log, or null if it is not in this schema. */
export function ecsSignin(record: Fields): Fields | null {
  const timestamp = valueAt(record, '@timestamp');
  if (timestamp === undefined) return null;
  const outcome = valueAt(record, 'event.outcome');
  const marks = [outcome, valueAt(record, 'event.category'), valueAt(record, 'ecs.version')];
  if (marks.every((mark) => mark === undefined)) return null;
  const placed = (field: string): unknown =>
    valueAt(record, `source.geo.${field}`) ??
    valueAt(record, `client.geo.${field}`) ??
    valueAt(record, `geo.${field}`);
  const username = userOf(record);
  return {
    timestamp,
    username,
    sourceip:
      valueAt(record, 'source.ip') ?? valueAt(record, 'client.ip') ?? valueAt(record, 'source.address'),
    countryiso: placed('country_iso_code'),
    city: placed('city_name'),
    lat: placed('location.lat'),
    lon: placed('location.lon'),
    // Azure's events have interruptions as failures, and their error beside it.
    errorcode: valueAt(record, 'azure.signinlogs.properties.status.error_code'),
    outcome,
    ecsevent: eventOf(record, username),
    ecseventid: valueAt(record, 'event.id'),
  };
}
