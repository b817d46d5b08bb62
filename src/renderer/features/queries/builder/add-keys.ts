/** Keys that add to the conditions of the screen in front. */
import type { Command } from '#renderer/commands/command.tsx';
import { QUERY } from '#renderer/commands/keys.ts';
import { screenInFront } from '#renderer/ui/focus.ts';

const TEXT_INPUTS = 'input:not([type="checkbox"], [type="radio"]), textarea, [contenteditable="true"]';
/** In a text field, the browser's own undo applies, and plain keys are text. */
export const isInText = (event?: KeyboardEvent): boolean =>
  event?.target instanceof HTMLElement && event.target.matches(TEXT_INPUTS);

/** Clicks the add button of the focused group, or of the root group. */
function add(what: 'condition' | 'group'): boolean {
  const builder = screenInFront()?.querySelector<HTMLElement>('.pp-qb');
  const group = document.activeElement?.closest('.pp-qb-group') ?? builder?.querySelector('.pp-qb-group');
  const button = group?.querySelector<HTMLElement>(`:scope > .pp-qb-header [data-add="${what}"]`);
  button?.click();
  return button != null;
}

const keyFor = (what: 'condition' | 'group') => (event?: KeyboardEvent) =>
  isInText(event) && !event?.altKey ? false : add(what);

export const ADD_KEYS: readonly Command[] = [
  { ...QUERY.addCondition, run: keyFor('condition') },
  { ...QUERY.addGroup, run: keyFor('group') },
];
