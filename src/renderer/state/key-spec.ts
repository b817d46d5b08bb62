/** The keys of an action and how a list names it, without what it does: readable without a window. */
export interface KeySpec {
  /** Chords as "Ctrl+K", "Alt+1", "Shift+X", "J", "?", "Escape", "Space"; several share one action. */
  keys: readonly string[];
  /** For the list; '' keeps it out of the list. */
  text: string;
  group?: string | undefined;
  /** Also active while typing; chords with Ctrl always are. */
  inInputs?: boolean;
  /** Also available by name in the palette. */
  isCommand?: boolean;
}
