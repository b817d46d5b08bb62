import { Button } from '@blueprintjs/core';
import { Import } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { type ImportOutcome, type ImportPlan, importQueries } from '../query-files.ts';
import { chosenOf, defaultChoices, type ImportChoice } from './import-choices.ts';
import { ImportRow } from './import-row.tsx';

/** More would make the dialog slow; the rest keeps its default choice. */
const SHOWN = 500;

/** What a file would bring, before anything is sent: chosen per query. */
export function ImportDialog(props: {
  plan: ImportPlan;
  onDone: (outcome: ImportOutcome) => void;
  onClose: () => void;
}): JSX.Element {
  const { plan, onDone, onClose } = props;
  const [choices, setChoices] = useState(() => defaultChoices(plan.queries));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<BridgeError | null>(null);
  const chosen = chosenOf(choices);
  const count = (state: string) => plan.queries.filter((query) => query.state === state).length;
  const figures = (['new', 'changed', 'same', 'invalid'] as const)
    .filter((state) => count(state) > 0)
    .map((state) => `${exact(count(state))} ${state}`);
  const send = () => {
    if (chosen.length === 0 || busy) return;
    setBusy(true);
    importQueries(plan.importId, chosen).then(onDone, (reason: unknown) => {
      setBusy(false);
      setError(toBridgeError(reason));
    });
  };
  const choose = (index: number, choice: ImportChoice) => setChoices(new Map(choices).set(index, choice));
  return (
    <Dialog
      isOpen
      size="wide"
      title={`Import from ${visibleText(plan.name)}`}
      icon={<Import size={14} />}
      onClose={onClose}
      onConfirm={send}
      footNote={<span className="pp-t2">{figures.join(' · ')}. Nothing is sent yet.</span>}
      actions={
        <>
          <Button text="Cancel" onClick={onClose} />
          <Button
            intent="primary"
            text={
              chosen.length === 0 ? 'Nothing chosen' : `Import ${plural(chosen.length, 'query', 'queries')}`
            }
            disabled={chosen.length === 0}
            loading={busy}
            endIcon={<Kbd keys="Ctrl Enter" />}
            onClick={send}
          />
        </>
      }
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
        {plan.queries.slice(0, SHOWN).map((query) => (
          <ImportRow
            key={query.index}
            query={query}
            choice={choices.get(query.index) ?? 'skip'}
            onChoose={(choice) => choose(query.index, choice)}
          />
        ))}
      </div>
      {plan.queries.length > SHOWN ? (
        <p className="pp-small pp-t2">
          and {exact(plan.queries.length - SHOWN)} more, of which new ones are imported and all others left
          out.
        </p>
      ) : null}
    </Dialog>
  );
}
