/** Whether a column stays at an edge while the others scroll. true: left; false: not pinned, over an earlier choice. */
export type Pinned = boolean | 'left' | 'right';

export const pinnedSide = (pinned: Pinned | undefined): 'left' | 'right' | null =>
  pinned === true ? 'left' : pinned || null;
