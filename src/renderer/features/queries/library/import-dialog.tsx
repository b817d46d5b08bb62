import { Button, Checkbox, ProgressBar } from '@blueprintjs/core';
import { Import } from '@blueprintjs/icons';
import { type JSX, useMemo, useState } from 'react';
import { useAct } from '#renderer/bridge/use-call.ts';
import { openActionOutcome } from '#renderer/state/action-order.ts';
import { ConfirmDialog, Dialog } from '#renderer/ui/dialog.tsx';
import { Select } from '#renderer/ui/form/field.tsx';
import { GlyphClean, GlyphError } from '#renderer/ui/glyphs.tsx';
import type { PlannedQuery } from '#shared/bridge/operations.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { queryFieldLabel } from '#shared/query/import-plan.ts';
import { DomainIcon } from '../../../ui/domain-icon.tsx';
import { IMPORT_LABELS, type ImportChoice, PLANNED_LABELS } from '../labels.ts';
import {
  type Comparing,
  type ImportChoices,
  type ImportOutcome,
  type ImportPlan,
  importQueries,
} from '../query-files.ts';

/** Import options of a query, the default first: saved queries change only if explicitly chosen. */
export function choicesOf({ state, match }: PlannedQuery): ImportChoice[] {
  if (state === 'invalid') return ['skip'];
  if (state === 'new') return ['new', 'skip'];
  return state === 'changed' && match ? ['skip', 'replace', 'new'] : ['skip', 'new'];
}

export const defaultChoices = (queries: readonly PlannedQuery[]): ReadonlyMap<number, ImportChoice> =>
  new Map(queries.map((query) => [query.index, choicesOf(query)[0] ?? 'skip']));

/** What is sent, in the order of the file. */
export const chosenOf = (choices: ReadonlyMap<number, ImportChoice>): ImportChoices =>
  [...choices].flatMap(([index, as]) => (as === 'skip' ? [] : [{ index, as }]));

function ImportRow(props: {
  query: PlannedQuery;
  choice: ImportChoice;
  /** It is to run as in the file. */
  runs: boolean;
  onRuns: (runs: boolean) => void;
  onChoose: (choice: ImportChoice) => void;
}): JSX.Element {
  const { query, choice, runs, onRuns, onChoose } = props;
  const choices = choicesOf(query);
  return (
    <div className="pp-plan" data-state={query.state}>
      <div className="pp-plan-head">
        <span className={`pp-plan-state pp-plan-${query.state}`}>{PLANNED_LABELS[query.state]}</span>
        {query.domain ? <DomainIcon domain={query.domain} /> : null}
        <span className="pp-ellipsis pp-spacer" title={query.label}>
          {visibleText(query.label)}
        </span>
        {choices.length > 1 ? (
          <Select
            aria-label={`Action for ${query.label}`}
            value={choice}
            options={choices.map((value) => ({ value, label: IMPORT_LABELS[value] }))}
            onChange={onChoose}
          />
        ) : null}
      </div>
      {query.reason ? <p className="pp-small pp-danger">{visibleText(query.reason)}</p> : null}
      {query.match && query.match.name !== query.label ? (
        <p className="pp-small pp-t2">Saved as “{visibleText(query.match.name)}”.</p>
      ) : null}
      {query.acts ? <p className="pp-small pp-caution">{visibleText(query.acts.words)}</p> : null}
      {query.acts?.running && choice !== 'skip' ? (
        <Checkbox
          label="Run it as soon as it is imported; otherwise it arrives stopped"
          checked={runs}
          onChange={({ currentTarget }) => onRuns(currentTarget.checked)}
        />
      ) : null}
      {query.changes.length > 0 ? (
        <dl className="pp-plan-diff">
          {query.changes.map(({ field, before, after }) => (
            <div key={field}>
              <dt>{queryFieldLabel(field)}</dt>
              <dd>
                <del>{visibleText(before)}</del>
                <ins>{visibleText(after)}</ins>
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {query.warnings.map((warning) => (
        <p key={warning} className="pp-small pp-caution">
          {visibleText(warning)}
        </p>
      ))}
    </div>
  );
}

function Done({ title, labels }: { title: string; labels: readonly string[] }): JSX.Element | null {
  if (labels.length === 0) return null;
  return (
    <section>
      <div className="pp-caption pp-t3">{title}</div>
      {[...new Set(labels)].map((label) => (
        <div key={label} className="pp-import-row">
          <span className="pp-v-clean">
            <GlyphClean size={14} label={title} />
          </span>
          <span className="pp-wrap-anywhere">{visibleText(label)}</span>
        </div>
      ))}
    </section>
  );
}

/** The outcome of an import: imported queries, and failed ones with reasons (specification section 8). */
export function ImportOutcomeDialog({
  outcome,
  onClose,
}: {
  outcome: ImportOutcome;
  onClose: () => void;
}): JSX.Element {
  const { imported, replaced, failed, journalId } = outcome;
  const count = imported.length + replaced.length;
  return (
    <Dialog
      title={
        failed.length === 0
          ? `Imported ${plural(count, 'query', 'queries')}`
          : `Imported ${exact(count)} of ${plural(count + failed.length, 'query', 'queries')}`
      }
      icon={<Import size={14} />}
      onClose={onClose}
      onConfirm={onClose}
      actions={
        <>
          {journalId === null || replaced.length === 0 ? null : (
            <Button
              text="Undo replacing…"
              onClick={() => {
                onClose();
                openActionOutcome(journalId);
              }}
            />
          )}
          <Button intent="primary" text="Close" onClick={onClose} />
        </>
      }
    >
      {failed.length > 0 ? (
        <section>
          <div className="pp-caption pp-t3">Failed</div>
          {failed.map(({ label, reason }) => (
            <div key={`${label} ${reason}`} className="pp-import-row">
              <span className="pp-danger">
                <GlyphError size={14} label="Failed" />
              </span>
              <span className="pp-wrap-anywhere">
                {visibleText(label)} <span className="pp-t2">{visibleText(reason)}</span>
              </span>
            </div>
          ))}
        </section>
      ) : null}
      <Done title="Replaced" labels={replaced} />
      <Done title="Imported" labels={imported} />
    </Dialog>
  );
}

/** How far the comparison with the saved queries is; closing it cancels. */
export function ComparingDialog({
  read,
  total,
  cancel,
  onClose,
}: Comparing & { onClose: () => void }): JSX.Element {
  const stop = () => {
    cancel();
    onClose();
  };
  return (
    <Dialog
      size="narrow"
      title="Comparing with the saved queries"
      icon={<Import size={14} />}
      onClose={stop}
      footNote={
        <span role="status">
          {exact(read)} of {exact(total)}
        </span>
      }
      actions={<Button text="Cancel" onClick={stop} />}
    >
      <ProgressBar value={read / total} animate={false} stripes={false} />
      <p className="pp-small pp-t2">Nothing is sent.</p>
    </Dialog>
  );
}

/** Rows added at a time: thousands at once would make the dialog slow. */
const ROWS = 500;

/** Queries that act by themselves first, so that none of them is imported unseen; otherwise in the order of the file. */
const actingFirst = (queries: readonly PlannedQuery[]): PlannedQuery[] =>
  queries.toSorted((a, b) => Number(b.acts !== null) - Number(a.acts !== null));

/** The import plan of a file, with an option per query; nothing is sent before it is confirmed. */
export function ImportDialog(props: {
  plan: ImportPlan;
  onDone: (outcome: ImportOutcome) => void;
  onClose: () => void;
}): JSX.Element {
  const { plan, onDone, onClose } = props;
  const [choices, setChoices] = useState(() => defaultChoices(plan.queries));
  const [running, setRunning] = useState<ReadonlySet<number>>(new Set());
  const [shown, setShown] = useState(ROWS);
  const queries = useMemo(() => actingFirst(plan.queries), [plan.queries]);
  const unseen = queries.slice(shown);
  const acting = unseen.filter(({ acts }) => acts !== null).length;
  const chosen = chosenOf(choices).map((query) =>
    running.has(query.index) ? { ...query, running: true } : query,
  );
  const count = (state: string) => plan.queries.filter((query) => query.state === state).length;
  const figures = (['new', 'changed', 'same', 'invalid'] as const)
    .filter((state) => count(state) > 0)
    .map((state) => `${exact(count(state))} ${PLANNED_LABELS[state].toLowerCase()}`);
  const { run, pending, error } = useAct(async () => onDone(await importQueries(plan.importId, chosen)));
  const send = () => {
    if (chosen.length > 0 && !pending) void run();
  };
  const choose = (index: number, choice: ImportChoice) => setChoices(new Map(choices).set(index, choice));
  return (
    <ConfirmDialog
      size="wide"
      title={`Import from ${visibleText(plan.name)}`}
      icon={<Import size={14} />}
      onClose={onClose}
      onConfirm={send}
      footNote={<span className="pp-t2">{figures.join(' · ')}. Nothing is sent yet.</span>}
      confirm={{
        text:
          chosen.length === 0 ? 'Nothing selected' : `Import ${plural(chosen.length, 'query', 'queries')}`,
        disabled: chosen.length === 0,
        loading: pending,
      }}
    >
      {error ? (
        <p className="pp-danger" role="alert">
          {error.message}
        </p>
      ) : null}
      {plan.notes.map((note) => (
        <p key={note} className="pp-small pp-t2">
          {visibleText(note)}
        </p>
      ))}
      <div className="pp-import-list">
        {queries.slice(0, shown).map((query) => (
          <ImportRow
            key={query.index}
            query={query}
            runs={running.has(query.index)}
            onRuns={(runs) =>
              setRunning(
                new Set(
                  runs ? [...running, query.index] : [...running].filter((index) => index !== query.index),
                ),
              )
            }
            choice={choices.get(query.index) ?? 'skip'}
            onChoose={(choice) => choose(query.index, choice)}
          />
        ))}
      </div>
      {unseen.length > 0 ? (
        <p className="pp-row pp-small pp-t2">
          and {exact(unseen.length)} more{acting > 0 ? `, ${exact(acting)} of which act by themselves` : ''}:
          new ones are imported, the rest skipped.
          <Button
            size="small"
            text={`Show ${exact(Math.min(ROWS, unseen.length))} more`}
            onClick={() => setShown(shown + ROWS)}
          />
        </p>
      ) : null}
    </ConfirmDialog>
  );
}
