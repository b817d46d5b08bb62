/** The letters to add, drop or replace to make one text of the other. Takes as many steps as the product of the lengths. */
export function distanceOf(left: string, right: string): number {
  let row = Uint16Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let from = 1; from <= left.length; from += 1) {
    const next = new Uint16Array(right.length + 1);
    next[0] = from;
    for (let to = 1; to <= right.length; to += 1) {
      const replaced = row[to - 1]! + (left[from - 1] === right[to - 1] ? 0 : 1);
      next[to] = Math.min(replaced, row[to]! + 1, next[to - 1]! + 1);
    }
    row = next;
  }
  return row[right.length]!;
}
