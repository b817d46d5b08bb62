/** Stays at an edge while the other columns scroll; true: left, false: not, whatever was said before. */
export type Pinned = boolean | 'left' | 'right';

export const pinnedSide = (pinned: Pinned | undefined): 'left' | 'right' | null =>
  pinned === true ? 'left' : pinned || null;
