import { HTMLSelect, InputGroup, Switch } from '@blueprintjs/core';
import { Cross } from '@blueprintjs/icons';
import { type JSX, useId } from 'react';
import { Field } from '#renderer/ui/field.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { exceptionField, MATCHING_LABELS, type Matching } from '#shared/exceptions/types.ts';
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
  const wanted =
    code === 'invalidDomain' && exceptionTarget(form.value.trim()) === 'email'
      ? 'email'
      : code === 'invalidEmail' && exceptionTarget(form.value.trim()) === 'domain'
        ? 'domain'
        : null;
  const choice = choices.find(
    ({ field, list }) => list === form.list && exceptionField(field)?.kind === wanted,
  );
  return wanted && choice
    ? { label: `Change to ${choice.label}`, use: () => change(withChoice(form, choice)) }
    : null;
}

export type RuleEditor = Pick<Editor, 'form' | 'choices' | 'change' | 'problem'>;

/** Tool, list, type and match. */
export function RuleFields(props: { editor: RuleEditor; branding: Branding; flags: Flags }): JSX.Element {
  const { editor, branding, flags } = props;
  const { form, choices, change } = editor;
  const current = choices.find(({ key }) => key === choiceKey(form));
  const matchings = exceptionField(form.field)?.matchings ?? [];
  return (
    <>
      <Field label="Tool" problem={editor.problem('tool')}>
        {(id) => (
          <HTMLSelect
            id={id}
            fill
            value={form.tool}
            onChange={({ currentTarget: { value } }) =>
              change(withTool(form, value, typeChoices(value, flags, null)))
            }
          >
            {SECURITY_TOOLS.map((tool) => (
              <option key={tool} value={tool}>
                {toolLabel(tool, branding)}
              </option>
            ))}
          </HTMLSelect>
        )}
      </Field>
      <div className="pp-exc-three">
        <Field label="List">
          {(id) => (
            <HTMLSelect
              id={id}
              fill
              value={current?.listKey ?? ''}
              onChange={({ currentTarget }) => change(withList(form, currentTarget.value, choices))}
            >
              {current ? null : <option value="">{form.list === 'allow' ? 'Allow' : 'Block'}</option>}
              {listsOf(choices).map(({ key, label }) => (
                <option key={key} value={key}>
                  {label}
                </option>
              ))}
            </HTMLSelect>
          )}
        </Field>
        <Field label="Type" problem={editor.problem('type') ?? editor.problem('field')}>
          {(id) => (
            <HTMLSelect
              id={id}
              fill
              value={current?.key ?? ''}
              onChange={({ currentTarget: { value } }) => {
                const choice = choices.find(({ key }) => key === value);
                if (choice) change(withChoice(form, choice));
              }}
            >
              {current ? null : <option value="">{exceptionField(form.field)?.label ?? form.field}</option>}
              {choices
                .filter(({ listKey }) => current === undefined || listKey === current.listKey)
                .map(({ key, label }) => (
                  <option key={key} value={key}>
                    {label}
                  </option>
                ))}
            </HTMLSelect>
          )}
        </Field>
        <MatchField
          form={form}
          matchings={matchings}
          onChange={(matching) => change({ ...form, matching })}
        />
      </div>
    </>
  );
}

function MatchField(props: {
  form: { matching: Matching };
  matchings: readonly Matching[];
  onChange: (matching: Matching) => void;
}): JSX.Element {
  return (
    <Field label="Match">
      {(id) => (
        <HTMLSelect
          id={id}
          fill
          disabled={props.matchings.length < 2}
          value={props.form.matching}
          onChange={({ currentTarget }) => {
            const chosen = props.matchings.find((matching) => matching === currentTarget.value);
            if (chosen) props.onChange(chosen);
          }}
        >
          {props.matchings.map((matching) => (
            <option key={matching} value={matching}>
              {MATCHING_LABELS[matching]}
            </option>
          ))}
        </HTMLSelect>
      )}
    </Field>
  );
}

/** The value, how it is interpreted, and its source. */
export function ValueField({ editor, onOpen }: { editor: Editor; onOpen: () => void }): JSX.Element {
  const { form, change } = editor;
  const problem = editor.problem('string');
  const other = otherField(editor);
  const note = targetNote(form);
  return (
    <>
      <Field
        label="Value"
        problem={problem}
        note={
          note === null && form.from === null ? null : (
            <>
              {note}
              {form.from ? (
                <>
                  {note ? ' ' : ''}Taken from{' '}
                  <button
                    type="button"
                    className="pp-link"
                    title={visibleText(form.from.title)}
                    onClick={onOpen}
                  >
                    this {form.from.type}
                  </button>
                  .
                </>
              ) : null}
            </>
          )
        }
      >
        {(id) => (
          <InputGroup
            id={id}
            className="pp-mono-input"
            spellCheck={false}
            autoComplete="off"
            aria-invalid={problem !== null}
            intent={problem === null ? 'none' : 'danger'}
            value={form.value}
            onValueChange={(value) => change({ ...form, value })}
          />
        )}
      </Field>
      {other ? (
        <button type="button" className="pp-link pp-exc-fix" onClick={other.use}>
          {other.label}
        </button>
      ) : null}
    </>
  );
}

/** Additional conditions that must also match. */
export function FurtherFields({ editor, flags }: { editor: Editor; flags: Flags }): JSX.Element | null {
  const { form, change } = editor;
  const fields = furtherFields(form, flags);
  if (fields.length === 0) return null;
  const put = (key: string, part: Partial<FurtherCondition>) =>
    change({ ...form, and: form.and.map((one) => (one.key === key ? { ...one, ...part } : one)) });
  const unused = fields.filter(({ id }) => !form.and.some(({ field }) => field === id));
  return (
    <>
      {form.and.map((one) => {
        const field = exceptionField(one.field);
        const problem = editor.problem(one.key);
        return (
          <Field
            key={one.key}
            label={`And ${(field?.label ?? one.field).replace(/^[A-Z](?![A-Z])/, (c) => c.toLowerCase())} (optional)`}
            problem={problem}
          >
            {(id) => (
              <div className="pp-row">
                {(field?.matchings.length ?? 0) > 1 ? (
                  <HTMLSelect
                    aria-label={`Match for ${field?.label ?? one.field}`}
                    value={one.matching}
                    onChange={({ currentTarget }) => {
                      const matching = field?.matchings.find((own) => own === currentTarget.value);
                      if (matching) put(one.key, { matching });
                    }}
                  >
                    {field?.matchings.map((matching) => (
                      <option key={matching} value={matching}>
                        {MATCHING_LABELS[matching]}
                      </option>
                    ))}
                  </HTMLSelect>
                ) : null}
                <InputGroup
                  id={id}
                  fill
                  className="pp-mono-input"
                  spellCheck={false}
                  autoComplete="off"
                  aria-invalid={problem !== null}
                  intent={problem === null ? 'none' : 'danger'}
                  value={one.value}
                  onValueChange={(value) => put(one.key, { value })}
                />
                <IconButton
                  icon={<Cross size={14} />}
                  label={`Remove ${field?.label ?? one.field}`}
                  onClick={() => change({ ...form, and: form.and.filter(({ key }) => key !== one.key) })}
                />
              </div>
            )}
          </Field>
        );
      })}
      {unused.length > 0 && form.and.length < 7 ? (
        <button
          type="button"
          className="pp-link pp-exc-fix"
          onClick={() => change(withFurther(form, flags, crypto.randomUUID()))}
        >
          Add condition
        </button>
      ) : null}
    </>
  );
}

/** Comment, and whether the entry is exclusive. */
export function CommentFields({ editor }: { editor: Editor }): JSX.Element {
  const { form, change } = editor;
  const exclusive = useId();
  return (
    <div className="pp-exc-comment">
      <Field label="Comment" problem={editor.problem('comment')}>
        {(id) => (
          <InputGroup
            id={id}
            value={form.comment}
            onValueChange={(comment) => change({ ...form, comment })}
          />
        )}
      </Field>
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
