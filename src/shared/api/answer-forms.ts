/** Converts forms of responses that the specification allows into those of the catalogue, call by call. */
import { dictionary } from '#shared/dictionary.ts';
import { isRecord } from '../model/narrow.ts';
import { columnsForm, queryForm } from '../query/query-form.ts';
import { queriesWithDisabled } from '../query/switched-off.ts';
import { EVERY_SAAS } from './catalogue/queries.ts';
import {
  addressesOf,
  type Defaults,
  each,
  type Fields,
  isBlank,
  isNothing,
  isText,
  spelledOtherwise,
} from './repair.ts';

/** Parts of the request that a response may omit. */
export interface Asked {
  params?: Readonly<Record<string, unknown>> | undefined;
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
}

type Form = (value: unknown, request: Asked) => unknown;

// Changes.

const DONE_WORD =
  /^\s*(ok|success|successful|done|accepted|created|updated|deleted|saved|queued|pending)\s*$/i;
/** Fields that may report a failure although the status confirms the change. */
const TELLS = ['error', 'errors', 'failed', 'failure', 'failures', 'status', 'result', 'outcomes', 'code'];

const isGood = (value: unknown): boolean =>
  isNothing(value) ||
  value === true ||
  value === 0 ||
  (typeof value === 'number' && value >= 200 && value < 300) ||
  (isText(value) && (value === '' || DONE_WORD.test(value)));

/** A service that accepted the request has confirmed the change, unless its response may mean something else. */
export function CHANGED(value: unknown): unknown {
  if (typeof value === 'boolean') return { success: value };
  if (isNothing(value) || (isText(value) && DONE_WORD.test(value))) return { success: true };
  if (Array.isArray(value)) {
    const isReport = value.every(
      (entry) => isRecord(entry) && !('success' in entry) && TELLS.every((key) => isGood(entry[key])),
    );
    return isReport ? { success: true, rows: value } : value;
  }
  if (!isRecord(value) || ('success' in value && value['success'] !== null)) return value;
  const isFailed = value['error'] === false || value['errors'] === false;
  const answer = isFailed ? { ...value, error: null, errors: null } : value;
  return TELLS.every((key) => isGood(answer[key])) ? { ...value, success: true } : value;
}

/** The saved query: the sent one, overlaid with the response. */
function savedQuery(value: unknown, { params, body }: Asked): unknown {
  if (!isRecord(body) || value === false || (isRecord(value) && value['success'] === false)) return value;
  if (isRecord(value) && !TELLS.slice(0, 5).every((key) => isGood(value[key]))) return value;
  const { success: _, ...answer } = isRecord(value) ? value : idAlone(value);
  const id = answer['id'] ?? answer['query_id'] ?? answer['queryId'] ?? params?.['id'];
  const { scheduledExport } = body;
  // The password is write-only, so it is not part of the saved query.
  const schedule = isRecord(scheduledExport) ? { ...scheduledExport, password: undefined } : scheduledExport;
  return queryForm({ ...body, scheduledExport: schedule, ...answer, id });
}

const idAlone = (value: unknown): Fields =>
  (isText(value) && !DONE_WORD.test(value)) || typeof value === 'number' ? { id: String(value) } : {};

// Queries.

const queriesForm: Form = (value) => {
  const list = Array.isArray(value) ? value : isRecord(value) ? (value['queries'] ?? value['rows']) : null;
  if (!Array.isArray(list)) return value;
  return { ...(isRecord(value) ? value : {}), queries: each(list, queryForm) };
};

// Query config.

const allowedForm = (value: unknown): unknown => {
  if (isBlank(value)) return null;
  if (isRecord(value))
    return Object.entries(value).map(([key, label]) => ({ value: key, label: String(label) }));
  if (!Array.isArray(value)) return value;
  return value.map((entry: unknown) => {
    if (!isRecord(entry)) return { value: entry, label: String(entry) };
    return { ...entry, label: entry['label'] ?? String(entry['value']) };
  });
};

const idsForm = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((entry: unknown) => (isRecord(entry) ? entry['id'] : entry))
    : (value ?? []);

function operatorForm(operator: Fields): Fields {
  const label = operator['label'] ?? operator['id'];
  const template = operator['template'];
  // If the arity is missing: an operator takes a value if its template has a placeholder for one.
  const arity = operator['arity'] ?? (isText(template) && !template.includes('{value}') ? 0 : 1);
  const words = Number(arity) === 0 ? `{field} ${String(label)}` : `{field} ${String(label)} {value}`;
  return { ...operator, label, arity, template: template ?? words };
}

const configForm: Form = (value) => {
  if (!isRecord(value)) return value;
  // In the specification only columns have labels.
  const columns = new Map(
    (Array.isArray(value['columns']) ? value['columns'] : [])
      .filter(isRecord)
      .map((column): [unknown, unknown] => [column['id'], column['label']]),
  );
  return {
    ...value,
    operators: each(value['operators'], operatorForm),
    fields: each(value['fields'], (field) => ({
      ...field,
      label: field['label'] ?? columns.get(field['id']) ?? field['id'],
      dbId: field['dbId'] ?? spelledOtherwise(field, 'dbId') ?? field['id'],
      operators: idsForm(field['operators']),
      multiValues: field['multiValues'] ?? spelledOtherwise(field, 'multiValues'),
      allowedValues: allowedForm(field['allowedValues'] ?? spelledOtherwise(field, 'allowedValues')),
    })),
    columns: columnsForm(value['columns'] ?? []),
    conditions: suggestions(value['conditions'] ?? []),
    actions: each(value['actions'] ?? [], (action) => ({
      ...action,
      label: action['label'] ?? action['id'],
    })),
  };
};

/** One condition for each operator that is named with its label. */
const suggestions = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.flatMap((entry: unknown) => {
        const operators = isRecord(entry) && entry['operator'] === undefined ? entry['operators'] : null;
        if (!isRecord(entry) || !Array.isArray(operators)) return [entry];
        return operators.map((operator: unknown) => ({
          ...entry,
          operator: isRecord(operator) ? operator['id'] : operator,
          label: isRecord(operator) ? (operator['label'] ?? operator['id']) : operator,
        }));
      })
    : value;

// Profiles.

function mailboxOf(value: unknown): unknown {
  if (!isText(value)) return value;
  const [first] = addressesOf(value);
  return first === undefined ? null : { name: first.name === '' ? null : first.name, email: first.address };
}

/** Null if not recorded. */
function mailboxesOf(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const list = isText(value)
    ? addressesOf(value).map(({ address, name }) => ({ email: address, name }))
    : value;
  return (Array.isArray(list) ? list : [list]).map(mailboxOf).filter((mailbox) => mailbox !== null);
}

/** A flag alone, or an empty object for "nothing recorded". */
const flagged = (value: unknown, flag: string): unknown => {
  if (typeof value === 'boolean') return { [flag]: value };
  if (isNothing(value)) return null;
  return isRecord(value) && value[flag] === undefined
    ? { ...value, [flag]: value[`is_${flag}`] ?? spelledOtherwise(value, flag) }
    : value;
};

/** Quarantine, restore and decline of an entity. If the service reports a restore, its missing flags are false. */
function restoreForm(value: Fields): Fields {
  const restore = flagged(value['restore_info'], 'requested');
  const isRestored = isRecord(restore) && restore['restored'] === true;
  return {
    quarantine_info: flagged(value['quarantine_info'], 'quarantined'),
    restore_info: isRecord(restore)
      ? {
          ...restore,
          restored: restore['restored'] ?? false,
          requested: restore['requested'] ?? (isRestored ? false : undefined),
        }
      : restore,
    decline_info: flagged(value['decline_info'], 'declined'),
  };
}

/** The app in the path of the request; null if the request was for all apps. */
const appAsked = (params: Asked['params']): unknown =>
  params?.['saas'] === EVERY_SAAS ? null : (params?.['saas'] ?? null);

function emailForm(value: unknown, { query, params }: Asked): unknown {
  if (!isRecord(value)) return value;
  const { workflow } = value;
  return {
    ...value,
    ...restoreForm(value),
    entity_id: value['entity_id'] ?? spelledOtherwise(value, 'entity_id') ?? query?.['entity_id'],
    saas: value['saas'] ?? appAsked(params),
    subject: value['subject'] ?? '',
    from: mailboxOf(value['from'] ?? null),
    sender: mailboxOf(value['sender']),
    to: mailboxesOf(value['to']),
    cc: mailboxesOf(value['cc']),
    bcc: mailboxesOf(value['bcc']),
    delivered_to: mailboxesOf(value['delivered_to']),
    workflow: isRecord(workflow) ? (workflow['name'] ?? workflow['label'] ?? workflow) : workflow,
    report_phishing_info: flagged(value['report_phishing_info'], 'reported'),
  };
}

/** Flags under the specification's names. */
const FILE_FLAGS: readonly (readonly [string, RegExp])[] = [
  ['is_quarantined', /^(is_?)?quarantined?$/i],
  ['is_vault', /^(is_?|in_?)?vault(ed)?$/i],
  ['is_deleted', /^(is_?)?deleted$/i],
  ['is_shared_externally', /^(is_?)?shared_?externally$/i],
  ['is_shared_publicly', /^(is_?)?shared_?publicly$/i],
];

function fileFlags(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const read = { ...value };
  for (const [flag, names] of FILE_FLAGS) {
    if (typeof read[flag] === 'boolean') continue;
    const name = Object.keys(read).find((key) => names.test(key) && typeof read[key] === 'boolean');
    if (name === undefined) continue;
    read[flag] = read[name];
    delete read[name];
  }
  return read;
}

const fileForm: Form = (value, { query, params }) => {
  if (!isRecord(value)) return value;
  return {
    ...value,
    entity_id: value['entity_id'] ?? spelledOtherwise(value, 'entity_id') ?? query?.['entity_id'],
    saas: value['saas'] ?? appAsked(params),
    title: value['title'] ?? value['name'] ?? '',
    quarantine_info: flagged(value['quarantine_info'], 'quarantined'),
  };
};

const permissionForm = (permission: Fields): Fields => {
  const flags = ['view', 'download', 'edit', 'delete', 'preview', 'upload', 'invite', 'share'].map(
    (right): [string, unknown] => {
      const name = `can_${right}`;
      // Null if the service does not say.
      return [name, permission[name] ?? spelledOtherwise(permission, name) ?? permission[right] ?? null];
    },
  );
  const { username, email, roles } = permission;
  const userId = permission['userId'] ?? spelledOtherwise(permission, 'userId') ?? email ?? username;
  return { ...permission, ...Object.fromEntries(flags), userId, roles: roles ?? [] };
};

/** Folds line breaks in a value; otherwise the text after one would be a header that was never sent. */
const folded = (text: string): string => text.replace(/\r\n?|\n/g, '\r\n').replace(/\r\n(?![ \t])/g, '\r\n ');

/** One header line for each name and value. */
function headerLines(value: unknown): string | null {
  const pairs = Array.isArray(value)
    ? value.map((header: unknown) => (isRecord(header) ? [header['name'], header['value']] : [null, header]))
    : isRecord(value)
      ? Object.entries(value).flatMap(([name, entry]) => [entry].flat().map((text) => [name, text]))
      : [];
  const lines = pairs.map(([name, text]) => {
    if (!isText(text)) return null;
    const line = folded(text.trimEnd());
    if (name === null) return line;
    return isText(name) && /^[!-9;-~]+$/.test(name) ? `${name}: ${line}` : null;
  });
  return lines.length === 0 || lines.includes(null) ? null : `${lines.join('\r\n')}\r\n`;
}

const headersForm: Form = (value) => {
  if (isText(value)) return { raw: value };
  const inner = isRecord(value) ? (value['headers'] ?? value['email_headers']) : undefined;
  const raw = isText(inner) ? inner : headerLines(inner ?? value);
  return raw === null ? value : { raw };
};

const HTML = /<(?:!doctype|html|head|body|p|div|br|table|span|a)\b[^<>]*>/i;
const bodyOf = (text: string): Fields => (HTML.test(text) ? { html: text } : { text });

/** A body under the name of its call; the schema would read it as an email without a body. */
function bodyForm(value: unknown): unknown {
  if (isText(value)) return bodyOf(value);
  if (!isRecord(value) || isText(value['html']) || isText(value['text'])) return value;
  const text = ['body', 'email_body', 'message_body', 'content'].map((key) => value[key]).find(isText);
  return text === undefined ? value : { ...value, ...bodyOf(text) };
}

const single =
  (name: string, isOne: (value: unknown) => boolean): Form =>
  (value) =>
    isOne(value) ? { [name]: value } : value;

const isNumeric = (value: unknown): boolean =>
  typeof value === 'number' || (isText(value) && /^\d+$/.test(value));

/** Applied before the schema, which would accept the response but drop these fields. */
export const PREPARED: Readonly<Record<string, (value: unknown) => unknown>> = dictionary({
  'email.body': bodyForm,
  'entity.message-body': bodyForm,
  'file.profile': fileFlags,
  'query.list': queriesWithDisabled,
  'query.get': queriesWithDisabled,
  'query.save': queriesWithDisabled,
  'query.update': queriesWithDisabled,
});

const rowsForm =
  (change: (record: Fields) => Fields): Form =>
  (value) =>
    Array.isArray(value)
      ? { rows: each(value, change) }
      : isRecord(value)
        ? { ...value, rows: each(value['rows'], change) }
        : value;

export const FORMS: Readonly<Record<string, Form>> = dictionary<Form>({
  'query.list': queriesForm,
  'query.get': (value) => (isRecord(value) ? queryForm(value) : value),
  'query.save': savedQuery,
  'query.update': savedQuery,
  'query.config': configForm,
  'query.execute': (value) =>
    isRecord(value)
      ? { ...value, search_after: value['search_after'] ?? spelledOtherwise(value, 'search_after') }
      : value,
  'email.profile': emailForm,
  'file.profile': fileForm,
  'entity.permissions': rowsForm(permissionForm),
  'email.recipients': (value) => {
    const list = Array.isArray(value) ? value : isRecord(value) ? value['rows'] : null;
    if (!Array.isArray(list)) return value;
    return {
      ...(isRecord(value) ? value : {}),
      rows: list.map((entry: unknown) => {
        if (isText(entry)) return { email: entry };
        return isRecord(entry) ? { ...entry, kind: entry['kind'] ?? entry['type'] } : entry;
      }),
    };
  },
  'email.headers': headersForm,
  'entity.get': (value, { params }) =>
    isRecord(value) ? { ...value, entity_id: value['entity_id'] ?? value['id'] ?? params?.['id'] } : value,
  'entity.props': (value) => (isRecord(value) ? { ...value, ...restoreForm(value) } : (value ?? {})),
  'entity.quarantine-restorable': (value) => {
    if (typeof value === 'boolean') return { restorable: value };
    if (!isRecord(value)) return value;
    return {
      ...value,
      restorable: value['restorable'] ?? value['is_quarantine_restorable'] ?? value['is_restorable'],
    };
  },
  'apps.statistics': statisticsForm,
  'findings.links': linksForm,
  'email.similar-count': single('count', isNumeric),
  'file.matched': single('success', (value) => typeof value === 'boolean'),
  'logins.heat-map': (value) => {
    if (isText(value)) return { data: value };
    if (!isRecord(value)) return value;
    return {
      ...value,
      data: value['data'] ?? value['rows'] ?? ('data' in value || 'rows' in value ? '' : undefined),
    };
  },
  'query.import': (value) => {
    if (!isRecord(value)) return value;
    const { imported, error } = value;
    const isCount = isNumeric(imported);
    return {
      ...value,
      imported: isCount || typeof imported === 'boolean' ? [] : (imported ?? []),
      ...(isCount ? { imported_count: Number(imported) } : {}),
      error: error === false || isNothing(error) || error === '' ? [] : error,
    };
  },
});

const NAME_OF_APP = ['name', 'app', 'app_name', 'saas', 'module', 'tool', 'sec_type', 'id'];

/** Counts as a list, or as an object by app; fields about the whole are kept beside them. */
function statisticsForm(value: unknown): unknown {
  const named = (app: Fields): Fields => ({ ...app, name: firstText(app, NAME_OF_APP) });
  if (Array.isArray(value)) return { apps: each(value, named) };
  if (!isRecord(value) || value['apps'] !== undefined) {
    return isRecord(value) ? { ...value, apps: each(value['apps'], named) } : value;
  }
  const [list, ...others] = ['rows', 'data', 'results', 'statistics'].filter((key) =>
    Array.isArray(value[key]),
  );
  if (list !== undefined && others.length === 0) return { ...value, apps: each(value[list], named) };
  const counts = Object.entries(value).filter(
    (entry): entry is [string, Fields] =>
      isRecord(entry[1]) && entry[0] !== 'previous' && isNumeric(entry[1]['scanned'] ?? entry[1]['found']),
  );
  if (counts.length === 0) return value;
  const names = new Set(counts.map(([name]) => name));
  return {
    ...Object.fromEntries(Object.entries(value).filter(([key]) => !names.has(key))),
    apps: counts.map(([name, count]) => ({ ...count, name })),
  };
}

/** Links by the id of their finding. */
function linksForm(value: unknown): unknown {
  if (!isRecord(value) || Array.isArray(value['rows'])) return value;
  const links = isRecord(value['links']) ? value['links'] : value;
  const rows = Object.entries(links).map(([id, link]) =>
    isRecord(link) ? { id, ...link } : { id, url: link },
  );
  return rows.every(({ url }: Fields) => isText(url) && /^https?:/i.test(url)) ? { rows } : value;
}

const label = (holder: Fields): unknown => holder['name'] ?? holder['title'] ?? holder['id'];
/** The value of the first of these names that the row has, or undefined if it has none of them. */
const firstText = (row: Fields, names: readonly string[]): unknown =>
  names
    .map((name) => row[name] ?? spelledOtherwise(row, name))
    .find((value) => isText(value) || isNumeric(value));
const under =
  (...names: string[]) =>
  (row: Fields): unknown =>
    firstText(row, names);
const TOOL = under('sec_type', 'tool', 'tool_name', 'sec_tool', 'app_name', 'app', 'name');
const TIME = under('timestamp', 'event_time', 'created_at', 'date');
/** Rows of an email's lists: absent texts are empty, and no row is left out. */
const none = () => '';

export const DEFAULTS: Readonly<Record<string, Defaults>> = dictionary<Defaults>({
  'email.recipients': { 'rows.*.kind': none, 'rows.*.email': under('address', 'recipient', 'user_email') },
  // Without an id an attachment can be read, not downloaded.
  'email.attachments': {
    'rows.*.name': (file) => firstText(file, ['file_name', 'title']) ?? '',
    'rows.*.entity_id': (file) => firstText(file, ['id', 'file_id']) ?? '',
  },
  'email.conversation': { 'rows.*.subject': none, 'rows.*.entity_id': under('id') },
  'email.splits': { 'rows.*.subject': none, 'rows.*.entity_id': under('id') },
  'file.events': {
    'rows.*.summary': (event) => firstText(event, ['description', 'message', 'type', 'event', 'event_type']),
    'rows.*.type': (event) => firstText(event, ['event_type', 'event', 'action', 'name']) ?? '',
    'rows.*.time': TIME,
  },
  // A tool with a result for an entity applies to it.
  'scan.details': { 'rows.*.applicable': () => true, 'rows.*.tool': TOOL },
  'scan.clicks': {
    'rows.*.click_time': under('time', 'clicked_at', 'timestamp', 'date'),
    'rows.*.user': under('email', 'user_email', 'username', 'recipient'),
    'rows.*.url': under('link', 'original_url'),
  },
  'scan.exceptions-status': { 'rows.*.status': () => 'unknown', 'rows.*.sec_type': TOOL },
  'apps.list': {
    'rows.*.label': label,
    'rows.*.state': () => 'unknown',
    'rows.*.is_saas': (app) => app['family'] === 'saas',
  },
  'findings.list': { 'rows.*.title': label },
  'findings.widgets': { 'rows.*.label': label },
  'exceptions.search': { 'rows.*.string': none },
  'exceptions.search2': { 'rows.*.string': none },
  'exceptions.options': { 'options.*.label': (option) => option['field'] },
  'exceptions.blacklist-options': { 'options.*.label': (option) => option['field'] },
  'exceptions.combo-options': { 'types.*.label': (type) => type['id'] },
});

/** Responses whose fields are independent of each other. */
export const KEEPS_ASIDE: ReadonlySet<string> = new Set(['email.profile', 'file.profile', 'apps.list']);
