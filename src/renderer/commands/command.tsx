/** What a screen offers: declared once, and drawn as a menu item, a button or a key. */
import { Button, Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { More } from '@blueprintjs/icons';
import { type ComponentType, createElement, Fragment, isValidElement, type JSX, type ReactNode } from 'react';
import { unlessRefused } from '#renderer/state/caller.ts';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import { IconButton, type PopoverState } from '#renderer/ui/icon-button.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { cap, type KeySpec } from './keys.ts';

export type Icon = ComponentType<{ size?: number }> | JSX.Element;

export interface Command extends Partial<KeySpec> {
  text: string;
  /** Its words in menus and on buttons, if they differ from those in the list of shortcuts. */
  label?: string;
  icon?: Icon | undefined;
  /** Beside its words in a menu; a key takes its place. */
  note?: ReactNode;
  /** What it does, in a tooltip. */
  title?: string | undefined;
  /** Why it cannot run now, as its title; its key does nothing then. */
  why?: string | null | undefined;
  /** Cannot run now, for a reason that the screen shows. */
  isOff?: boolean;
  /** Its key says why it cannot run. */
  tellsWhy?: boolean;
  isDanger?: boolean;
  /** It is running; its button shows that. */
  isBusy?: boolean;
  /** Returns false to let the key do something else. */
  run: (event?: KeyboardEvent) => unknown;
}

const isOff = ({ why, isOff: off = false }: Command): boolean => off || why != null;

const isElement = (value: object): value is JSX.Element => isValidElement(value);

export const drawn = (icon: Icon): JSX.Element =>
  isElement(icon) ? icon : createElement(icon, { size: 14 });

/** Does what its key does; false leaves the key to something else. */
export function press(command: Command, event?: KeyboardEvent): unknown {
  const { tellsWhy, why = null, run } = command;
  if (tellsWhy) return unlessRefused(why, () => void run(event));
  return isOff(command) ? false : run(event);
}

export function useCommands(commands: readonly Command[], enabled = true): void {
  useHotkeys(
    commands.flatMap((command) => {
      const { keys, text, group, inInputs, isCommand } = command;
      if (keys === undefined) return [];
      const run = (event: KeyboardEvent) => press(command, event);
      const isNamed = (isCommand ?? false) && !isOff(command);
      return [{ keys, text, group, inInputs: inInputs ?? false, isCommand: isNamed, run }];
    }),
    enabled,
  );
}

export function CommandItem(props: {
  command: Command;
  /** Instead of its label; says itself why the command cannot run. */
  words?: JSX.Element;
}): JSX.Element {
  const { command, words } = props;
  const { text, label = text, icon, keys, note, title, why, isDanger, run } = command;
  return (
    <MenuItem
      text={words ?? label}
      multiline={words !== undefined}
      icon={icon && drawn(icon)}
      labelElement={keys === undefined ? note : <Kbd keys={cap({ keys })} />}
      disabled={isOff(command)}
      title={words ? undefined : (why ?? title)}
      {...(isDanger ? { intent: 'danger' as const } : {})}
      onClick={() => void run()}
    />
  );
}

/** What is not offered now is left out; an element stands for itself. */
type Entry = Command | JSX.Element | null | false | undefined;

const isOffered = (entry: Entry): entry is Command | JSX.Element => entry != null && entry !== false;

const drawnEntry = (entry: Command | JSX.Element): JSX.Element =>
  isElement(entry) ? entry : createElement(CommandItem, { command: entry });

const DIVIDER = <MenuDivider />;

/** A menu's items, with a divider before each section that is not empty. */
export function menuItems(...sections: readonly (readonly Entry[])[]): JSX.Element {
  const shown = sections.map((section) => section.filter(isOffered)).filter(({ length }) => length > 0);
  const items = shown.flatMap((section, index) => [
    ...(index === 0 ? [] : [DIVIDER]),
    ...section.map(drawnEntry),
  ]);
  return createElement(Fragment, null, ...items);
}

export const menuOf = (label: string, ...sections: readonly (readonly Entry[])[]): JSX.Element => (
  <Menu aria-label={label}>{menuItems(...sections)}</Menu>
);

/** A button whose tooltip shows the key, or why it is disabled. As the button of a popover, it opens that. */
export function CommandButton(
  props: {
    command: Command;
    small?: boolean;
    /** Without room for its words. */
    isBare?: boolean;
    isPrimary?: boolean;
    active?: boolean;
  } & PopoverState,
): JSX.Element {
  const { command, small = false, isBare = false, isPrimary = false, active } = props;
  const { 'aria-haspopup': hasPopup, 'aria-expanded': isExpanded } = props;
  const { text, label = text, icon, keys, why, isDanger, isBusy = false, run } = command;
  const { title = label } = command;
  const shared = {
    'aria-haspopup': hasPopup,
    'aria-expanded': isExpanded,
    disabled: isOff(command),
    loading: isBusy,
    ...(hasPopup === undefined ? { onClick: () => void run() } : {}),
  };
  return isBare ? (
    <IconButton
      {...shared}
      small={small}
      outlined
      icon={drawn(icon ?? More)}
      label={title}
      why={why ?? null}
      {...(keys === undefined ? {} : { shortcut: cap({ keys }) })}
      active={active ?? false}
    />
  ) : (
    <Button
      {...shared}
      size={small ? 'small' : 'medium'}
      intent={isPrimary ? 'primary' : isDanger ? 'danger' : 'none'}
      icon={icon && drawn(icon)}
      text={label}
      title={why ?? (keys === undefined ? command.title : `${title} (${cap({ keys })})`)}
      {...(active === undefined ? {} : { active, 'aria-pressed': active })}
    />
  );
}
