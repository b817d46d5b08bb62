const LEAST = 120;
const SCROLLBAR = 12;

/** Widths of all columns in a room: what is left after the fixed ones is shared. */
export function columnWidths(columns: readonly { width?: number }[], room: number): number[] {
  const fixed = columns.reduce((sum, { width = 0 }) => sum + width, 0);
  const sharing = columns.filter(({ width }) => width === undefined).length;
  const share = sharing === 0 ? 0 : Math.max(LEAST, Math.floor((room - fixed - SCROLLBAR) / sharing));
  return columns.map(({ width }) => width ?? share);
}
