/** Events in the Elastic Common Schema, nested or with dotted names, as Kibana's tables have them. */
import { isRecord } from '#shared/model/narrow.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The value of `source.ip`, under that name or nested, also partly. */
function at(record: Fields, path: string): unknown {
  if (Object.hasOwn(record, path)) return record[path];
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const inner = Object.hasOwn(record, path.slice(0, dot)) ? record[path.slice(0, dot)] : undefined;
    if (isRecord(inner)) return at(inner, path.slice(dot + 1));
  }
  return undefined;
}

/** A list, also one that a table has as `authentication, session`. */
const wordsOf = (value: unknown): string[] =>
  [value].flat().flatMap((one) => (typeof one === 'string' ? one.toLowerCase().split(/[\s,"[\]]+/) : []));

/** Actions by which the log itself names sign-ins and other events more exactly than the category does. */
const EXACT = /^(?:user\.\w|login_|logout|userlog|account_)/i;
/** Logs of which every action does so. */
const EXACT_DATASETS = /^google_workspace\./;

/** `user`: who did it. Firewalls and web servers, of which some name no category either, name none. */
function eventOf(record: Fields, user: unknown): string {
  const categories = wordsOf(at(record, 'event.category')).filter((word) => word !== '');
  if (categories.length > 0 && !categories.includes('authentication')) return 'other';
  if (wordsOf(at(record, 'event.type')).some((type) => /^(?:end|change|creation|deletion)$/.test(type)))
    return 'other';
  const action = at(record, 'event.action');
  const isExact = EXACT_DATASETS.test(String(at(record, 'event.dataset'))) || EXACT.test(String(action));
  if (typeof action === 'string' && isExact) return action;
  return categories.length === 0 && user == null ? 'other' : 'authentication';
}

/** The address, where it is known; else the name with its domain, which the schema keeps apart. */
function userOf(record: Fields): unknown {
  const [name, domain] = [[at(record, 'user.name')].flat()[0], at(record, 'user.domain')];
  const isPlain = typeof name === 'string' && name !== '' && !/[@\\]/.test(name);
  return (
    at(record, 'user.email') ??
    at(record, 'source.user.email') ??
    at(record, 'azure.signinlogs.properties.user_principal_name') ??
    at(record, 'okta.actor.alternate_id') ??
    (isPlain && typeof domain === 'string' && domain.includes('.') ? `${name}@${domain}` : name)
  );
}

/** An event's fields by the names of a sign-in log; null: not in this schema. */
export function ecsSignin(record: Fields): Fields | null {
  const timestamp = at(record, '@timestamp');
  if (timestamp === undefined) return null;
  const outcome = at(record, 'event.outcome');
  const marks = [outcome, at(record, 'event.category'), at(record, 'ecs.version')];
  if (marks.every((mark) => mark === undefined)) return null;
  const placed = (field: string): unknown =>
    at(record, `source.geo.${field}`) ?? at(record, `client.geo.${field}`) ?? at(record, `geo.${field}`);
  const username = userOf(record);
  return {
    timestamp,
    username,
    sourceip: at(record, 'source.ip') ?? at(record, 'client.ip') ?? at(record, 'source.address'),
    countryiso: placed('country_iso_code'),
    city: placed('city_name'),
    lat: placed('location.lat'),
    lon: placed('location.lon'),
    // Azure's events have interruptions as failures, and their error beside it.
    errorcode: at(record, 'azure.signinlogs.properties.status.error_code'),
    outcome,
    ecsevent: eventOf(record, username),
    ecseventid: at(record, 'event.id'),
  };
}
