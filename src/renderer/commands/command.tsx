/** What a screen offers: declared once, and drawn as a menu item, a button or a key. */
import { Button, Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { More } from '@blueprintjs/icons';
import { type ComponentType, createElement, Fragment, isValidElement, type JSX, type ReactNode } from 'react';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
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
  isDanger?: boolean;
  /** Returns false to let the key do something else. */
  run: (event?: KeyboardEvent) => unknown;
}

const isOff = ({ why, isOff: off = false }: Command): boolean => off || why != null;

const isElement = (value: object): value is JSX.Element => isValidElement(value);

export const drawn = (icon: Icon): JSX.Element =>
  isElement(icon) ? icon : createElement(icon, { size: 14 });

export function useCommands(commands: readonly Command[], enabled = true): void {
  useHotkeys(
    commands.flatMap((command) => {
      const { keys, text, group, inInputs, isCommand } = command;
      if (keys === undefined) return [];
      const run = (event: KeyboardEvent) => (isOff(command) ? false : command.run(event));
      const isNamed = (isCommand ?? false) && !isOff(command);
      return [{ keys, text, group, inInputs: inInputs ?? false, isCommand: isNamed, run }];
    }),
    enabled,
  );
}

function CommandItem({ command }: { command: Command }): JSX.Element {
  const { text, label = text, icon, keys, note, title, why, isDanger, run } = command;
  return (
    <MenuItem
      text={label}
      icon={icon && drawn(icon)}
      labelElement={keys === undefined ? note : <Kbd keys={cap({ keys })} />}
      disabled={isOff(command)}
      title={why ?? title}
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

/** A button whose tooltip shows the key, or why it is disabled. */
export function CommandButton(props: {
  command: Command;
  small?: boolean;
  isPrimary?: boolean;
}): JSX.Element {
  const { command, small, isPrimary = false } = props;
  const { text, label = text, icon, keys, title = keys && label, why, run } = command;
  return (
    <Button
      size={small ? 'small' : 'medium'}
      intent={isPrimary ? 'primary' : 'none'}
      icon={icon && drawn(icon)}
      text={label}
      disabled={isOff(command)}
      title={why ?? (keys === undefined ? title : `${title} (${cap({ keys })})`)}
      onClick={() => void run()}
    />
  );
}

/** The same without room for its words. */
export function CommandIconButton({ command }: { command: Command }): JSX.Element {
  const { text, label = text, icon, keys, why, run } = command;
  return (
    <IconButton
      small
      outlined
      icon={drawn(icon ?? More)}
      label={label}
      why={why ?? null}
      {...(keys === undefined ? {} : { shortcut: cap({ keys }) })}
      disabled={isOff(command)}
      onClick={() => void run()}
    />
  );
}
