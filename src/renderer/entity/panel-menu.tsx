/** The menu behind the three dots of a panel: Refresh, and copies of what it lists. */
import { Clipboard, Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { type Command, menuItems } from '#renderer/commands/command.tsx';
import { copyText } from '#renderer/state/entity-actions.ts';

export const panelMenu = (refresh: () => void, ...commands: readonly (Command | false)[]): JSX.Element =>
  menuItems([{ text: 'Refresh', icon: Refresh, run: refresh }, ...commands]);

/** Copies a value, or several, one per line; off while there is none. */
export const copying = (
  text: string,
  values: readonly string[] | string | null | undefined,
  copied: string,
): Command => ({
  text,
  icon: Clipboard,
  isOff: !values?.length,
  run: () => void copyText([values ?? []].flat().join('\n'), copied),
});
