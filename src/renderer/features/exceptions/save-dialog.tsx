import type { JSX } from 'react';
import { ConfirmDialog, Figures } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { listLimit, ruleWords } from '#shared/exceptions/words.ts';
import { plural } from '#shared/model/format.ts';
import { type Branding, toolLabel } from '#shared/model/white-label.ts';
import { RuleNotes, ServiceCount, VerdictShares } from './blast-panel.tsx';
import { cleanIn, foundIn, isBlind, mailboxesWords, uncheckedWords, verdictWords } from './labels.ts';
import { isInDoubt, type SaveRefusal } from './save.ts';
import type { Editor } from './use-editor.ts';

/** Why the exception was not saved; without a response, it may have been. */
export const NotSaved = ({ refusal }: { refusal: SaveRefusal }): JSX.Element => (
  <ErrorBar
    error={{ ...refusal.error, message: refusal.message }}
    notKnown={`${isInDoubt(refusal) ? '' : 'Not saved. '}Your input is kept.`}
  />
);

/** Confirmation before an exception is saved: the rule in words, its past matches, its duplicates and conflicts. */
export function SaveDialog(props: {
  editor: Editor;
  branding: Branding;
  onClose: () => void;
  onSaved: () => void;
}): JSX.Element {
  const { editor, branding, onClose, onSaved } = props;
  const { rule, blast, cannotSend, notes, known, editing } = editor;
  const { radius } = blast;
  const noun = `${rule.list} rule${listLimit(rule)}`;
  const save = async () => {
    if (cannotSend !== null || blast.loading) return;
    if (await editor.save()) onSaved();
  };
  return (
    <ConfirmDialog
      title={`New ${noun}`}
      onClose={onClose}
      onConfirm={() => void save()}
      footNote={cannotSend ?? 'Logged in Activity. Exceptions can’t be deleted.'}
      closeText="Back"
      confirm={{
        text: `Save 1 ${noun}`,
        loading: editing.isSending,
        disabled: cannotSend !== null || blast.loading,
      }}
    >
      <div className="pp-exc-save">
        {editing.refusal ? <NotSaved refusal={editing.refusal} /> : null}
        <p className="pp-wrap-anywhere">
          <b>{toolLabel(rule.tool, branding)}:</b> {ruleWords(rule)}
          {editor.form.isExclusive ? ', exclusively' : ''}.
        </p>
        {radius === null || isBlind(radius) ? (
          <p className="pp-caution">Not checked: no data on this machine to compare with this rule.</p>
        ) : (
          <>
            <Figures
              figures={[
                { label: 'matching emails, 6 months', value: radius.matches, accent: true },
                { label: 'mailboxes', value: mailboxesWords(radius) },
                { label: 'found, suspicious or spam', value: verdictWords(radius, foundIn(radius)) },
                { label: 'clean', value: verdictWords(radius, cleanIn(radius)) },
              ]}
            />
            <VerdictShares radius={radius} />
            <p className="pp-t3 pp-small">
              Based on {plural(radius.checked.emails, 'email')} in {plural(radius.checked.results, 'result')}{' '}
              on this machine.
            </p>
          </>
        )}
        {radius ? <ServiceCount rule={rule} radius={radius} /> : null}
        <RuleNotes notes={notes} radius={radius} list={rule.list} isWhole={known.isWhole} />
        {radius && radius.unchecked.length > 0 ? (
          <div>
            <h3 className="pp-small pp-strong">Not checked</h3>
            <ul className="pp-exc-plain">
              {uncheckedWords(radius).map((words) => (
                <li key={words}>{words}</li>
              ))}
            </ul>
          </div>
        ) : null}
      </div>
    </ConfirmDialog>
  );
}
