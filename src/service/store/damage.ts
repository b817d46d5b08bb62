/** What to tell the analyst about a damaged store. */
export const DAMAGED_DEMO =
  'The database of the demo tenant is damaged. Close Parapet and start it again: the demo tenant is then made anew, and the damaged file is kept.';

export const DAMAGED_EVIDENCE =
  'What was read of this evidence is damaged. Close Parapet and start it again: the evidence is then read again, and what can still be read of the damaged index is carried over.';
