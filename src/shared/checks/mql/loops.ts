/** Functions of MQL that go through a list with a condition or an expression of each element. */
import { type FindingPlace, inAttachment, inLink } from '../check.ts';
import { type Compiled, EITHER, type Frame, NEITHER } from './compiled.ts';
import { isSequence } from './functions.ts';
import { ATTACHMENT, LINK } from './model.ts';
import { type Sequence, sequence, type Type, UNKNOWN, type Value } from './values.ts';

/** Steps through a list; `step` ends it by returning a value. */
function through(
  frame: Frame,
  list: Sequence,
  body: Compiled,
  step: (value: Value, element: Value) => Value | undefined,
): Value | undefined {
  for (const element of list.items) {
    frame.work.spend(4);
    frame.elements.push(element);
    const mark = frame.places.length;
    const value = body.run(frame);
    frame.elements.pop();
    if (value !== true) frame.places.length = mark;
    const result = step(value, element);
    if (result !== undefined) return result;
  }
  return undefined;
}

type Loop = (list: Compiled, body: Compiled, element: Type) => Compiled;

const loop =
  (
    type: (element: Type, body: Type) => Type,
    can: (list: Compiled['can'], body: Compiled['can']) => Compiled['can'],
    run: (frame: Frame, list: Sequence, body: Compiled, element: Type) => Value,
  ): Loop =>
  (list, body, element) => {
    const isLacking = list.type === 'lack';
    return {
      type: isLacking ? 'lack' : type(element, body.type),
      can: isLacking ? NEITHER : can(list.can, body.can),
      run: (frame) => {
        const value = list.run(frame);
        if (value === UNKNOWN) return UNKNOWN;
        return isSequence(value) ? run(frame, value, body, element) : null;
      },
    };
  };

/** The place of an element that makes a condition true. */
function placeOf(element: Type, value: Value): FindingPlace | null {
  if (element === LINK) return inLink((value as { url: string }).url);
  if (element === ATTACHMENT) return inAttachment((value as { filename: string }).filename);
  return null;
}

/** An element that the mail has not counts as one for which the condition is false. */
export const LOOPS: ReadonlyMap<string, Loop> = new Map<string, Loop>([
  [
    'any',
    loop(
      () => 'boolean',
      (list, body) => ({ yes: list.yes && body.yes, no: list.no }),
      (frame, list, body, type) => {
        let rest: Value = list.isPartial ? UNKNOWN : false;
        const end = through(frame, list, body, (value, element) => {
          if (value === UNKNOWN) rest = UNKNOWN;
          if (value !== true) return undefined;
          const place = placeOf(type, element);
          if (place !== null) frame.places.push(place);
          return true;
        });
        return end ?? rest;
      },
    ),
  ],
  [
    'all',
    loop(
      () => 'boolean',
      (list, body) => ({ yes: list.no, no: list.yes && body.no }),
      (frame, list, body) => {
        let rest: Value = list.isPartial ? UNKNOWN : true;
        const end = through(frame, list, body, (value) => {
          if (value === UNKNOWN) rest = UNKNOWN;
          return value === true || value === UNKNOWN ? undefined : false;
        });
        return end ?? rest;
      },
    ),
  ],
  [
    'filter',
    loop(
      (element) => ({ items: element }),
      (list, body) => ({ yes: list.yes && body.yes, no: list.no }),
      (frame, list, body) => {
        const kept: Value[] = [];
        let { isPartial } = list;
        through(frame, list, body, (value, element) => {
          if (value === true) kept.push(element);
          isPartial ||= value === UNKNOWN;
          return undefined;
        });
        return sequence(kept, isPartial);
      },
    ),
  ],
  [
    'map',
    loop(
      (_, body) => ({ items: body }),
      (list) => list,
      (frame, list, body) => {
        const mapped: Value[] = [];
        through(frame, list, body, (value) => {
          mapped.push(value);
          return undefined;
        });
        return sequence(mapped, list.isPartial);
      },
    ),
  ],
  [
    'distinct',
    loop(
      (element) => ({ items: element }),
      (list) => list,
      (frame, list, body) => {
        const first = new Map<Value, Value>();
        let { isPartial } = list;
        through(frame, list, body, (value, element) => {
          if (value === UNKNOWN) isPartial = true;
          else if (!first.has(value)) first.set(value, element);
          return undefined;
        });
        return sequence([...first.values()], isPartial);
      },
    ),
  ],
  [
    'ratio',
    loop(
      () => 'number',
      (list, body) => (list.yes && body.yes ? EITHER : NEITHER),
      (frame, list, body) => {
        let [yes, isOpen] = [0, list.isPartial];
        through(frame, list, body, (value) => {
          if (value === true) yes += 1;
          isOpen ||= value === UNKNOWN;
          return undefined;
        });
        if (isOpen) return UNKNOWN;
        return list.items.length === 0 ? null : yes / list.items.length;
      },
    ),
  ],
]);
