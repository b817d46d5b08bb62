/** IOCs of rows to the clipboard: deduplicated, typed, defanged; the toast offers them raw. */

import { readOnce } from '#renderer/bridge/use-read.ts';
import { currentConnection } from '#renderer/state/connection.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { LocalFilter, ResultColumn } from '#shared/bridge/operations.ts';
import { typedIocList } from '#shared/model/copy-as.ts';
import type { Cell } from '#shared/model/entities.ts';
import { plural } from '#shared/model/format.ts';
import { extractIocs, type Ioc, iocList, iocSummary } from '#shared/model/ioc.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import { COPY_FAILED } from '../labels.ts';
import { EVERY_APP } from '../query-run.ts';
import { isOwnSide } from './result-columns.tsx';
import type { Selection } from './selection.ts';

const KINDS: readonly string[] = ['email', 'domain', 'url', 'ip', 'hash'];
const CHUNK = 5000;

const indicatorColumns = (columns: readonly ResultColumn[]) =>
  columns.flatMap((column, index) =>
    KINDS.includes(fieldTypeOf(column.type)) && !isOwnSide(column) ? [{ ...column, index }] : [],
  );

function* texts(value: Cell | undefined): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const one of value) yield* texts(one);
}

/** Up to this many emails have their links and attachments read too; more would take too long for a copy. */
const READ_MOST = 20;

/** Links and hashes of a few emails; how many could not be read. */
async function readContents(
  emails: readonly { saas: string; id: string }[],
): Promise<{ found: string[]; missed: number }> {
  const bridge = windowBridge();
  const connection = currentConnection();
  if (!connection) return { found: [], missed: emails.length };
  const answers = await Promise.allSettled(
    emails.map(async ({ saas, id }) => {
      const request = { params: { saas }, query: { entity_id: id } };
      const [profile, attachments] = await Promise.all([
        readOnce(bridge, connection.id, 'email.profile', request),
        readOnce(bridge, connection.id, 'email.attachments', request),
      ]);
      return [
        ...(profile.data.links ?? []).map(({ url }) => url),
        ...attachments.data.rows.flatMap(({ md5, sha1, sha256 }) => [md5, sha1, sha256]),
      ].filter((text) => typeof text === 'string');
    }),
  );
  return {
    found: answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])),
    missed: answers.filter(({ status }) => status === 'rejected').length,
  };
}

interface Collected {
  found: string[];
  rows: number;
  /** What the copy leaves out. */
  note: string;
}

async function collect(
  resultId: string,
  columns: readonly ResultColumn[],
  selection: Selection,
  filter: LocalFilter,
  isEmail: boolean,
): Promise<Collected> {
  const bridge = windowBridge();
  const wanted = indicatorColumns(columns);
  const found: string[] = [];
  const emails: { saas: string; id: string }[] = [];
  let rows = 0;
  if (selection.mode === 'some') {
    const ids = [...selection.ids];
    for (let start = 0; start < ids.length; start += CHUNK) {
      const entityIds = ids.slice(start, start + CHUNK);
      const answer = await bridge.call('results.rows', { resultId, entityIds });
      rows += answer.rows.length;
      for (const row of answer.rows) {
        for (const column of wanted) found.push(...texts(row[column.id]));
        if (typeof row['entity_id'] === 'string')
          emails.push({
            id: row['entity_id'],
            saas: typeof row['saas'] === 'string' ? row['saas'] : EVERY_APP,
          });
      }
    }
    if (!isEmail) return { found, rows, note: '' };
    if (emails.length > READ_MOST)
      return { found, rows, note: '; links and attachments not included for this many' };
    const contents = await readContents(emails);
    const note = contents.missed > 0 ? `; links and attachments of ${contents.missed} could not be read` : '';
    return { found: [...found, ...contents.found], rows, note };
  }
  for (let start = 0; ; start += CHUNK) {
    const page = await bridge.call('results.page', { resultId, start, end: start + CHUNK, filter });
    for (const row of page.rows) {
      if (selection.ids.has(String(row[0]))) continue;
      rows += 1;
      for (const column of wanted) found.push(...texts(row[column.index + 1]));
    }
    if (page.rows.length < CHUNK || start + CHUNK >= page.loaded)
      return { found, rows, note: isEmail ? '; links and attachments not included for this many' : '' };
  }
}

export interface IocForm {
  defanged: boolean;
  /** Each with its type in front. */
  typed: boolean;
}

const textOf = (iocs: readonly Ioc[], { defanged, typed }: IocForm) =>
  typed ? typedIocList(iocs, defanged) : iocList(iocs, defanged);

/** Copies the IOCs of the selected rows. */
export async function copyIocs(
  resultId: string,
  columns: readonly ResultColumn[],
  selection: Selection,
  filter: LocalFilter,
  isEmail: boolean,
  form: IocForm = { defanged: true, typed: false },
): Promise<void> {
  const bridge = windowBridge();
  try {
    const { found, rows, note } = await collect(resultId, columns, selection, filter, isEmail);
    const iocs = extractIocs(found);
    if (iocs.length === 0) {
      showToast({ intent: 'caution', title: `No IOCs found in ${plural(rows, 'row')}` });
      return;
    }
    await bridge.call('clipboard.write', { text: textOf(iocs, form) });
    showToast({
      intent: 'success',
      title: `${plural(iocs.length, 'IOC')} copied, ${form.defanged ? 'defanged' : 'raw'}`,
      detail: `${iocSummary(iocs)}, from ${plural(rows, 'row')}${note}`,
      ...(form.defanged ? { action: copyRaw(iocs, form) } : {}),
    });
  } catch (error) {
    showToast({ intent: 'error', title: COPY_FAILED, detail: toBridgeError(error).message });
  }
}

const copyRaw = (iocs: readonly Ioc[], form: IocForm) => ({
  label: 'Copy raw',
  run: () =>
    void windowBridge()
      .call('clipboard.write', { text: textOf(iocs, { ...form, defanged: false }) })
      .then(
        () => showToast({ intent: 'success', title: `${plural(iocs.length, 'IOC')} copied raw` }),
        (error: unknown) =>
          showToast({ intent: 'error', title: COPY_FAILED, detail: toBridgeError(error).message }),
      ),
});
