import { Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import {
  ArrowDown,
  ArrowUp,
  DragHandleVertical,
  Duplicate,
  Exchange,
  EyeOff,
  EyeOn,
  GroupObjects,
  Trash,
  UngroupObjects,
} from '@blueprintjs/icons';
import { type JSX, useRef } from 'react';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { MenuPopover } from '#renderer/ui/menu-popover.tsx';
import { useListeners } from '#renderer/ui/use-listeners.ts';
import { isGroup } from '#shared/query/tree.ts';
import { NO_NEGATED_GROUPS } from '#shared/query/validate.ts';
import type { Node, Path } from '../tree-edit.ts';
import * as tree from '../tree-edit.ts';
import { useBuilder } from './builder-context.ts';
import { negatedWords, negationOf } from './values-edit.ts';

/** The drag handle of a node; clicking it opens the node's menu. */
export function DragHandle({ node, path, label }: { node: Node; path: Path; label: string }): JSX.Element {
  const { dragged } = useBuilder();
  const button = useRef<HTMLButtonElement>(null);
  useListeners(button, {
    dragstart: (event) => {
      dragged.current = path;
      const row = button.current?.closest('[data-node]');
      event.dataTransfer?.setData('text/plain', label);
      if (row) event.dataTransfer?.setDragImage(row, 8, 14);
      event.stopPropagation();
    },
    dragend: () => {
      dragged.current = null;
    },
  });
  return (
    <MenuPopover content={<NodeMenu node={node} path={path} />} placement="bottom-start">
      <button
        ref={button}
        type="button"
        draggable
        className="pp-qb-handle"
        data-node-focus
        aria-label={`${label}: move or edit`}
        title="Drag to move, click for more (Alt ↑ ↓ to move)"
      >
        <DragHandleVertical size={14} />
      </button>
    </MenuPopover>
  );
}

/** Actions for a condition or a group besides editing it. */
function NodeMenu({ node, path }: { node: tree.Node; path: tree.Path }): JSX.Element {
  const { config, edit, focus, fields, operators } = useBuilder();
  const group = isGroup(node);
  const notRefusal = group && !node.negate && !config.negatedGroups ? NO_NEGATED_GROUPS : null;
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
        text={node.disabled ? 'Enable' : 'Disable'}
        onClick={() => edit((root) => tree.toggleDisabled(root, path))}
      />
      {group ? (
        <>
          <MenuItem
            icon={<Exchange size={14} />}
            text={node.negate ? 'Remove “not”' : `Negate: ${negatedWords(node).toLowerCase()}`}
            disabled={notRefusal !== null}
            {...(notRefusal === null ? {} : { title: notRefusal })}
            onClick={() => edit((root) => tree.toggleNegate(root, path))}
          />
          <MenuItem
            icon={<UngroupObjects size={14} />}
            text="Ungroup"
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
            text="Wrap in group"
            onClick={() => edit((root) => tree.wrapAt(root, path))}
          />
        </>
      )}
      <MenuDivider />
      <MenuItem
        icon={<Trash size={14} />}
        intent="danger"
        text={group ? 'Remove group' : 'Remove'}
        onClick={() => edit((root) => tree.removeAt(root, path))}
      />
    </Menu>
  );
}
