import { useEffect, useMemo, useRef, useState } from 'react';
import { holdReads } from '#renderer/bridge/read-store.ts';
import type { ExceptionSelection } from '#renderer/state/exception-selection.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { endpointOf } from '#shared/api/catalogue.ts';
import { FIELD_OF_QUERY } from '#shared/exceptions/from-query.ts';
import type { PastedRow } from '#shared/exceptions/paste.ts';
import { exact } from '#shared/model/format.ts';
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
import { refusalOf, saveOfEntities, saveRule } from './save.ts';
import { sendableRows, usePasted } from './use-pasted.ts';

/** Requests at once: enough to hide the way there and back, few enough for any service. */
const AT_ONCE = 4;

export interface Sending {
  done: number;
  total: number;
}

/** A row with what is wrong with it: its own mistakes, or the service's refusal. */
export interface BulkRow extends PastedRow {
  reason: string | null;
}

/** The values come from the clipboard, from a column of the selection, or are left to the service. */
export type Source = 'paste' | 'service' | (string & {});

export function useBulk(options: {
  connectionId: string;
  product: string;
  flags: Flags;
  selection: ExceptionSelection | null;
  /** Something was saved. */
  onSaved: () => void;
  /** Nothing is left to save. */
  onDone: () => void;
}) {
  const { connectionId, product, flags, selection, onSaved, onDone } = options;
  const [form, setForm] = useState<ExceptionForm>(() => {
    const tool = selection?.entityType === 'file' ? FILE_TOOL : ANTI_PHISHING;
    return emptyForm(tool, typeChoices(tool, flags, null));
  });
  const [source, setSource] = useState<Source>('paste');
  const [text, setText] = useState('');
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const [outcome, setOutcome] = useState<string | null>(null);
  const [sending, setSending] = useState<Sending | null>(null);
  const stop = useRef<AbortController | null>(null);
  const choices = useMemo(() => typeChoices(form.tool, flags, null), [form.tool, flags]);

  useEffect(() => () => stop.current?.abort(), []);

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

  /** Columns of the selection that this tool takes values of. */
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

  async function sendRows(sending: NonNullable<typeof sendable>): Promise<void> {
    const controller = new AbortController();
    stop.current = controller;
    const waiting = [...sending];
    const total = waiting.length;
    const saved = new Set<number>();
    const reasons = new Map(refused);
    setSending({ done: 0, total });
    const worker = async () => {
      for (let row = waiting.shift(); row && !controller.signal.aborted; row = waiting.shift()) {
        try {
          const comment = row.comment ?? form.comment;
          await saveRule(connectionId, product, row.rule, { comment, isExclusive: form.isExclusive });
          saved.add(row.line);
        } catch (error) {
          const { message, error: failure } = refusalOf(error);
          reasons.set(row.text, message);
          // Nothing else would arrive either: what was not sent stays as it is.
          if (['offline', 'forbidden', 'unauthorized'].includes(failure.code)) controller.abort();
        }
        setSending({ done: total - waiting.length, total });
      }
    };
    const release = holdReads(connectionId, endpointOf('exceptions.create-external').invalidates);
    await Promise.all(Array.from({ length: AT_ONCE }, worker)).finally(release);
    const left = text.split(/\r\n|\r|\n/).filter((_, index) => !saved.has(index + 1));
    const kept = left.filter((line) => line.trim() !== '');
    setText(kept.join('\n'));
    setRefused(reasons);
    tell(saved.size, kept.length, controller.signal.aborted);
  }

  async function sendEntities(): Promise<void> {
    if (selection === null || selection.entityType === null) return;
    const { entityType, entityIds } = selection;
    setSending({ done: 0, total: entityIds.length });
    try {
      const { saved, failed } = await saveOfEntities(connectionId, product, form.tool, entityType, entityIds);
      setEntityFailures(failed);
      tell(saved.length, failed.length);
    } catch (error) {
      const { message } = refusalOf(error);
      setEntityFailures(entityIds.map((entityId) => ({ entityId, reason: message })));
    }
  }
  const [entityFailures, setEntityFailures] = useState<{ entityId: string; reason: string }[]>([]);

  function tell(saved: number, left: number, stopped = false): void {
    const words = `${exact(saved)} ${saved === 1 ? 'exception' : 'exceptions'} saved`;
    // The dialog stays while something does: it says so itself, a toast would lie over its buttons.
    setOutcome(
      left > 0
        ? `${words}, ${exact(left)} ${left === 1 ? 'stays' : 'stay'}${stopped ? ': stopped, not sent' : ''}.`
        : null,
    );
    if (saved > 0) onSaved();
    if (left > 0 || saved === 0) return;
    showToast({ intent: 'success', title: words });
    onDone();
  }

  const byService = source === 'service';
  const count = byService ? (selection?.entityIds.length ?? 0) : (sendable?.length ?? valid);
  /** Nothing to send, or what is on show is still of another text or rule. */
  const canSend = sending === null && count > 0 && (byService || sendable !== null);
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
    sending,
    entityFailures,
    /** What the last sending left, in words. */
    outcome,
    /** What would be sent now. */
    count,
    canSend,
    stop: () => stop.current?.abort(),
    async send(): Promise<void> {
      if (!canSend) return;
      if (byService) await sendEntities();
      else if (sendable !== null) await sendRows(sendable);
      setSending(null);
    },
  };
}

export type Bulk = ReturnType<typeof useBulk>;
