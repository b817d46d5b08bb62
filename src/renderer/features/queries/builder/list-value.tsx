import { Button, PopupKind, TagInput, TextArea } from '@blueprintjs/core';
import { Edit } from '@blueprintjs/icons';
import { type ClipboardEvent, type JSX, useId, useState } from 'react';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { exact } from '#shared/model/format.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import type { ConditionValue } from '#shared/query/tree.ts';
import { textOf } from '#shared/query/values.ts';
import { Suggestions, suggestsPeople, useNames } from './people.tsx';
import { isMonoField, type ManyValuesProps } from './value-inputs.tsx';
import {
  bytesText,
  type ListKind,
  listKindOf,
  pasteOf,
  splitPaste,
  typedValue,
  withValues,
} from './values-edit.ts';

/** Larger numbers of chips are slow to render and hard to read. */
const MOST_CHIPS = 60;

/** All values as lines of text, for reading, pasting and editing. */
function AsText(props: ManyValuesProps & { kind: ListKind; onClose: () => void }): JSX.Element {
  const { field, label, values, kind, onChange, onClose } = props;
  const [text, setText] = useState(() => pasteOf(values.map((value) => textOf(value) ?? '')));
  const fresh = splitPaste(text, kind);
  return (
    <div className="pp-values-text">
      <TextArea
        autoFocus
        aria-label={`${label}, one per line`}
        spellCheck={false}
        rows={12}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div className="pp-values-foot">
        <span className="pp-small pp-t2">{exact(fresh.length)} unique</span>
        <span className="pp-spacer" />
        <Button size="small" text="Cancel" onClick={onClose} />
        <Button
          size="small"
          intent="primary"
          text="Apply"
          onClick={() => {
            onChange(fresh.map((text) => typedValue(text, field)));
            onClose();
          }}
        />
      </div>
    </div>
  );
}

/** Chips; a pasted column becomes one chip per line. Very many are a count, edited as text. */
export function ListValue(props: ManyValuesProps & { words: boolean }): JSX.Element {
  const { field, label, values, invalid, words, onChange } = props;
  const list = useId();
  const [typed, setTyped] = useState('');
  const [open, setOpen] = useState(false);
  const many = values.length > MOST_CHIPS;
  const kind = listKindOf(field, words);
  const add = (added: readonly string[]): boolean => {
    const more = withValues(
      values,
      added.flatMap((text) => splitPaste(text, kind)).map((text) => typedValue(text, field)),
    );
    if (more.length > values.length) onChange(more);
    setTyped('');
    return true;
  };
  /** A single value stays in the input, where it can be changed; an input would take the line breaks of several away. */
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text');
    // The popover's text field is in here, too.
    if (!(event.target instanceof HTMLInputElement)) return;
    if (splitPaste(text, kind).length < 2 && !/[\r\n\t]/.test(text)) return;
    event.preventDefault();
    add([text]);
  };
  const people = suggestsPeople(field);
  const chips: ConditionValue[] = many ? values.slice(0, 3) : [...values];
  const names = useNames(field, chips);
  const chip = (value: ConditionValue) => {
    const text = fieldTypeOf(field?.type ?? '') === 'bytes' ? bytesText(value) : (textOf(value) ?? '');
    const name = names.get(text.toLowerCase());
    return name === undefined ? (
      text
    ) : (
      <span key={text} className="pp-qb-person">
        <span>{name}</span> {text}
      </span>
    );
  };
  return (
    <span className="pp-qb-list" onPaste={onPaste}>
      <TagInput
        className={`pp-qb-tags${isMonoField(field) ? ' pp-qb-mono' : ''}${invalid ? ' pp-qb-invalid' : ''}`}
        values={[...chips.map(chip), ...(many ? [`and ${exact(values.length - chips.length)} more`] : [])]}
        addOnBlur
        addOnPaste={false}
        separator={false}
        inputValue={typed}
        onInputChange={({ currentTarget }) => setTyped(currentTarget.value)}
        inputProps={{ 'aria-label': label, spellCheck: false, ...(people ? { list } : {}) }}
        placeholder={
          values.length === 0 ? (words ? 'Words' : (field?.example ?? 'Enter or paste values')) : undefined
        }
        tagProps={(_, index) => ({
          minimal: true,
          ...(index >= chips.length ? { onRemove: undefined } : {}),
        })}
        onAdd={(added) => add(added)}
        onRemove={(_, index) => {
          if (index < chips.length) onChange(values.filter((__, position) => position !== index));
        }}
      />
      {people && typed !== '' ? <Suggestions id={list} type={field?.type ?? ''} text={typed} /> : null}
      {values.length > 1 || open ? (
        <MenuPopover
          isOpen={open}
          onInteraction={setOpen}
          popupKind={PopupKind.DIALOG}
          placement="bottom-end"
          content={<AsText {...props} kind={kind} onClose={() => setOpen(false)} />}
        >
          <IconButton
            small
            icon={<Edit size={12} />}
            label={`Edit ${exact(values.length)} values as text`}
            onClick={() => setOpen(!open)}
          />
        </MenuPopover>
      ) : null}
    </span>
  );
}
