import { useEffect, useMemo, useRef, useState } from 'react';
import { openActionOutcome } from '#renderer/state/action-order.ts';
import { controlJob, useJobs, whenJobEnds } from '#renderer/state/jobs.ts';
import type { ExceptionSelection } from '#renderer/state/tab-payload.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import type { OutputOf } from '#shared/bridge/operations.ts';
import { FIELD_OF_QUERY } from '#shared/exceptions/from-query.ts';
import { type PasteDefaults, type PastedRow, pastedRows } from '#shared/exceptions/paste.ts';
import type { ExceptionRule } from '#shared/exceptions/rule.ts';
import { exact, plural } from '#shared/model/format.ts';
import { foldText } from '#shared/query/text.ts';
import {
  ANTI_PHISHING,
  choiceLike,
  type ExceptionForm,
  emptyForm,
  FILE_TOOL,
  type Flags,
  typeChoices,
  withChoice,
} from './form.ts';
import { refusalOf } from './save.ts';

const TYPING_MS = 150;
/** Time slice in ms: ten thousand rows take half a second, and the window must stay responsive. */
const SLICE_MS = 8;

const NONE: readonly PastedRow[] = [];

export interface Pasted {
  text: string;
  defaults: PasteDefaults;
  flags: Flags;
  rows: readonly PastedRow[];
}

type SendableRows = readonly (PastedRow & { rule: ExceptionRule })[];

/** The rows to send if they belong to the current text and rule, or null if the rows shown are outdated. */
export const sendableRows = (
  read: Pasted,
  text: string,
  defaults: PasteDefaults,
  flags: Flags,
): SendableRows | null =>
  read.text === text && read.defaults === defaults && read.flags === flags
    ? read.rows.flatMap((row) => (row.rule === null ? [] : [{ ...row, rule: row.rule }]))
    : null;

/** Parses a paste in time slices, checking each row on its own. The previous rows stay until it is done. */
function usePasted(text: string, defaults: PasteDefaults, flags: Flags): Pasted {
  const [read, setRead] = useState<Pasted>({ text: '', defaults, flags, rows: NONE });
  const isReading = sendableRows(read, text, defaults, flags) === null;
  useEffect(() => {
    if (!isReading) return undefined;
    const rows: PastedRow[] = [];
    const source = pastedRows(text, defaults, flags);
    const slice = () => {
      const until = performance.now() + SLICE_MS;
      for (let next = source.next(); !next.done; next = source.next()) {
        rows.push(next.value);
        if (performance.now() < until) continue;
        timer = setTimeout(slice);
        return;
      }
      setRead({ text, defaults, flags, rows });
    };
    let timer = setTimeout(slice, text === '' ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [isReading, text, defaults, flags]);
  return read;
}

/** Outcomes per call. */
const PAGE = 10_000;
const UNKNOWN = 'Unknown whether it was saved: check the list before you send it again.';

type Target = OutputOf<'actions.targets'>['targets'][number];

/** Values that were not saved, each with its outcome. */
async function leftOf(journalId: number): Promise<ReadonlyMap<string, Target>> {
  const unsaved = new Map<string, Target>();
  for (let start = 0; ; start += PAGE) {
    const { targets, count } = await windowBridge().call('actions.targets', {
      journalId,
      states: ['pending', 'sending', 'failed', 'not-sent', 'unknown'],
      start,
      end: start + PAGE,
    });
    for (const target of targets) unsaved.set(target.entityId, target);
    if (targets.length === 0 || start + PAGE >= count) return unsaved;
  }
}

type OutcomeRow = Pick<PastedRow, 'line' | 'text' | 'value'>;

/**
 * The outcome of a paste, of which `rows` are all rows. `unsaved` are values that were not saved, each with its state. A
 * duplicate of a saved value does not stay, as it would be sent again.
 */
export function outcomeOf(
  sending: readonly OutcomeRow[],
  unsaved: ReadonlyMap<string, Pick<Target, 'state' | 'error'>>,
  rows: readonly OutcomeRow[],
): { saved: number; reasons: Map<string, string>; kept: string[]; isStopped: boolean } {
  const saved = new Set<string>();
  const reasons = new Map<string, string>();
  let isStopped = false;
  for (const row of sending) {
    const target = unsaved.get(row.value);
    if (target === undefined) saved.add(foldText(row.value));
    else if (target.state === 'unknown') reasons.set(row.text, UNKNOWN);
    else if (target.error !== null) reasons.set(row.text, target.error);
    isStopped ||= target?.state === 'not-sent';
  }
  const texts = rows.filter(({ value }) => !saved.has(foldText(value))).map(({ text }) => text);
  return { saved: saved.size, reasons, kept: texts, isStopped };
}

interface Sending {
  done: number;
  total: number;
}

/** A row with its validation errors or the service's refusal. */
export interface BulkRow extends PastedRow {
  reason: string | null;
}

/** The values come from the clipboard, or from a column of the selection. */
type Source = 'paste' | (string & {});

interface BulkOptions {
  connectionId: string;
  flags: Flags;
  selection: ExceptionSelection | null;
  onSaved: () => void;
  /** Nothing is left to save. */
  onDone: () => void;
}

/** The dialog was closed while sending: Activity lists what was not saved. */
function reportAfterClose(saved: number, unsaved: number, journalId: number): void {
  const title = `${plural(saved, 'exception')} saved`;
  if (unsaved === 0) showToast({ intent: 'success', title });
  else
    showToast({
      intent: 'error',
      title: `${title}, ${exact(unsaved)} not`,
      action: { label: 'Outcome', run: () => openActionOutcome(journalId) },
    });
}

interface BulkOrder {
  form: ExceptionForm;
  rule: PasteDefaults;
  rows: readonly PastedRow[];
}

/** Sends rows as a job and reports the outcome. */
function useBulkSending(
  options: BulkOptions,
  { form, rule, rows: pasted }: BulkOrder,
  /** The rows that were not saved, as text, and why, by their text. */
  onLeft: (texts: readonly string[], reasons: ReadonlyMap<string, string>) => void,
) {
  const { connectionId, onSaved, onDone } = options;
  const [outcome, setOutcome] = useState<string | null>(null);
  const [sending, setSending] = useState<Sending | null>(null);
  /** The job that is sending; it continues when the dialog closes. */
  const [jobId, setJobId] = useState<string | null>(null);
  const job = useJobs().find((job) => job.id === jobId);
  const isOpen = useRef(true);
  /** Stop was pressed before the job had an id. */
  const isStopping = useRef(false);

  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);

  async function sendRows(rows: SendableRows): Promise<void> {
    setSending({ done: 0, total: rows.length });
    isStopping.current = false;
    let unsaved: ReadonlyMap<string, Target>;
    let journalId: number;
    try {
      const order = await windowBridge().call('exceptions.create-many', {
        connectionId,
        rule,
        isExclusive: form.isExclusive,
        comment: form.comment.trim() || null,
        rows: rows.map(({ value, comment }) => (comment === null ? { value } : { value, comment })),
      });
      journalId = order.journalId;
      setJobId(order.job.id);
      if (isStopping.current) await controlJob(order.job.id, 'cancel');
      await whenJobEnds(order.job);
      unsaved = await leftOf(journalId);
    } catch (error) {
      setOutcome(refusalOf(error).message);
      return;
    } finally {
      setJobId(null);
    }
    const { saved, reasons, kept, isStopped } = outcomeOf(rows, unsaved, pasted);
    if (!isOpen.current) return reportAfterClose(saved, unsaved.size, journalId);
    onLeft(kept, reasons);
    report(saved, kept.length, isStopped);
  }

  function report(saved: number, unsaved: number, stopped = false): void {
    const words = `${plural(saved, 'exception')} saved`;
    // With rows left the dialog stays open and shows the outcome itself; a toast would cover its buttons.
    setOutcome(
      unsaved > 0 ? `${words}, ${exact(unsaved)} not saved${stopped ? ': stopped, not sent' : ''}.` : null,
    );
    if (saved > 0) onSaved();
    if (unsaved > 0 || saved === 0) return;
    showToast({ intent: 'success', title: words });
    onDone();
  }

  return {
    sending: sending && job ? { done: job.done, total: job.total ?? sending.total } : sending,
    /** The outcome of the last sending, if some rows are left. */
    outcome,
    /** Rows not sent by then stay, marked as not sent. */
    stop: () => {
      isStopping.current = true;
      if (jobId !== null)
        controlJob(jobId, 'cancel').catch((error: unknown) => setOutcome(refusalOf(error).message));
    },
    async send(rows: SendableRows): Promise<void> {
      await sendRows(rows);
      setSending(null);
    },
  };
}

export function useBulk(options: BulkOptions) {
  const { flags, selection } = options;
  const [form, setForm] = useState<ExceptionForm>(() => {
    const tool = selection?.entityType === 'file' ? FILE_TOOL : ANTI_PHISHING;
    return emptyForm(tool, typeChoices(tool, flags, null));
  });
  const [source, setSource] = useState<Source>('paste');
  const [text, setText] = useState('');
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const choices = useMemo(() => typeChoices(form.tool, flags, null), [form.tool, flags]);
  const { tool, type, list, field, matching } = form;
  const defaults = useMemo(
    () => ({ tool, type, list, field, matching }),
    [tool, type, list, field, matching],
  );
  const read = usePasted(text, defaults, flags);
  const sendable = useMemo(() => sendableRows(read, text, defaults, flags), [read, text, defaults, flags]);
  const rows = useMemo(
    (): BulkRow[] =>
      read.rows.map((row) => ({
        ...row,
        reason:
          row.errors.map(({ code, message }) => `${message} (${code})`)[0] ?? refused.get(row.text) ?? null,
      })),
    [read, refused],
  );
  const valid = rows.reduce((sum, { rule }) => sum + (rule === null ? 0 : 1), 0);

  /** Columns of the selection whose values this tool accepts. */
  const columns = Object.keys(FIELD_OF_QUERY).filter(
    (column) =>
      selection !== null &&
      Object.hasOwn(selection.values, column) &&
      choiceLike(choices, FIELD_OF_QUERY[column] ?? '', form.list),
  );
  const choose = (next: Source) => {
    setSource(next);
    const choice = choiceLike(choices, FIELD_OF_QUERY[next] ?? '', form.list);
    if (choice) setForm((now) => withChoice(now, choice));
    const values = selection?.values[next];
    if (values) setText(values.join('\n'));
  };
  const first = columns[0];
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current || first === undefined) return;
    begun.current = true;
    choose(first);
  });

  const bulk = useBulkSending(options, { form, rule: defaults, rows: read.rows }, (texts, reasons) => {
    setText(texts.join('\n'));
    setRefused(new Map([...refused, ...reasons]));
  });

  const count = sendable?.length ?? valid;
  /** False with nothing to send, or while the rows shown belong to an earlier text or rule. */
  const canSend = bulk.sending === null && count > 0 && sendable !== null;
  return {
    form,
    setForm,
    choices,
    source,
    choose,
    columns,
    text,
    setText,
    rows,
    valid,
    isReading: sendable === null,
    sending: bulk.sending,
    outcome: bulk.outcome,
    stop: bulk.stop,
    /** What would be sent now. */
    count,
    canSend,
    async send(): Promise<void> {
      if (canSend) await bulk.send(sendable);
    },
  };
}

export type Bulk = ReturnType<typeof useBulk>;
