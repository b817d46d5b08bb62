import { ArrowDown, ArrowUp, Duplicate } from '@blueprintjs/icons';
import { type RefObject, useEffect, useState } from 'react';
import type { Command } from '#renderer/commands/command.tsx';
import { CONDITION } from '#renderer/commands/keys.ts';
import { chordOf, isAltTyping, isTyping } from '#renderer/ui/chord.ts';
import { useListeners } from '#renderer/ui/use-listeners.ts';
import { isGroup } from '#shared/query/tree.ts';
import * as tree from '../tree-edit.ts';
import { useBuilder } from './builder-context.ts';

type DropPlace = 'before' | 'after' | 'into' | null;

/** What the keys and the menu of a node do to it. */
export function useMoves(
  node: tree.Node,
  path: tree.Path,
): readonly [up: Command, down: Command, copy: Command] {
  const { edit, focus } = useBuilder();
  const move = (step: 1 | -1) => () => {
    focus.current = { key: tree.keyOf(node), on: 'handle' };
    edit((root) => tree.moveStep(root, path, step));
  };
  const { moveUp, moveDown, duplicate } = CONDITION;
  return [
    { ...moveUp, icon: ArrowUp, run: move(-1) },
    { ...moveDown, icon: ArrowDown, run: move(1) },
    { ...duplicate, icon: Duplicate, run: () => edit((root) => tree.duplicateAt(root, path)) },
  ];
}

const PARTS = { handle: '[data-node-focus]', field: '.pp-qb-field button' } as const;

/** Keyboard moves, focus after a move, and drop targets before, after or into a node. */
export function useNode(ref: RefObject<HTMLElement | null>, node: tree.Node, path: tree.Path): DropPlace {
  const { edit, dragged, focus } = useBuilder();
  const moves = useMoves(node, path);
  const [place, setPlace] = useState<DropPlace>(null);
  const key = tree.keyOf(node);
  const group = isGroup(node);

  useEffect(() => {
    if (focus.current?.key !== key) return;
    const { on } = focus.current;
    focus.current = null;
    const element = ref.current?.querySelector<HTMLElement>(PARTS[on]);
    element?.focus();
    // A new condition starts with its field picker.
    if (on === 'field') element?.click();
  });

  const placeOf = (event: DragEvent): DropPlace => {
    if (dragged.current === null || ref.current === null) return null;
    if (group) return 'into';
    const box = ref.current.getBoundingClientRect();
    return event.clientY < box.top + box.height / 2 ? 'before' : 'after';
  };

  useListeners(ref, {
    keydown: (event) => {
      if (path.length === 0 || (isTyping(event.target) && isAltTyping(event))) return;
      const move = moves.find(({ keys }) => keys?.includes(chordOf(event)));
      if (move === undefined) return;
      move.run();
      event.preventDefault();
      event.stopPropagation();
    },
    dragover: (event) => {
      const place = placeOf(event);
      if (place === null) return;
      event.preventDefault();
      event.stopPropagation();
      setPlace(place);
    },
    dragleave: () => setPlace(null),
    drop: (event) => {
      const from = dragged.current;
      const place = placeOf(event);
      setPlace(null);
      if (from === null || place === null) return;
      event.preventDefault();
      event.stopPropagation();
      const index = path.at(-1) ?? 0;
      edit((root) =>
        place === 'into'
          ? tree.moveTo(root, from, path, 0)
          : tree.moveTo(root, from, path.slice(0, -1), place === 'before' ? index : index + 1),
      );
    },
  });
  return place;
}
