import { Button } from '@blueprintjs/core';
import { Cross } from '@blueprintjs/icons';
import { type JSX, type ReactNode, useEffect, useRef, useState } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { openEmail } from '#renderer/state/navigation.ts';
import { openTab } from '#renderer/state/tabs.ts';
import { Confirming } from '#renderer/ui/confirming.tsx';
import { ConfirmButton } from '#renderer/ui/dialog.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { exceptionField } from '#shared/exceptions/types.ts';
import { listLimit, ruleWords } from '#shared/exceptions/words.ts';
import { defang } from '#shared/model/defang.ts';
import { plural, visibleText } from '#shared/model/format.ts';
import { type Branding, toolLabel } from '#shared/model/white-label.ts';
import { BlastPanel } from './blast-panel.tsx';
import { CommentFields, FurtherFields, RuleFields, ValueField } from './editor-fields.tsx';
import type { Editing } from './editor-store.ts';
import { type EntryRow, entryRow } from './entry.ts';
import { type Flags, withChoice } from './form.ts';
import { NotSaved, SaveDialog } from './save-dialog.tsx';
import { type Editor, useEditor } from './use-editor.ts';

const SHOWN = 12;

function NotLoaded({ children, onRetry }: { children: ReactNode; onRetry: () => void }): JSX.Element {
  return (
    <p className="pp-exc-hint" role="status">
      {children} <LinkButton onClick={onRetry}>Retry</LinkButton>
    </p>
  );
}

/** Values of the entity to create an entry from, as listed by the service; the form also works without them. */
function EntityOptions({ editor, product }: { editor: Editor; product: string }): JSX.Element | null {
  const { form, choices, change } = editor;
  const { from } = form;
  const request =
    from === null || product === '' ? null : { params: { product, type: from.type, id: from.entityId } };
  const allow = useRead('exceptions.options', form.list === 'allow' ? request : null);
  const block = useRead('exceptions.blacklist-options', form.list === 'block' ? request : null);
  const { data, error, loading, refresh } = form.list === 'allow' ? allow : block;
  if (from === null) return null;
  if (data === undefined)
    return error && !loading ? (
      <NotLoaded onRetry={refresh}>
        Other values of this {from.type} could not be loaded: {error.message}
      </NotLoaded>
    ) : null;
  const offered = data.options.flatMap(({ field, label, value }) => {
    const choice = choices.find((choice) => choice.list === form.list && choice.field === field);
    return choice && typeof value === 'string' && value !== '' ? [{ choice, label, value }] : [];
  });
  if (offered.length === 0) return null;
  return (
    <fieldset className="pp-exc-options">
      <legend>Values of this {from.type}</legend>
      {offered.slice(0, SHOWN).map(({ choice, label, value }) => {
        const text = exceptionField(choice.field)?.kind === 'url' ? defang(value) : visibleText(value);
        return (
          <button
            key={`${choice.key} ${value}`}
            type="button"
            aria-pressed={choice.field === form.field && value === form.value}
            title={`${label}: ${text}`}
            onClick={() => change({ ...withChoice(form, choice), value })}
          >
            <span className="pp-t3">{label}</span> <span className="pp-mono">{text}</span>
          </button>
        );
      })}
    </fieldset>
  );
}

const EVERY_APP = 'all';

export function EditorPanel(props: {
  connectionId: string;
  branding: Branding;
  flags: Flags;
  editing: Editing;
  /** Shows a listed entry instead of the form; the form keeps its input. */
  onShow: (row: EntryRow) => void;
  onSaved: () => void;
}): JSX.Element {
  const { connectionId, branding, flags, editing, onShow, onSaved } = props;
  const editor = useEditor(connectionId, branding, flags, editing);
  const { form, rule, problems, isValid, blast, known, notes, served } = editor;
  const [saving, setSaving] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const { began } = editing;
  // A new form takes the focus at its value, so that a prefilled one can be changed at once.
  useEffect(() => {
    if (began) root.current?.querySelector<HTMLElement>('.pp-mono-input input')?.focus();
  }, [began]);

  const preview = () => {
    if (editing.isSending) return;
    editor.attempt();
    if (isValid) setSaving(true);
    else root.current?.querySelector<HTMLElement>('[aria-invalid="true"], .pp-mono-input input')?.focus();
  };
  const saved = () => {
    setSaving(false);
    showToast({ intent: 'success', title: 'Exception saved', detail: ruleWords(rule) });
    onSaved();
  };
  const openFrom = () => {
    const { from } = form;
    if (from?.type === 'email') openEmail(EVERY_APP, from.entityId, from.title);
    else if (from) openTab({ screen: 'file', saas: EVERY_APP, entityId: from.entityId, title: from.title });
  };
  const showOther = (id: string) => {
    const entry = known.entries.get(id);
    if (entry) onShow(entryRow(entry, 0, branding.product, form.tool));
  };
  const wrong = problems.size;
  return (
    <div ref={root} className="pp-exc-editor">
      <Confirming onConfirm={preview}>
        <header className="pp-exc-side-header">
          <h2 className="pp-heading">{`New ${form.list} rule${listLimit(form)}`}</h2>
          <span className="pp-t3 pp-ellipsis pp-spacer">{toolLabel(form.tool, branding)}</span>
          <IconButton icon={<Cross size={14} />} label="Close editor" onClick={editor.close} />
        </header>
        <div className="pp-exc-side-body">
          <div className="pp-exc-form">
            {editing.refusal && !saving ? <NotSaved refusal={editing.refusal} /> : null}
            <RuleFields editor={editor} branding={branding} flags={flags} />
            {served.error && !served.loading ? (
              <NotLoaded onRetry={served.refresh}>
                The types that the service supports could not be loaded: {served.error.message} All known
                types are offered.
              </NotLoaded>
            ) : null}
            <ValueField editor={editor} onOpen={openFrom} />
            <EntityOptions editor={editor} product={branding.product} />
            <FurtherFields editor={editor} flags={flags} />
            <CommentFields editor={editor} />
          </div>
          <BlastPanel
            blast={blast}
            rule={rule}
            isValid={isValid}
            notes={notes}
            isWhole={known.isWhole}
            onShow={showOther}
          />
        </div>
        <footer className="pp-exc-side-footer">
          <span className="pp-t3 pp-small pp-spacer" role="status">
            {editing.isSending
              ? 'Saving…'
              : wrong === 0
                ? (editor.cannotSend ?? '')
                : `${plural(wrong, 'field needs', 'fields need')} fixing`}
          </span>
          <Button text="Cancel" onClick={editor.close} />
          <ConfirmButton
            text="Preview and save"
            disabled={wrong > 0 || editing.isSending}
            onClick={preview}
          />
        </footer>
      </Confirming>
      {saving ? (
        <SaveDialog editor={editor} branding={branding} onClose={() => setSaving(false)} onSaved={saved} />
      ) : null}
    </div>
  );
}
