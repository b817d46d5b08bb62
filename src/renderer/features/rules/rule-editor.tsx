import { Checkbox } from '@blueprintjs/core';
import { Code } from '@blueprintjs/icons';
import { type JSX, useEffect, useMemo, useRef, useState } from 'react';
import { CommandButton, useCommands } from '#renderer/commands/command.tsx';
import { hint, RULE_EDITOR } from '#renderer/commands/keys.ts';
import { useTab, useTabStatus } from '#renderer/state/tab-context.ts';
import { setTabDirty } from '#renderer/state/tabs.ts';
import { ConfirmButton } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { SelectField, TextField } from '#renderer/ui/form/field.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { visibleText } from '#shared/model/format.ts';
import { effective } from '#shared/query/tree.ts';
import type { Problem } from '#shared/query/validate.ts';
import { ruleConfig } from '#shared/rules/conditions.ts';
import {
  RULE_KIND_LABELS,
  RULE_NAME_MAX,
  RULE_SENTENCE_MAX,
  type RuleHead,
  type RuleKind,
} from '#shared/rules/rule.ts';
import { ADD_KEYS } from '../queries/builder/add-keys.ts';
import { ConditionsEditor, NoConditions } from '../queries/builder/conditions-editor.tsx';
import { useQueryConfig } from '../queries/use-config.ts';
import { type Editing, editForm, isUnsaved, markEditing } from './editor-store.ts';
import { saveRule } from './rule-actions.ts';
import { RuleEffect } from './rule-effect.tsx';
import { conditionProblems, lineProblem } from './rule-form.ts';
import { RuleText } from './rule-text.tsx';
import { SeverityField } from './severity-field.tsx';
import { TextEffect } from './text-effect.tsx';
import type { RuleRow } from './use-rules.ts';
import { useTextCheck } from './use-text-check.ts';

const KINDS = (Object.keys(RULE_KIND_LABELS) as RuleKind[]).map((value) => ({
  value,
  label: RULE_KIND_LABELS[value],
}));
const NO_CONDITION = 'Add a condition: a rule needs at least one.';
const HINTS = [hint('save', RULE_EDITOR.save), hint('leave', RULE_EDITOR.cancel)];
const NO_PROBLEMS: readonly Problem[] = [];

/** Everything about the form that stands beside its fields. */
function useProblems({ form, attempted, refusal, isTextWhole }: Editing) {
  const config = useQueryConfig(form.kind === 'conditions' ? 'email' : null, null);
  const isConditions = form.kind === 'conditions';
  const { condition } = form;
  const conditions = useMemo(
    () => (config.data && isConditions ? conditionProblems(condition, config.data) : NO_PROBLEMS),
    [config.data, isConditions, condition],
  );
  const check = useTextCheck(form.kind, isTextWhole ? form.text : '');
  const name = lineProblem(form, 'name');
  const sentence = lineProblem(form, 'sentence');
  const isEmpty = isConditions
    ? effective(condition).conditions.length === 0
    : isTextWhole && form.text.trim() === '';
  const uncounted = isEmpty
    ? 'No conditions yet'
    : config.data === undefined
      ? 'The fields of queries are not known yet'
      : (conditions[0]?.message ?? null);
  const isComplete = isConditions ? uncounted === null : !isEmpty && check.result?.problem == null;
  const refusedText = refusal?.code === 'invalid-input' ? refusal.message : null;
  return {
    config,
    check,
    conditions,
    name: attempted ? name : null,
    sentence: attempted ? sentence : null,
    text: (attempted && isEmpty ? (isConditions ? NO_CONDITION : 'Enter its text') : null) ?? refusedText,
    uncounted,
    isValid: isComplete && name === null && sentence === null,
  };
}

type Problems = ReturnType<typeof useProblems>;

function HeadFields({ editing, problems }: { editing: Editing; problems: Problems }): JSX.Element {
  const { form, rule } = editing;
  return (
    <div className="ru-fields">
      <TextField
        label="Name"
        problem={problems.name}
        value={form.name}
        maxLength={RULE_NAME_MAX}
        aria-invalid={problems.name !== null}
        data-first-focus
        onValueChange={(name) => editForm({ name })}
      />
      <SelectField
        label="Kind"
        fill
        value={form.kind}
        options={KINDS}
        disabled={rule !== null}
        onChange={(kind) => editForm({ kind })}
      />
      <SeverityField severity={form.severity} onChange={(severity) => editForm({ severity })} />
      <div className="ru-sentence">
        <TextField
          label="Sentence"
          note="The reason that its hits show."
          problem={problems.sentence}
          value={form.sentence}
          maxLength={RULE_SENTENCE_MAX}
          aria-invalid={problems.sentence !== null}
          onValueChange={(sentence) => editForm({ sentence })}
        />
      </div>
    </div>
  );
}

function ConditionFields({ editing, problems }: { editing: Editing; problems: Problems }): JSX.Element {
  const [raw, setRaw] = useState(false);
  const { condition } = editing.form;
  const { config, conditions, text } = problems;
  // Rows show their own problems.
  const unplaced = conditions.find(({ path }) => raw || path.length === 0);
  const offered = useMemo(() => config.data && ruleConfig(config.data, condition), [config.data, condition]);
  if (offered === undefined) return <NoConditions config={config} />;
  return (
    <section aria-label="Conditions">
      <div className="ru-conditions-head">
        <span className="pp-t2 pp-small">Conditions</span>
        <IconButton
          small
          icon={<Code size={12} />}
          label={raw ? 'Edit as rows' : 'Edit as JSON'}
          active={raw}
          onClick={() => setRaw(!raw)}
        />
      </div>
      <ConditionsEditor
        tree={condition}
        config={offered}
        problems={conditions}
        raw={raw}
        none="No conditions."
        onEdit={(change) => editForm({ condition: change(condition) })}
      />
      {text === null && unplaced === undefined ? null : (
        <small className="pp-danger" role="alert">
          {text ?? visibleText(unplaced?.message ?? '')}
        </small>
      )}
    </section>
  );
}

/** What others did meanwhile, and what a save would do to it. */
function Cautions({ editing, rows }: { editing: Editing; rows: readonly RuleRow[] }): JSX.Element | null {
  const { rule, form } = editing;
  const now = rows.find((row) => row.rule.id === rule?.id)?.rule;
  const namesake = rows.some(
    (row) => row.rule.id !== rule?.id && row.rule.kind === form.kind && row.rule.name === form.name.trim(),
  );
  const isChanged = rule !== null && now !== undefined && now.changedAt !== rule.changedAt;
  if (!isChanged && !namesake) return null;
  return (
    <p className="pp-small pp-caution pp-flat" role="status">
      {isChanged ? 'This rule was changed elsewhere since you opened it: saving replaces that. ' : ''}
      {namesake ? 'Another rule of this kind has the same name.' : ''}
    </p>
  );
}

/** A value that is being typed becomes one when its field loses the focus; the library sees that a frame later. */
async function commitTyped(): Promise<void> {
  const { activeElement: field } = document;
  if (!(field instanceof HTMLElement) || field.closest('.pp-qb-tags') === null) return;
  field.blur();
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

/** The editor of a rule, in the place of the list. */
export function RuleEditor(props: {
  editing: Editing;
  rows: readonly RuleRow[];
  /** Keys work: no dialog is open. */
  hasKeys: boolean;
  onCancel: () => void;
  onSaved: (rule: RuleHead) => void;
}): JSX.Element {
  const { editing, rows, hasKeys, onCancel, onSaved } = props;
  const { rule, form, began, refusal, isSaving, isTextWhole } = editing;
  const { tabId } = useTab();
  const root = useRef<HTMLDivElement>(null);
  const problems = useProblems(editing);
  const isDirty = isUnsaved(editing);
  useEffect(() => {
    setTabDirty(tabId, isDirty);
    return () => setTabDirty(tabId, false);
  }, [tabId, isDirty]);
  // A form that was begun elsewhere, as from a reason, takes the focus as well; one that is being edited keeps it.
  useEffect(() => {
    const { current } = root;
    if (began && !current?.contains(document.activeElement))
      current?.querySelector<HTMLElement>('input')?.focus();
  }, [began]);
  const latest = useRef(problems);
  latest.current = problems;
  const save = async () => {
    await commitTyped();
    markEditing({ attempted: true });
    if (!latest.current.isValid)
      return requestAnimationFrame(() =>
        root.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-add="condition"]')?.focus(),
      );
    const saved = await saveRule();
    if (saved !== null) onSaved(saved);
  };
  useTabStatus({ hints: HINTS });
  const cancel = { ...RULE_EDITOR.cancel, label: 'Cancel', run: onCancel };
  useCommands(
    [
      { ...RULE_EDITOR.save, run: () => void save() },
      cancel,
      ...(form.kind === 'conditions' ? ADD_KEYS : []),
    ],
    hasKeys,
  );
  return (
    <div ref={root} className="pp-three-panes ru-editor">
      <PageHeader
        title={rule === null ? 'New rule' : 'Edit rule'}
        actions={
          <>
            <CommandButton command={cancel} />
            <ConfirmButton text="Save" loading={isSaving} onClick={() => void save()} />
          </>
        }
      />
      {refusal === null || refusal.code === 'invalid-input' ? null : (
        <ErrorBar error={refusal} notKnown="Not saved. Your input is kept." />
      )}
      <div className="ru-body pp-scroll">
        <HeadFields editing={editing} problems={problems} />
        {form.kind === 'conditions' ? (
          <ConditionFields editing={editing} problems={problems} />
        ) : (
          <RuleText
            kind={form.kind}
            text={form.text}
            isWhole={isTextWhole}
            problem={problems.text}
            check={problems.check}
            onChange={(text) => editForm({ text })}
          />
        )}
        <Checkbox
          label="Enabled"
          checked={form.isEnabled}
          onChange={({ currentTarget }) => editForm({ isEnabled: currentTarget.checked })}
        />
        <Cautions editing={editing} rows={rows} />
        {form.kind === 'conditions' ? (
          <RuleEffect
            name={form.name}
            condition={form.condition}
            saved={rule === null ? null : began.condition}
            problem={problems.uncounted}
          />
        ) : (
          isTextWhole && (
            <TextEffect
              kind={form.kind}
              text={form.text}
              ruleId={rule?.id ?? null}
              problem={problems.check.result?.problem?.message ?? null}
            />
          )
        )}
      </div>
    </div>
  );
}
