import { Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { DoubleCaretVertical } from '@blueprintjs/icons';
import { type ItemListRendererProps, type ItemRendererProps, Select } from '@blueprintjs/select';
import { Fragment, type JSX, useRef } from 'react';
import type { FieldConfig } from '#shared/model/entities.ts';
import { useBuilder } from './builder-context.ts';

/** Fields that match every word of the search in label, group or id; matches in the label come first. */
export function foundFields(query: string, fields: readonly FieldConfig[]): FieldConfig[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ label, group, id }: FieldConfig): number => {
    const name = label.toLowerCase();
    if (words.every((word) => name.includes(word))) return name.startsWith(words[0] ?? '') ? 0 : 1;
    const text = `${name} ${group ?? ''} ${id}`.toLowerCase();
    return words.every((word) => text.includes(word)) ? 2 : 3;
  };
  const matches = [0, 1, 2].flatMap((level) => fields.filter((field) => rank(field) === level));
  // Rendered by groups, the best match's group first, so that the arrow keys follow that order.
  const groups = [...new Set(matches.map(({ group }) => group ?? ''))];
  return groups.flatMap((group) => matches.filter((field) => (field.group ?? '') === group));
}

function renderList({
  filteredItems,
  renderItem,
  menuProps,
}: ItemListRendererProps<FieldConfig>): JSX.Element {
  const groups = new Map<string, FieldConfig[]>();
  for (const field of filteredItems) {
    const group = field.group ?? 'Fields';
    groups.set(group, [...(groups.get(group) ?? []), field]);
  }
  let index = 0;
  return (
    <Menu {...menuProps}>
      {filteredItems.length === 0 ? (
        <MenuItem disabled text="No matching fields" roleStructure="listoption" />
      ) : null}
      {[...groups].map(([group, fields]) => (
        <Fragment key={group}>
          <MenuDivider title={group} />
          {fields.map((field) => renderItem(field, index++))}
        </Fragment>
      ))}
    </Menu>
  );
}

const renderField = (chosen: string) =>
  function FieldItem(field: FieldConfig, { handleClick, handleFocus, modifiers, ref }: ItemRendererProps) {
    return (
      <MenuItem
        key={field.id}
        ref={ref}
        active={modifiers.active}
        selected={field.id === chosen}
        roleStructure="listoption"
        text={field.label}
        label={field.multiValues ? 'multiple values' : undefined}
        onClick={handleClick}
        onFocus={handleFocus}
      />
    );
  };

const VALUE = ':is(.pp-qb-values, .pp-qb-list, .pp-qb-unit) :is(input, select, button), .pp-qb-choices';

/** After choosing a field, the value editor takes the focus. */
function focusValue(from: HTMLElement | null): void {
  from?.closest('[data-node]')?.querySelector<HTMLElement>(VALUE)?.focus();
}

/** The field of a condition: all fields of the query config, grouped and searchable. */
export function FieldPicker(props: { fieldId: string; onPick: (field: FieldConfig) => void }): JSX.Element {
  const { config, fields } = useBuilder();
  const box = useRef<HTMLDivElement>(null);
  const picked = useRef(false);
  // Grouped order, so that the arrow keys follow the visible order.
  const order = [...new Set(config.fields.map(({ group }) => group ?? 'Fields'))];
  const items = order.flatMap((group) =>
    config.fields.filter((field) => (field.group ?? 'Fields') === group && field.operators.length > 0),
  );
  const field = fields.get(props.fieldId);
  const label = field?.label ?? props.fieldId;
  return (
    <div ref={box} className="pp-qb-field">
      <Select<FieldConfig>
        items={items}
        itemListPredicate={foundFields}
        itemListRenderer={renderList}
        itemRenderer={renderField(props.fieldId)}
        itemsEqual="id"
        activeItem={undefined}
        onItemSelect={(chosen) => {
          picked.current = true;
          props.onPick(chosen);
        }}
        inputProps={{ autoFocus: true }}
        resetOnClose
        placeholder="Search fields"
        popoverProps={{
          minimal: true,
          placement: 'bottom-start',
          popoverClassName: 'pp-picker',
          onClosing: () => {
            if (!picked.current) return;
            picked.current = false;
            // Runs after the list has returned the focus, in the same frame.
            requestAnimationFrame(() => focusValue(box.current));
          },
          // The target is the button itself, so that the popup attributes are set on it and not on a wrapper.
          targetTagName: 'button',
        }}
        popoverTargetProps={{
          className: 'bp6-button pp-select-button',
          'aria-label': `Field: ${label}`,
          title: field ? `${field.group ?? 'Fields'}: ${field.label}` : 'Unknown field',
        }}
      >
        <span className="bp6-button-text pp-ellipsis">{label}</span>
        <DoubleCaretVertical size={14} />
      </Select>
    </div>
  );
}
