import {
  DragHandleVertical,
  Exchange,
  EyeOff,
  EyeOn,
  GroupObjects,
  Trash,
  UngroupObjects,
} from '@blueprintjs/icons';
import { type JSX, useRef } from 'react';
import { menuOf } from '#renderer/commands/command.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { useListeners } from '#renderer/ui/use-listeners.ts';
import { isGroup } from '#shared/query/tree.ts';
import { NO_NEGATED_GROUPS } from '#shared/query/validate.ts';
import type { Node, Path } from '../tree-edit.ts';
import * as tree from '../tree-edit.ts';
import { useBuilder } from './builder-context.ts';
import { useMoves } from './use-node.ts';
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

function NodeMenu({ node, path }: { node: tree.Node; path: tree.Path }): JSX.Element {
  const { config, edit, fields, operators } = useBuilder();
  const group = isGroup(node);
  const notRefusal = group && !node.negate && !config.negatedGroups ? NO_NEGATED_GROUPS : null;
  const negation = group ? null : negationOf(fields.get(node.field), operators.get(node.operator));
  const [up, down, copy] = useMoves(node, path);
  return menuOf(
    group ? 'Group' : 'Condition',
    [up, down],
    [
      copy,
      {
        text: node.disabled ? 'Enable' : 'Disable',
        icon: node.disabled ? EyeOn : EyeOff,
        run: () => edit((root) => tree.toggleDisabled(root, path)),
      },
      group && {
        text: node.negate ? 'Remove “not”' : `Negate: ${negatedWords(node).toLowerCase()}`,
        icon: Exchange,
        why: notRefusal,
        run: () => edit((root) => tree.toggleNegate(root, path)),
      },
      group && {
        text: 'Ungroup',
        icon: UngroupObjects,
        run: () => edit((root) => tree.unwrapAt(root, path)),
      },
      negation !== null && {
        text: `Negate: ${operators.get(negation)?.label ?? negation}`,
        icon: Exchange,
        run: () =>
          edit((root) => tree.updateAt(root, path, (node) => ({ ...node, operator: negation }) as tree.Node)),
      },
      !group && {
        text: 'Wrap in group',
        icon: GroupObjects,
        run: () => edit((root) => tree.wrapAt(root, path)),
      },
    ],
    [
      {
        text: group ? 'Remove group' : 'Remove',
        icon: Trash,
        isDanger: true,
        run: () => edit((root) => tree.removeAt(root, path)),
      },
    ],
  );
}
