import { Cross, EyeOff, WarningSign } from '@blueprintjs/icons';
import { type JSX, useId, useRef } from 'react';
import { useConnection } from '#renderer/state/connection.ts';
import { Select } from '#renderer/ui/form/field.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { flagsOf } from '#shared/model/flags.ts';
import type { Condition } from '#shared/query/tree.ts';
import * as tree from '../tree-edit.ts';
import { pathText, useBuilder } from './builder-context.ts';
import { FieldPicker } from './field-picker.tsx';
import { DragHandle } from './node-menu.tsx';
import { useNode } from './use-node.ts';
import { ValueEditor } from './value-editor.tsx';
import { conditionWith, fitValues, isCustomList, withField } from './values-edit.ts';

/** Whether a feature flag is on for the current connection (specification section 5). */
function useFlag(name: string): boolean {
  const { connection } = useConnection();
  return flagsOf(connection?.flags ?? {})[name] ?? false;
}

export function ConditionRow({ condition, path }: { condition: Condition; path: tree.Path }): JSX.Element {
  const { fields, operators, problems, edit } = useBuilder();
  const row = useRef<HTMLDivElement>(null);
  const place = useNode(row, condition, path);
  const message = useId();
  const field = fields.get(condition.field);
  const operator = operators.get(condition.operator);
  const problem = problems.get(pathText(path));
  const key = tree.keyOf(condition);
  const change = (next: (before: Condition) => Condition, merge?: string) =>
    edit((root) => tree.updateAt(root, path, (node) => next(node as Condition)), merge);
  const lists = useFlag('custom_list_operators');
  const offered = (field?.operators ?? []).filter((id) => {
    const operator = operators.get(id);
    return lists || !operator || !isCustomList(operator);
  });
  const isOffered = offered.includes(condition.operator);

  return (
    <div
      ref={row}
      data-node={key}
      data-path={pathText(path)}
      className={`pp-qb-row${condition.disabled ? ' pp-qb-off' : ''}${place ? ` pp-qb-drop-${place}` : ''}`}
    >
      <DragHandle node={condition} path={path} label={field?.label ?? condition.field} />
      <FieldPicker
        fieldId={condition.field}
        onPick={(to) => change((before) => withField(before, field, to, operators))}
      />
      <Select
        className="pp-qb-operator"
        aria-label={`Operator of ${field?.label ?? condition.field}`}
        value={condition.operator}
        options={[
          ...(isOffered
            ? []
            : [{ value: condition.operator, label: operator?.label ?? condition.operator, disabled: true }]),
          ...offered.map((id) => ({ value: id, label: operators.get(id)?.label ?? id })),
        ]}
        onChange={(id) =>
          change((before) => ({
            ...before,
            operator: id,
            values: fitValues(before.values, operators.get(id)),
          }))
        }
      />
      <ValueEditor
        key={`${condition.field} ${condition.operator}`}
        condition={condition}
        field={field}
        operator={operator}
        invalid={problem !== undefined}
        onChange={(values) => change((before) => conditionWith(before, values, field), `values ${key}`)}
      />
      {problem === undefined ? null : (
        <span className="pp-qb-problem" title={problem}>
          <WarningSign size={14} />
          <span id={message} className="pp-small pp-ellipsis">
            {problem}
          </span>
        </span>
      )}
      {condition.disabled ? (
        <IconButton
          small
          icon={<EyeOff size={12} />}
          label="Disabled. Enable"
          onClick={() => edit((root) => tree.toggleDisabled(root, path))}
        />
      ) : null}
      <IconButton
        small
        icon={<Cross size={14} />}
        label={`Remove ${field?.label ?? condition.field}`}
        onClick={() => edit((root) => tree.removeAt(root, path))}
      />
    </div>
  );
}
