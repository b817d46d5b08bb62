import { Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import {
  ArrowDown,
  ArrowUp,
  Duplicate,
  Exchange,
  EyeOff,
  EyeOn,
  GroupObjects,
  Trash,
  UngroupObjects,
} from '@blueprintjs/icons';
import type { JSX } from 'react';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { isGroup } from '#shared/query/tree.ts';
import * as tree from '../tree-edit.ts';
import { useBuilder } from './builder-context.ts';
import { negationOf } from './values-edit.ts';

/** What can be done with a condition or a group besides editing it. */
export function NodeMenu({ node, path }: { node: tree.Node; path: tree.Path }): JSX.Element {
  const { edit, focus, fields, operators } = useBuilder();
  const group = isGroup(node);
  const negation = group ? null : negationOf(fields.get(node.field), operators.get(node.operator));
  const move = (step: 1 | -1) => {
    focus.current = { key: tree.keyOf(node), on: 'handle' };
    edit((root) => tree.moveStep(root, path, step));
  };
  return (
    <Menu aria-label={group ? 'Group' : 'Condition'}>
      <MenuItem
        icon={<ArrowUp size={14} />}
        text="Move up"
        labelElement={<Kbd keys="Alt Up" />}
        onClick={() => move(-1)}
      />
      <MenuItem
        icon={<ArrowDown size={14} />}
        text="Move down"
        labelElement={<Kbd keys="Alt Down" />}
        onClick={() => move(1)}
      />
      <MenuDivider />
      <MenuItem
        icon={<Duplicate size={14} />}
        text="Duplicate"
        labelElement={<Kbd keys="Ctrl D" />}
        onClick={() => edit((root) => tree.duplicateAt(root, path))}
      />
      <MenuItem
        icon={node.disabled ? <EyeOn size={14} /> : <EyeOff size={14} />}
        text={node.disabled ? 'Switch on' : 'Switch off'}
        onClick={() => edit((root) => tree.toggleDisabled(root, path))}
      />
      {group ? (
        <>
          <MenuItem
            icon={<Exchange size={14} />}
            text={node.negate ? 'Do not negate' : 'Negate: none of these'}
            onClick={() => edit((root) => tree.toggleNegate(root, path))}
          />
          <MenuItem
            icon={<UngroupObjects size={14} />}
            text="Dissolve the group"
            onClick={() => edit((root) => tree.unwrapAt(root, path))}
          />
        </>
      ) : (
        <>
          {negation === null ? null : (
            <MenuItem
              icon={<Exchange size={14} />}
              text={`Negate: ${operators.get(negation)?.label ?? negation}`}
              onClick={() =>
                edit((root) =>
                  tree.updateAt(root, path, (one) => ({ ...one, operator: negation }) as tree.Node),
                )
              }
            />
          )}
          <MenuItem
            icon={<GroupObjects size={14} />}
            text="Put into a group"
            onClick={() => edit((root) => tree.wrapAt(root, path))}
          />
        </>
      )}
      <MenuDivider />
      <MenuItem
        icon={<Trash size={14} />}
        intent="danger"
        text={group ? 'Remove the group' : 'Remove'}
        onClick={() => edit((root) => tree.removeAt(root, path))}
      />
    </Menu>
  );
}
