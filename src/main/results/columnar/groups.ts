/** Counts the rows of columns in memory by up to two axes. Runs in the search thread. */
import { spanOf } from '#shared/model/time-buckets.ts';
import type { GroupAxis, GroupCell } from '../../store/tasks.ts';
import { type ExactVector, instantKey, instantOfKey, itemsOf, type Value } from './vectors.ts';

/** Rows counted before other requests get a turn. */
const SLICE = 131_072;

/** The slots of a row on an axis; a list has one for each of its values. */
type Slots = (row: number) => readonly number[];

function slotsOf(vector: ExactVector, axis: GroupAxis): Slots | null {
  if ('starts' in axis) {
    if (vector.kind !== 'numbers' || !vector.instants) return null;
    const { values } = vector;
    const keys = axis.starts.map(instantKey);
    const single = [...axis.starts, null].map((_, index) => [index]);
    let last = 0;
    return (row) => {
      const key = values[row]!;
      if (Number.isNaN(key)) return single[keys.length]!;
      // Consecutive rows often belong to the same span.
      const holds = key >= keys[last]! && (last + 1 === keys.length || key < keys[last + 1]!);
      if (!holds) last = spanOf(keys, key);
      return single[last]!;
    };
  }
  const slots = new Map<Value, number>(axis.values.map((value, index) => [value, index]));
  const others = axis.values.length;
  const slotOf = (value: Value) => slots.get(value) ?? others;
  if (vector.kind === 'numbers') {
    if (vector.instants) return null;
    const { values } = vector;
    const single = [...axis.values, null].map((_, index) => [index]);
    return (row) => single[slotOf(Number.isNaN(values[row]!) ? null : values[row]!)]!;
  }
  const { codes, storage } = vector;
  const ofCode = vector.values.map((value) =>
    storage === 'json' ? [...new Set(itemsOf(value).map(slotOf))] : [slotOf(value)],
  );
  return (row) => ofCode[codes[row]!]!;
}

const ALL: readonly number[] = [0];
const sizeOfAxis = (axis: GroupAxis): number => ('starts' in axis ? axis.starts : axis.values).length + 1;

/** Null if only SQLite can answer, or the request was cancelled. `mask` are rows to count, or null for all of them. */
export async function countGroups(
  vectors: readonly ExactVector[],
  axes: readonly GroupAxis[],
  time: ExactVector | null,
  mask: Uint8Array | null,
  rows: number,
  turn: () => Promise<boolean>,
): Promise<GroupCell[] | null> {
  if (time !== null && (time.kind !== 'numbers' || !time.instants)) return null;
  const [outer, inner] = axes.map((axis, index) => slotsOf(vectors[index]!, axis));
  if (outer === null || inner === null) return null;
  const width = axes[1] === undefined ? 1 : sizeOfAxis(axes[1]);
  const size = (axes[0] === undefined ? 1 : sizeOfAxis(axes[0])) * width;
  const counts = new Uint32Array(size);
  const first = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  const last = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
  const times = time?.kind === 'numbers' ? time.values : null;
  for (let from = 0; from < rows; from += SLICE) {
    const to = Math.min(rows, from + SLICE);
    for (let row = from; row < to; row++) {
      if (mask !== null && mask[row] === 0) continue;
      const key = times === null ? Number.NaN : times[row]!;
      const ofInner = inner === undefined ? ALL : inner(row);
      for (const slot of outer === undefined ? ALL : outer(row))
        for (const beside of ofInner) {
          const cell = slot * width + beside;
          counts[cell] = counts[cell]! + 1;
          if (key < first[cell]!) first[cell] = key;
          if (key > last[cell]!) last[cell] = key;
        }
    }
    if (!(await turn())) return null;
  }
  const cells: GroupCell[] = [];
  for (const [index, count] of counts.entries())
    if (count > 0)
      cells.push({
        at: [Math.floor(index / width), index % width].slice(0, axes.length),
        count,
        first: Number.isFinite(first[index]!) ? instantOfKey(first[index]!) : null,
        last: Number.isFinite(last[index]!) ? instantOfKey(last[index]!) : null,
      });
  return cells;
}
