import { DragHandleVertical } from '@blueprintjs/icons';
import { type JSX, useRef } from 'react';
import { MenuPopover } from '#renderer/ui/menu-popover.tsx';
import { useListeners } from '#renderer/ui/use-listeners.ts';
import type { Node, Path } from '../tree-edit.ts';
import { useBuilder } from './builder-context.ts';
import { NodeMenu } from './node-menu.tsx';

/** Drags a node; pressed, it opens the menu of what else can be done with it. */
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
    <MenuPopover
      shouldReturnFocusOnClose
      content={<NodeMenu node={node} path={path} />}
      placement="bottom-start"
    >
      <button
        ref={button}
        type="button"
        draggable
        className="pp-qb-handle"
        data-node-focus
        aria-label={`${label}: move or more`}
        title="Drag to move, press for more (Alt ↑ ↓ moves)"
      >
        <DragHandleVertical size={14} />
      </button>
    </MenuPopover>
  );
}
