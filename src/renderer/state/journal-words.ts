/** Describes journal entries: what was done to what. Pure. */

import type { JournalAction, JournalEntry } from '#shared/bridge/operations.ts';
import { dictionary } from '#shared/dictionary.ts';
import { ruleOf } from '#shared/exceptions/rule.ts';
import { exceptionField } from '#shared/exceptions/types.ts';
import { listLimit, matchWords } from '#shared/exceptions/words.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { REINSTATE, REPLACE, RESTORE_VERSION } from '#shared/model/query-status.ts';
import {
  countWords,
  REPORTS,
  RESPONSES,
  readTargetName,
  SERVICE_EXCEPTIONS,
} from '#shared/model/responses.ts';
import { targetWords } from '#shared/model/targets.ts';
import { canonicalTool, productIn, toolLabel } from '#shared/model/white-label.ts';

export const OUTCOME_LABELS: Readonly<Record<JournalEntry['outcome'], string>> = {
  running: 'Running',
  done: 'Done',
  partial: 'Partial',
  failed: 'Failed',
  unknown: 'Unknown, may have arrived',
};
export const OUTCOME_LOOKS: Readonly<Record<JournalEntry['outcome'], string>> = {
  running: 'pp-t2',
  done: 'pp-v-clean',
  partial: 'pp-caution',
  failed: 'pp-danger',
  unknown: 'pp-caution',
};

/** A request as recorded in the journal; fields with unexpected types are omitted from the sentence. */
type Request = Readonly<Record<string, unknown>>;
const recordOf = (value: unknown): Request =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : {};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

interface Parsed {
  params: Request;
  body: Request;
  /** Of an import: the file's name and how many of its queries were sent, or null if that was not recorded. */
  file: string;
  count: number | null;
}

function parsed(request: string): Parsed {
  try {
    const { params, body, file, count } = recordOf(JSON.parse(request));
    return {
      params: recordOf(params),
      body: recordOf(body),
      file: textOf(file),
      count: typeof count === 'number' ? count : null,
    };
  } catch {
    return { params: {}, body: {}, file: '', count: null };
  }
}

/** Why it was done, as the analyst wrote it, or null if it took no reason, or none was given. */
export function reasonOf({ action, request }: Pick<JournalEntry, 'action' | 'request'>): string | null {
  if (action !== null) return action.reason;
  const { body } = parsed(request);
  const exception = recordOf(body['exception']);
  const [reason] = [recordOf(body['data'])['reason'], body['comment'], exception['comment']]
    .map(textOf)
    .filter(Boolean);
  return reason ?? null;
}

/** Ids of what a single change was sent for, as far as its request names them; of an exception, its value. */
export function changedIds({ request }: Pick<JournalEntry, 'request'>): string[] {
  const { params, body } = parsed(request);
  const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const value = textOf(recordOf(body['exception'])['string']);
  const files = value === '' ? listed(body['files']).map((file) => recordOf(file)['entity_id']) : [];
  const ids = [
    value,
    params['id'],
    body['entity_id'],
    ...listed(body['entity_ids']),
    ...listed(body['policies_ids']),
    ...files,
  ];
  return [...new Set(ids.map(textOf).filter((id) => id !== ''))];
}

/** A tool as a request names it, with its label; "" if it names none. */
function toolOf(value: unknown): { tool: string; product: string; label: string } {
  const tool = textOf(value);
  const product = productIn([tool], '') ?? '';
  return { tool, product, label: tool === '' ? '' : toolLabel(tool, { product, name: product }) };
}

interface Call extends Parsed {
  /** The quoted name of the changed entity, or its id if the name is unknown. */
  name: (id: unknown) => string;
}

/** Verb before and after completion. */
type Verb = readonly [order: string, done: string];
const VERBS: Readonly<Record<string, Verb>> = dictionary({
  quarantine: ['Quarantine', 'Quarantined'],
  restore: ['Restore', 'Restored'],
  decline: ['Decline release of', 'Declined release of'],
  request_restore: ['Request release of', 'Requested release of'],
  delete: ['Delete', 'Deleted'],
  enable: ['Enable', 'Enabled'],
  disable: ['Disable', 'Disabled'],
  pause: ['Pause', 'Paused'],
  resume: ['Resume', 'Resumed'],
  [REINSTATE.id]: [REINSTATE.label, 'Restored status and schedule of'],
  [REPLACE.id]: [REPLACE.label, 'Replaced'],
  [RESTORE_VERSION.id]: [RESTORE_VERSION.label, 'Restored the earlier version of'],
  unschedule: ['Remove schedule of', 'Removed schedule of'],
  [SERVICE_EXCEPTIONS.id]: [SERVICE_EXCEPTIONS.label, 'Created exceptions for'],
});
/** Null if no verb is known for this action of the service; its label is shown instead. */
const verbOf = (id: string): Verb | null => VERBS[id] ?? null;
const doing = (id: string, isDone: boolean, what: string): string => {
  const verb = verbOf(id);
  return verb === null ? `${id}: ${what}` : `${verb[isDone ? 1 : 0]} ${what}`;
};

/** The rule of a request in words, or null if its type is unknown. */
function ruleIn(body: Request): string | null {
  const exception = recordOf(body['exception']);
  const { product, tool, label } = toolOf(body['sec_type']);
  const type = textOf(exception['type']);
  const string = textOf(exception['string']);
  const rule =
    string === ''
      ? null
      : ruleOf(canonicalTool(tool, product), { type, string, payload: recordOf(exception['payload']) });
  if (rule === null) return null;
  const exclusively = exception['is_exclusive'] === true ? ', exclusively' : '';
  return `${rule.list} exception${listLimit(rule)}: ${matchWords(rule)}${exclusively} (${label})`;
}

function exceptionOf({ body, name }: Call, isDone: boolean): string {
  const words = ruleIn(body);
  if (words !== null) return `${isDone ? 'Added' : 'Add'} ${words}`;
  const exception = recordOf(body['exception']);
  const type = textOf(exception['type']);
  const list =
    textOf(recordOf(exception['payload'])['list']) ||
    (/black|block|deny/i.test(type) ? 'block' : /white|allow/i.test(type) ? 'allow' : '');
  const files = Array.isArray(body['files']) ? body['files'].map(recordOf) : [];
  const [first] = files;
  const of =
    textOf(exception['string']) ||
    (files.length === 1
      ? name(first?.['entity_id'])
      : countWords(files.length, textOf(first?.['entity_type'])));
  return `${isDone ? 'Added' : 'Add'} ${list === '' ? '' : `${list} `}exception: ${of}`;
}

/** By endpoint: the sentence before and after completion. */
const CALLS: Readonly<Record<string, (call: Call, isDone: boolean) => string>> = dictionary({
  'query.save': ({ body }, isDone) => `${isDone ? 'Saved' : 'Save'} query “${textOf(body['name'])}”`,
  'query.update': ({ body }, isDone) => `${isDone ? 'Updated' : 'Update'} query “${textOf(body['name'])}”`,
  'query.delete': ({ params, name }, isDone) =>
    `${isDone ? 'Deleted' : 'Delete'} query ${name(params['id'])}`,
  'query.import': ({ file, count }, isDone) =>
    `${isDone ? 'Imported' : 'Import'} ${count === null ? 'queries' : plural(count, 'query', 'queries')} from ${file}`,
  'query.action': ({ body }, isDone) =>
    doing(textOf(body['action_id']), isDone, `results of “${textOf(body['query_label'])}”`),
  'policies.operation': ({ body, name }, isDone) => {
    const ids = Array.isArray(body['policies_ids']) ? body['policies_ids'] : [];
    const what = ids.length === 1 ? `query ${name(ids[0])}` : plural(ids.length, 'query', 'queries');
    return doing(textOf(body['operator']), isDone, what);
  },
  'policies.send-result': ({ params, name }, isDone) =>
    `${isDone ? 'Sent' : 'Send'} scheduled report ${name(params['id'])}`,
  'manual-actions.create': ({ body, name }, isDone) => {
    const ids = Array.isArray(body['entity_ids']) ? body['entity_ids'] : [];
    const type = textOf(body['entity_type']);
    const what = ids.length === 1 ? `${type} ${name(ids[0])}` : countWords(ids.length, type);
    const action = textOf(recordOf(body['data'])['action']);
    const later = textOf(body['date_trigger']);
    if (later === '') return doing(action, isDone, what);
    const order = doing(action, false, what);
    return `${isDone ? 'Scheduled' : 'Schedule'}: ${order.charAt(0).toLowerCase()}${order.slice(1)}`;
  },
  'entity.rescan': ({ body, name }, isDone) =>
    `${isDone ? 'Requested' : 'Request'} rescan of ${textOf(body['src_entity_type'])} ${name(body['entity_id'])}`,
  'email.report': ({ body, name }, isDone) => {
    const report = textOf(body['report']);
    const label = REPORTS.find(({ value }) => value === report)?.label ?? report;
    return `${isDone ? RESPONSES.report.done : RESPONSES.report.verb} as ${label.toLowerCase()}: ${name(body['entity_id'])}`;
  },
  'entity.identify': ({ body, name }) =>
    `Set identifier “${textOf(body['identifier'])}” on ${name(body['entity_id'])}`,
  'evidence.mark': ({ body, name }, isDone) => {
    const sentence = textOf(body['sentence']);
    const verb =
      body['false_positive'] === false
        ? ['Count again', 'Counted again']
        : ['Mark as false positive', 'Marked as false positive'];
    return `${verb[isDone ? 1 : 0]}: ${sentence === '' ? name(body['entity_id']) : `“${sentence}”`}`;
  },
  'exceptions.create': exceptionOf,
  'exceptions.create-external': exceptionOf,
  'parapet.fault': () => 'Internal error',
});

function ofAction(action: JournalAction, isDone: boolean, isByService: boolean): string {
  const { actionId, actionLabel, targets, counts, domain, queryLabel, retryOf, undoOf, only, params } =
    action;
  const some = isDone && counts.done < targets ? `${exact(counts.done)} of ` : '';
  const retry = retryOf !== null ? ' (retry)' : undoOf !== null ? ' (undo)' : '';
  if (domain === 'exception') return `${isDone ? 'Added' : 'Add'} ${some}${exceptionsWords(action)}${retry}`;
  const count = only?.name ? targetWords(domain, only) : `${some}${countWords(targets, domain)}`;
  const verb = verbOf(actionId);
  const verbed = (what: string) =>
    // If the service's label differs from the usual meaning of the id, the label wins.
    verb !== null && verb[0].toLowerCase() === actionLabel.toLowerCase()
      ? `${verb[isDone ? 1 : 0]} ${what}`
      : `${actionLabel}: ${what}`;
  if (domain === 'query')
    return `${verbed(targets === 1 && !only?.name ? `query “${queryLabel}”` : count)}${retry}`;
  const from = queryLabel === '' ? '' : ` from “${queryLabel}”`;
  return `${verbed(count)}${from}${isByService ? byService(params) : ''}${retry}`;
}

/** "3 allow exceptions, not spam (From domain, Anti-phishing)". */
function exceptionsWords({ actionId, targets, queryLabel, params }: JournalAction): string {
  const { product, tool, label } = toolOf(params['tool']);
  const list = actionId === 'allow' ? 'allow' : 'block';
  const limit = listLimit({ tool: canonicalTool(tool, product), type: textOf(params['type']), list });
  const field = exceptionField(textOf(params['field']))?.label;
  const by = [field, label].filter(Boolean).join(', ');
  const what =
    targets === 1
      ? `${list} exception${limit}: ${queryLabel}`
      : `${plural(targets, `${list} exception`)}${limit}`;
  return by === '' ? what : `${what} (${by})`;
}

/** The list is not known: neither the request nor the service's answer names it. */
const byService = ({ tool }: JournalAction['params']): string =>
  ` (${toolOf(tool).label}; list chosen by the service)`;

/** “Invoice overdue” to p.kaur@corp.example; without a recipient, the whole name in quotes. */
function quoted(about: string): string {
  const { name, recipient } = readTargetName(about);
  return recipient === null ? `“${about}”` : `“${name}” to ${recipient}`;
}

/**
 * The sentence of an entry: "Quarantined 93 of 96 emails". The past tense is used only for what the service did, fully
 * or partly; failed, running and unanswered entries use the imperative: "Quarantine 96 emails".
 */
export function journalSentence(
  entry: Pick<JournalEntry, 'endpoint' | 'request' | 'about' | 'outcome' | 'action'>,
): string {
  const isDone = entry.outcome === 'done' || entry.outcome === 'partial';
  if (entry.action !== null)
    return visibleText(ofAction(entry.action, isDone, entry.endpoint === 'exceptions.create'));
  const say = CALLS[entry.endpoint];
  const name = (id: unknown) => (entry.about === null ? textOf(id) || 'unnamed' : quoted(entry.about));
  const call = { ...parsed(entry.request), name };
  return visibleText(say === undefined ? `Called ${entry.endpoint}` : say(call, isDone));
}

/** "140 done, 3 failed, 8 not sent". */
export function outcomeWords(counts: Readonly<Partial<Record<string, number>>>): string {
  const parts = [
    [counts['done'], 'done'],
    [counts['failed'], 'failed'],
    [counts['not-sent'], 'not sent'],
    [counts['unknown'], 'unknown'],
    [(counts['pending'] ?? 0) + (counts['sending'] ?? 0), 'pending'],
  ] as const;
  return parts.flatMap(([count, word]) => (count ? [`${exact(count)} ${word}`] : [])).join(', ');
}
