import { InputGroup, Switch } from '@blueprintjs/core';
import { Cross } from '@blueprintjs/icons';
import { type JSX, useId } from 'react';
import { Field, Select, SelectField, TextField } from '#renderer/ui/form/field.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { exceptionField, MATCHING_LABELS } from '#shared/exceptions/types.ts';
import { SECURITY_TOOLS } from '#shared/model/enums.ts';
import { exceptionTarget } from '#shared/model/exception-target.ts';
import { visibleText } from '#shared/model/format.ts';
import { type Branding, toolLabel } from '#shared/model/white-label.ts';
import {
  choiceKey,
  type ExceptionForm,
  type Flags,
  type FurtherCondition,
  furtherFields,
  listsOf,
  typeChoices,
  withChoice,
  withFurther,
  withList,
  withTool,
} from './form.ts';
import type { Editor } from './use-editor.ts';

/** How the value is interpreted: as an address or as a domain (specification, section 5). */
function targetNote(form: ExceptionForm): string | null {
  const kind = exceptionField(form.field)?.kind;
  const value = form.value.trim();
  if (value === '' || (kind !== 'email' && kind !== 'domain')) return null;
  if (exceptionTarget(value) === 'email')
    return 'Contains @ after the first character: treated as an email address.';
  return value.startsWith('@') ? 'Starts with @: treated as a domain.' : 'No @: treated as a domain.';
}

/** Suggests the matching field when an address was entered in a domain field, or the other way round. */
function otherField(editor: Editor): { label: string; use: () => void } | null {
  const { form, choices, problems, change } = editor;
  const code = problems.get('string')?.code;
  const fix =
    code === 'invalidDomain' && exceptionTarget(form.value.trim()) === 'email'
      ? 'email'
      : code === 'invalidEmail' && exceptionTarget(form.value.trim()) === 'domain'
        ? 'domain'
        : null;
  const choice = choices.find(({ field, list }) => list === form.list && exceptionField(field)?.kind === fix);
  return fix && choice
    ? { label: `Change to ${choice.label}`, use: () => change(withChoice(form, choice)) }
    : null;
}

export type RuleEditor = Pick<Editor, 'form' | 'choices' | 'change' | 'problem'>;

export function RuleFields(props: { editor: RuleEditor; branding: Branding; flags: Flags }): JSX.Element {
  const { editor, branding, flags } = props;
  const { form, choices, change } = editor;
  const current = choices.find(({ key }) => key === choiceKey(form));
  const matchings = exceptionField(form.field)?.matchings ?? [];
  const unlisted = (label: string) => (current ? [] : [{ value: '', label }]);
  return (
    <>
      <SelectField
        label="Tool"
        problem={editor.problem('tool')}
        fill
        value={form.tool}
        options={SECURITY_TOOLS.map((tool) => ({ value: tool, label: toolLabel(tool, branding) }))}
        onChange={(tool) => change(withTool(form, tool, typeChoices(tool, flags, null)))}
      />
      <div className="pp-exc-three">
        <SelectField
          label="List"
          fill
          value={current?.listKey ?? ''}
          options={[
            ...unlisted(form.list === 'allow' ? 'Allow' : 'Block'),
            ...listsOf(choices).map(({ key, label }) => ({ value: key, label })),
          ]}
          onChange={(list) => change(withList(form, list, choices))}
        />
        <SelectField
          label="Type"
          problem={editor.problem('type') ?? editor.problem('field')}
          fill
          value={current?.key ?? ''}
          options={[
            ...unlisted(exceptionField(form.field)?.label ?? form.field),
            ...choices
              .filter(({ listKey }) => current === undefined || listKey === current.listKey)
              .map(({ key, label }) => ({ value: key, label })),
          ]}
          onChange={(type) => {
            const choice = choices.find(({ key }) => key === type);
            if (choice) change(withChoice(form, choice));
          }}
        />
        <SelectField
          label="Match"
          fill
          disabled={matchings.length < 2}
          value={form.matching}
          options={matchings.map((matching) => ({ value: matching, label: MATCHING_LABELS[matching] }))}
          onChange={(matching) => change({ ...form, matching })}
        />
      </div>
    </>
  );
}

export function ValueField({ editor, onOpen }: { editor: Editor; onOpen: () => void }): JSX.Element {
  const { form, change } = editor;
  const problem = editor.problem('string');
  const other = otherField(editor);
  const note = targetNote(form);
  return (
    <>
      <TextField
        label="Value"
        problem={problem}
        note={
          note === null && form.from === null ? null : (
            <>
              {note}
              {form.from ? (
                <>
                  {note ? ' ' : ''}Taken from{' '}
                  <LinkButton title={visibleText(form.from.title)} onClick={onOpen}>
                    this {form.from.type}
                  </LinkButton>
                  .
                </>
              ) : null}
            </>
          )
        }
        className="pp-mono-input"
        spellCheck={false}
        autoComplete="off"
        aria-invalid={problem !== null}
        intent={problem === null ? 'none' : 'danger'}
        value={form.value}
        onValueChange={(value) => change({ ...form, value })}
      />
      {other ? (
        <LinkButton className="pp-exc-fix" onClick={other.use}>
          {other.label}
        </LinkButton>
      ) : null}
    </>
  );
}

export function FurtherFields({ editor, flags }: { editor: Editor; flags: Flags }): JSX.Element | null {
  const { form, change } = editor;
  const fields = furtherFields(form, flags);
  if (fields.length === 0) return null;
  const put = (key: string, part: Partial<FurtherCondition>) =>
    change({ ...form, and: form.and.map((item) => (item.key === key ? { ...item, ...part } : item)) });
  const unused = fields.filter(({ id }) => !form.and.some(({ field }) => field === id));
  return (
    <>
      {form.and.map((part) => {
        const field = exceptionField(part.field);
        const problem = editor.problem(part.key);
        return (
          <Field
            key={part.key}
            label={`And ${(field?.label ?? part.field).replace(/^[A-Z](?![A-Z])/, (c) => c.toLowerCase())} (optional)`}
            problem={problem}
          >
            {(id) => (
              <div className="pp-row">
                {field && field.matchings.length > 1 ? (
                  <Select
                    aria-label={`Match for ${field.label}`}
                    value={part.matching}
                    options={field.matchings.map((value) => ({ value, label: MATCHING_LABELS[value] }))}
                    onChange={(matching) => put(part.key, { matching })}
                  />
                ) : null}
                <InputGroup
                  id={id}
                  fill
                  className="pp-mono-input"
                  spellCheck={false}
                  autoComplete="off"
                  aria-invalid={problem !== null}
                  intent={problem === null ? 'none' : 'danger'}
                  value={part.value}
                  onValueChange={(value) => put(part.key, { value })}
                />
                <IconButton
                  icon={<Cross size={14} />}
                  label={`Remove ${field?.label ?? part.field}`}
                  onClick={() => change({ ...form, and: form.and.filter(({ key }) => key !== part.key) })}
                />
              </div>
            )}
          </Field>
        );
      })}
      {unused.length > 0 && form.and.length < 7 ? (
        <LinkButton
          className="pp-exc-fix"
          onClick={() => change(withFurther(form, flags, crypto.randomUUID()))}
        >
          Add condition
        </LinkButton>
      ) : null}
    </>
  );
}

export function CommentFields({ editor }: { editor: Editor }): JSX.Element {
  const { form, change } = editor;
  const exclusive = useId();
  return (
    <div className="pp-exc-comment">
      <TextField
        label="Comment"
        problem={editor.problem('comment')}
        value={form.comment}
        onValueChange={(comment) => change({ ...form, comment })}
      />
      <Switch
        id={exclusive}
        label="Exclusive"
        title="No other entry is checked once this one matches"
        checked={form.isExclusive}
        onChange={({ currentTarget }) => change({ ...form, isExclusive: currentTarget.checked })}
      />
    </div>
  );
}
