/**
 * Whether a column stays at an edge while the others scroll. True for left; false if not pinned, although it is by
 * default.
 */
export type Pinned = boolean | 'left' | 'right';

export const pinnedSide = (pinned: Pinned | undefined): 'left' | 'right' | null =>
  pinned === true ? 'left' : pinned || null;
