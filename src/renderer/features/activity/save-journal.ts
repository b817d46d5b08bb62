/** The journal as a file: each entry with its targets, what was sent, and the outcomes. */
import { piecesOf, saveFile } from '#renderer/bridge/save-file.ts';
import { changedIds, journalSentence, reasonOf } from '#renderer/state/journal-words.ts';
import type { Endpoint } from '#shared/api/endpoint.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { InputOf, JournalEntry, OutputOf, WrittenFile } from '#shared/bridge/operations.ts';
import { exportTime } from '#shared/model/clock.ts';
import { plural } from '#shared/model/format.ts';
import { jsonText } from '#shared/model/json-text.ts';
import { csvRow } from '#shared/model/spreadsheet-safe.ts';

/** The entries to save: a search of the journal, all of its pages. */
export type JournalSearch = Omit<InputOf<'journal.list'>, 'before' | 'limit'>;
export type JournalFormat = 'csv' | 'ndjson';

/** A target with its own outcome; of a change that was done in part, it is unknown which targets were done. */
interface Target {
  id: string;
  name: string | null;
  recipient: string | null;
  before: string | null;
  outcome: OutputOf<'actions.targets'>['targets'][number]['state'] | JournalEntry['outcome'];
  detail: string | null;
}

const ENTRIES = 500;
const TARGETS = 10_000;
/** Characters collected before they are written. */
const CHUNK = 200_000;
/** For spreadsheets, which otherwise take UTF-8 for another charset. */
const BOM = '\uFEFF';

async function everyEntry(bridge: Bridge, search: JournalSearch): Promise<JournalEntry[]> {
  const all: JournalEntry[] = [];
  for (let before: number | null = null; ; ) {
    const page: OutputOf<'journal.list'> = await bridge.call('journal.list', {
      ...search,
      before,
      limit: ENTRIES,
    });
    all.push(...page.entries);
    before = page.next;
    if (before === null) return all;
  }
}

/** Rejects if the journal has fewer targets than the entry counts. */
async function* targetsOf(bridge: Bridge, entry: JournalEntry): AsyncGenerator<Target[]> {
  const { action, id: journalId } = entry;
  if (action === null) {
    const ids = changedIds(entry);
    yield ids.map((id) => ({
      id,
      name: ids.length === 1 ? entry.about : null,
      recipient: null,
      before: null,
      outcome: entry.outcome === 'partial' ? 'unknown' : entry.outcome,
      detail: null,
    }));
    return;
  }
  let read = 0;
  while (read < action.targets) {
    const { targets } = await bridge.call('actions.targets', {
      journalId,
      start: read,
      end: Math.min(read + TARGETS, action.targets),
    });
    if (targets.length === 0)
      throw new Error(`Only ${read} of the ${action.targets} targets of entry ${journalId} could be read.`);
    read += targets.length;
    yield targets.map(({ entityId, name, recipient, before, state, error }) => ({
      id: entityId,
      name,
      recipient,
      before,
      outcome: state,
      detail: error,
    }));
  }
}

/** Method and path of a call, or null if it is none of ours. */
type Calls = (endpoint: string) => Pick<Endpoint, 'method' | 'path'> | null;

/** The catalogue is large, and only an export needs it in the window. */
async function loadCalls(): Promise<Calls> {
  const { endpointOf, isEndpointName } = await import('#shared/api/catalogue.ts');
  return (endpoint) => (isEndpointName(endpoint) ? endpointOf(endpoint) : null);
}

/** What is said about the whole entry; `request` is JSON text without secrets. */
function factsOf(entry: JournalEntry, nameOf: (connectionId: string) => string, calls: Calls) {
  const { action, endpoint } = entry;
  const call = calls(endpoint);
  return {
    entry_id: entry.id,
    time_utc: exportTime(entry.at, 'utc'),
    actor: entry.who,
    connection: nameOf(entry.connectionId),
    connection_id: entry.connectionId,
    action: journalSentence(entry),
    outcome: entry.outcome,
    outcome_detail: entry.message,
    reason: reasonOf(entry),
    retry_of: action?.retryOf ?? null,
    undo_of: action?.undoOf ?? null,
    call: endpoint,
    method: call?.method ?? null,
    path: call?.path ?? null,
    request: entry.request,
  };
}
type Facts = ReturnType<typeof factsOf>;

const COLUMNS = [
  'entry_id',
  'time_utc',
  'actor',
  'connection',
  'connection_id',
  'action',
  'outcome',
  'outcome_detail',
  'reason',
  'retry_of',
  'undo_of',
  'call',
  'method',
  'path',
  'request',
] as const satisfies readonly (keyof Facts)[];
const TARGET_COLUMNS = [
  'id',
  'name',
  'recipient',
  'before',
  'outcome',
  'detail',
] as const satisfies readonly (keyof Target)[];

/**
 * A row for each target; an entry without targets has one row, in which they are empty. Only the first row has the
 * request, which may name every target: in each row, a thousand targets would take a thousand times the space.
 */
async function* csvOf(facts: Facts, pages: AsyncIterable<Target[]>): AsyncGenerator<string> {
  let isFirst = true;
  const row = (target: Target | null) => {
    const shown = isFirst ? facts : { ...facts, request: null };
    isFirst = false;
    return csvRow([...COLUMNS.map((id) => shown[id]), ...TARGET_COLUMNS.map((id) => target?.[id])]);
  };
  for await (const targets of pages) yield targets.map(row).join('');
  if (isFirst) yield row(null);
}

function requestOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** One line, whose `targets` is a list. */
async function* ndjsonOf(facts: Facts, pages: AsyncIterable<Target[]>): AsyncGenerator<string> {
  yield `${jsonText({ ...facts, request: requestOf(facts.request) }).slice(0, -1)},"targets":[`;
  let isFirst = true;
  for await (const targets of pages) {
    if (targets.length === 0) continue;
    yield `${isFirst ? '' : ','}${jsonText(targets).slice(1, -1)}`;
    isFirst = false;
  }
  yield ']}\n';
}

/** Rows that an entry has in the file. */
const rowsOf = (entry: JournalEntry): number =>
  Math.max(1, entry.action === null ? changedIds(entry).length : entry.action.targets);

/**
 * Asks where to save and writes every entry of the search, newest first, as it is now, or null if cancelled. `what`
 * is the search in words, for the name and the manifest; `nameOf` is the name of a connection.
 */
export async function saveJournal(
  bridge: Bridge,
  search: JournalSearch,
  format: JournalFormat,
  what: string,
  nameOf: (connectionId: string) => string,
): Promise<WrittenFile | null> {
  // Read before the dialog, which may stay open for long while the journal goes on.
  const entries = await everyEntry(bridge, search);
  const rows = format === 'csv' ? entries.reduce((sum, entry) => sum + rowsOf(entry), 0) : entries.length;
  return saveFile(
    bridge,
    `Journal ${what}.${format}`,
    format,
    { what: `Journal, ${plural(entries.length, 'change')}: ${what}`.slice(0, 300), entries: rows },
    async function* () {
      const calls = await loadCalls();
      let text =
        format === 'csv'
          ? `${BOM}${csvRow([...COLUMNS, ...TARGET_COLUMNS.map((id) => `target_${id}`)])}`
          : '';
      for (const entry of entries) {
        const facts = factsOf(entry, nameOf, calls);
        for await (const more of (format === 'csv' ? csvOf : ndjsonOf)(facts, targetsOf(bridge, entry))) {
          text += more;
          if (text.length < CHUNK) continue;
          yield* piecesOf(text);
          text = '';
        }
      }
      yield* piecesOf(text);
    },
  );
}
