import { Button, Checkbox, InputGroup } from '@blueprintjs/core';
import { DoubleCaretVertical } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { MenuPopover } from '#renderer/ui/menu-popover.tsx';
import type { ConditionValue } from '#shared/query/tree.ts';
import type { ManyValuesProps } from './value-inputs.tsx';

/** Several of the values that the service allows. */
export function ChoicesValue({ field, label, values, invalid, onChange }: ManyValuesProps): JSX.Element {
  const allowed = field?.allowedValues ?? [];
  const [search, setSearch] = useState('');
  const has = (value: ConditionValue) => values.some((one) => String(one) === String(value));
  const odd = values.filter((value) => !allowed.some((one) => String(one.value) === String(value)));
  const shown = [...odd.map((value) => ({ value, label: String(value) })), ...allowed].filter((one) =>
    one.label.toLowerCase().includes(search.toLowerCase()),
  );
  const toggle = (value: ConditionValue) =>
    onChange(has(value) ? values.filter((one) => String(one) !== String(value)) : [...values, value]);
  const names = values.map(
    (value) => allowed.find((one) => String(one.value) === String(value))?.label ?? String(value),
  );
  return (
    <MenuPopover
      shouldReturnFocusOnClose
      placement="bottom-start"
      content={
        <fieldset className="pp-choices" aria-label={label}>
          {allowed.length > 8 ? (
            <InputGroup
              aria-label={`Search ${label}`}
              placeholder="Search"
              value={search}
              onValueChange={setSearch}
            />
          ) : null}
          <div className="pp-choices-list">
            {shown.map((one) => (
              <Checkbox
                key={String(one.value)}
                label={one.label}
                checked={has(one.value)}
                onChange={() => toggle(one.value)}
              />
            ))}
          </div>
        </fieldset>
      }
    >
      <Button
        className={`pp-select-button pp-qb-choices${invalid ? ' pp-qb-invalid' : ''}`}
        aria-label={`${label}: ${names.join(', ') || 'none chosen'}`}
        text={
          <span className="pp-ellipsis">{names.join(', ') || <span className="pp-t3">Choose</span>}</span>
        }
        endIcon={<DoubleCaretVertical size={14} />}
      />
    </MenuPopover>
  );
}
