/** Turns a rule in MQL into a function of a mail, and tells what it needs that is not here. */
import { dictionary } from '../../dictionary.ts';
import { type FindingPlace, inBody, inHeader } from '../check.ts';
import { type Compiled, EITHER, type Frame, NEITHER } from './compiled.ts';
import { FUNCTIONS, isSequence, type MqlFunction, type Work } from './functions.ts';
import { lackOf } from './lacking.ts';
import { LOOPS } from './loops.ts';
import { MAIL, type MqlInput } from './model.ts';
import { type Comparison, type Expression, parseMql } from './parse.ts';
import { MqlPatternError, mqlPattern } from './patterns.ts';
import { MqlError, type Place } from './tokens.ts';
import {
  isItems,
  isMap,
  isShape,
  type Lack,
  type Sequence,
  sequence,
  type Type,
  UNKNOWN,
  type Value,
} from './values.ts';

/** Named lists, with their signs, in lower case. */
export type MqlLists = ReadonlyMap<string, ReadonlySet<string>>;

/** The list of the case's own domains, which the case gives with each mail. */
const OWN_DOMAINS = '$org_domains';

/** Something that a rule needs and that is not here. */
interface Missing extends Place {
  lack: Lack;
  /** A function, field or list, as the rule names it. */
  name: string;
}

const PLACES: Readonly<Record<string, () => FindingPlace>> = dictionary({
  subject: () => inHeader('Subject'),
  sender: () => inHeader('From'),
  body: () => inBody(),
});

function compared(comparison: Comparison, left: Value, right: Value, work: Work): Value {
  if (left === UNKNOWN || right === UNKNOWN) return UNKNOWN;
  if (left === null || right === null || typeof left !== typeof right || typeof left === 'object')
    return null;
  if (typeof left === 'string' && typeof right === 'string') {
    work.spend(Math.min(left.length, right.length));
    if (comparison === '=~') return work.lower(left) === work.lower(right);
    if (comparison === '!~') return work.lower(left) !== work.lower(right);
  }
  switch (comparison) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      return null;
  }
}

/** The three values of logic and null: the first that decides, else unknown or null if any part was. */
function decided(frame: Frame, parts: readonly Compiled[], decisive: boolean): Value {
  let rest: Value = !decisive;
  for (const part of parts) {
    const mark = frame.places.length;
    const value = part.run(frame);
    if (value !== true) frame.places.length = mark;
    if (value === decisive) return decisive;
    if (value === UNKNOWN) rest = UNKNOWN;
    else if (value !== !decisive && rest !== UNKNOWN) rest = null;
  }
  return rest;
}

class Compiler {
  readonly #lists: MqlLists;
  readonly missing = new Map<string, Missing>();
  /** The types of the elements that functions are at. */
  readonly #scopes: Type[] = [];

  constructor(lists: MqlLists) {
    this.#lists = lists;
  }

  #lack(lack: Lack, name: string, { line, column }: Place): Compiled {
    const key = `${lack} ${name}`;
    if (!this.missing.has(key)) this.missing.set(key, { lack, name, line, column });
    return { type: 'lack', run: () => UNKNOWN, can: NEITHER };
  }

  compile(expression: Expression): Compiled {
    switch (expression.kind) {
      case 'value': {
        const { value } = expression;
        const type = value === null ? 'null' : typeof value === 'string' ? 'text' : (typeof value as Type);
        return { type, run: () => value, can: { yes: value === true, no: value === false } };
      }
      case 'items':
        return this.#items(expression.items.map((item) => this.compile(item)));
      case 'list':
        return this.#list(expression);
      case 'scope':
        return this.#scope(expression.depth, expression);
      case 'member':
        return this.#member(this.compile(expression.of), expression);
      case 'index':
        return this.#index(this.compile(expression.of), this.compile(expression.index), expression);
      case 'call':
        return this.#call(expression);
      case 'not':
        return this.#not(this.compile(expression.of));
      case 'and':
      case 'or':
        return this.#joined(
          expression.parts.map((part) => this.compile(part)),
          expression.kind === 'or',
        );
      case 'of':
        return this.#of(
          expression.count,
          expression.parts.map((part) => this.compile(part)),
        );
      case 'compare':
        return this.#compare(
          expression.operands.map((operand) => this.compile(operand)),
          expression.comparisons,
        );
      case 'in':
        return this.#in(this.compile(expression.left), this.compile(expression.right), expression);
      case 'is null':
        return this.#isNull(this.compile(expression.of));
      case 'arithmetic':
        return this.#arithmetic(
          this.compile(expression.left),
          this.compile(expression.right),
          expression.sign,
        );
      case 'negative':
        return this.#arithmetic(
          { type: 'number', run: () => 0, can: EITHER },
          this.compile(expression.of),
          '-',
        );
    }
  }

  #items(all: readonly Compiled[]): Compiled {
    const typed = all.filter(({ type }) => type !== 'lack');
    const type = typed[0]?.type ?? (all.length > 0 ? 'lack' : 'null');
    return {
      type: { items: type },
      run: (frame) => sequence(all.map(({ run }) => run(frame))),
      can: { yes: typed.length > 0, no: typed.length === all.length },
    };
  }

  #list(given: Expression & { kind: 'list' }): Compiled {
    const { name } = given;
    if (name === OWN_DOMAINS)
      return {
        type: { items: 'text' },
        run: ({ input }) => (input.ownDomains.size === 0 ? UNKNOWN : sequence([...input.ownDomains])),
        can: EITHER,
      };
    const list = this.#lists.get(name);
    if (list === undefined) return this.#lack('list', name, given);
    const all: Sequence & { members: ReadonlySet<string> } = {
      items: [...list],
      isPartial: false,
      members: list,
    };
    return { type: { items: 'text' }, run: () => all, can: EITHER };
  }

  #scope(depth: number, place: Place): Compiled {
    if (depth === 0) return { type: MAIL, run: ({ input }) => input, can: EITHER };
    const type = this.#scopes.at(-depth);
    if (type === undefined)
      throw new MqlError(
        `“${'.'.repeat(depth)}” stands in no function that goes through so many lists`,
        place,
      );
    return {
      type,
      run: ({ elements }) => elements.at(-depth) ?? null,
      can: type === 'lack' ? NEITHER : EITHER,
    };
  }

  #member(of: Compiled, { name, of: owner, ...place }: Expression & { kind: 'member' }): Compiled {
    const { type, run } = of;
    if (type === 'lack' || type === 'null') return { ...of, type: type === 'null' ? 'null' : 'lack' };
    if (isItems(type))
      throw new MqlError(`“.${name}” is of one element, and this is a list: use any(…) or [0]`, place);
    if (isMap(type)) return { type: type.values, run: (frame) => entryOf(run(frame), name), can: EITHER };
    if (!isShape(type)) throw new MqlError(`A ${type === 'any' ? 'value' : type} has no “.${name}”`, place);
    const field = type.fields[name];
    if (field === undefined || field.lack !== undefined)
      return this.#lack(field?.lack ?? 'field', pathOf(owner, name), place);
    const placeOf = owner.kind === 'scope' && owner.depth === 0 ? PLACES[name] : undefined;
    const { get } = field;
    return {
      type: field.type,
      can: EITHER,
      run: (frame) => {
        const value = run(frame);
        if (value === null || value === UNKNOWN) return value;
        if (placeOf !== undefined) frame.places.push(placeOf());
        return get(value);
      },
    };
  }

  #index(of: Compiled, index: Compiled, place: Place): Compiled {
    const { type } = of;
    if (type === 'lack' || index.type === 'lack') return { type: 'lack', run: () => UNKNOWN, can: NEITHER };
    if (isMap(type))
      return { type: type.values, run: (frame) => entryOf(of.run(frame), index.run(frame)), can: EITHER };
    if (!isItems(type)) throw new MqlError('This is no list, so it has no […]', place);
    return {
      type: type.items,
      can: EITHER,
      run: (frame) => {
        const list = of.run(frame);
        const number = index.run(frame);
        if (list === UNKNOWN || number === UNKNOWN) return UNKNOWN;
        if (!isSequence(list) || typeof number !== 'number') return null;
        const beyond: Value = list.isPartial ? UNKNOWN : null;
        return list.items.at(number) ?? beyond;
      },
    };
  }

  #not({ type, run, can }: Compiled): Compiled {
    return {
      type: type === 'lack' ? 'lack' : 'boolean',
      can: { yes: can.no, no: can.yes },
      run: (frame) => {
        const mark = frame.places.length;
        const value = run(frame);
        frame.places.length = mark;
        return typeof value === 'boolean' ? !value : value;
      },
    };
  }

  #joined(parts: readonly Compiled[], decisive: boolean): Compiled {
    const some = (pick: (part: Compiled) => boolean) => parts.some(pick);
    const every = (pick: (part: Compiled) => boolean) => parts.every(pick);
    const can = decisive
      ? { yes: some((part) => part.can.yes), no: every((part) => part.can.no) }
      : { yes: every((part) => part.can.yes), no: some((part) => part.can.no) };
    return { type: 'boolean', can, run: (frame) => decided(frame, parts, decisive) };
  }

  #of(count: number, parts: readonly Compiled[]): Compiled {
    const able = (answer: 'yes' | 'no') => parts.filter(({ can }) => can[answer]).length;
    return {
      type: 'boolean',
      can: { yes: able('yes') >= count, no: able('no') > parts.length - count },
      run: (frame) => {
        let [yes, open] = [0, 0];
        let isAnyUnknown = false;
        for (const part of parts) {
          const value = part.run(frame);
          if (value === true) yes += 1;
          else if (value !== false) open += 1;
          isAnyUnknown ||= value === UNKNOWN;
          if (yes >= count) return true;
        }
        if (yes + open < count) return false;
        return isAnyUnknown ? UNKNOWN : null;
      },
    };
  }

  #compare(operands: readonly Compiled[], comparisons: readonly Comparison[]): Compiled {
    const can = operands.some(({ type }) => type === 'lack') ? NEITHER : EITHER;
    const steps = comparisons.map((comparison, index): Compiled => {
      const [left, right] = [operands[index]!, operands[index + 1]!];
      return {
        type: 'boolean',
        can,
        run: (frame) => compared(comparison, left.run(frame), right.run(frame), frame.work),
      };
    });
    return steps.length === 1 ? steps[0]! : this.#joined(steps, false);
  }

  #in(left: Compiled, right: Compiled, { ignoresCase, ...place }: Expression & { kind: 'in' }): Compiled {
    if (right.type !== 'lack' && right.type !== 'null' && !isItems(right.type))
      throw new MqlError('“in” needs a list to its right', place);
    const can =
      left.type === 'lack' || right.type === 'lack' ? NEITHER : { yes: right.can.yes, no: right.can.no };
    return {
      type: 'boolean',
      can,
      run: (frame) => {
        const value = left.run(frame);
        if (value === UNKNOWN) return UNKNOWN;
        const list = right.run(frame);
        if (list === UNKNOWN) return UNKNOWN;
        if (value === null || !isSequence(list)) return null;
        return isMember(value, list, ignoresCase, frame.work);
      },
    };
  }

  #isNull({ type, run }: Compiled): Compiled {
    return {
      type: 'boolean',
      can: type === 'lack' ? NEITHER : EITHER,
      run: (frame) => {
        const value = run(frame);
        return value === UNKNOWN ? UNKNOWN : value === null;
      },
    };
  }

  #arithmetic(left: Compiled, right: Compiled, sign: string): Compiled {
    const isLacking = left.type === 'lack' || right.type === 'lack';
    return {
      type: isLacking ? 'lack' : 'number',
      can: isLacking ? NEITHER : EITHER,
      run: (frame) => {
        const [a, b] = [left.run(frame), right.run(frame)];
        if (a === UNKNOWN || b === UNKNOWN) return UNKNOWN;
        if (typeof a !== 'number' || typeof b !== 'number') return null;
        const result =
          sign === '+' ? a + b : sign === '-' ? a - b : sign === '*' ? a * b : sign === '/' ? a / b : a % b;
        return Number.isFinite(result) ? result : null;
      },
    };
  }

  #call(call: Expression & { kind: 'call' }): Compiled {
    const { name, arguments: given, ...place } = call;
    if (LOOPS.has(name)) return this.#loop(call);
    const callee = FUNCTIONS.get(name);
    if (callee === undefined) {
      const lack = lackOf(name);
      if (lack === null) throw new MqlError(`There is no function “${name}”`, place);
      return this.#lack(lack, name, place);
    }
    const [fewest, most] = callee.count;
    if (given.length < fewest || given.length > most)
      throw new MqlError(`“${name}” takes ${countWords(callee)}`, place);
    this.#checkPatterns(callee, given);
    const all = given.map((argument) => this.compile(argument));
    const isLacking = name === 'coalesce' ? all[0]?.type === 'lack' : isLackingCall(all);
    const type =
      typeof callee.type === 'function' ? callee.type(all.map((argument) => argument.type)) : callee.type;
    return {
      type: isLacking ? 'lack' : type,
      can: isLacking ? NEITHER : EITHER,
      run: (frame) =>
        callee.run(
          all.map(({ run }) => run(frame)),
          frame.work,
        ),
    };
  }

  /** Patterns that are written out are read with the rule, so that a wrong one is told with its line. */
  #checkPatterns({ patterns }: MqlFunction, given: readonly Expression[]): void {
    if (patterns === undefined) return;
    for (const argument of given.slice(patterns.from)) {
      if (argument.kind !== 'value' || typeof argument.value !== 'string') continue;
      try {
        mqlPattern(argument.value, patterns.ignoresCase);
      } catch (error) {
        if (error instanceof MqlPatternError) throw new MqlError(error.message, argument);
        throw error;
      }
    }
  }

  /** Functions that go through a list with a condition or an expression of each element. */
  #loop(call: Expression & { kind: 'call' }): Compiled {
    const { name, arguments: given, ...place } = call;
    const [listed, body] = given;
    if (listed === undefined || given.length > 2 || (body === undefined && name !== 'distinct'))
      throw new MqlError(
        `“${name}” takes a list and ${name === 'map' ? 'an expression' : 'a condition'}`,
        place,
      );
    const list = this.compile(listed);
    if (list.type !== 'lack' && list.type !== 'null' && !isItems(list.type))
      throw new MqlError(`“${name}” goes through a list, and this is none`, listed);
    const element: Type = isItems(list.type) ? list.type.items : 'lack';
    this.#scopes.push(element);
    const inner = body === undefined ? this.#scope(1, place) : this.compile(body);
    this.#scopes.pop();
    return LOOPS.get(name)!(list, inner, element);
  }
}

const pathOf = (owner: Expression, name: string): string =>
  owner.kind === 'member'
    ? `${pathOf(owner.of, owner.name)}.${name}`
    : owner.kind === 'scope' && owner.depth === 0
      ? name
      : `.${name}`;

const isLackingCall = (all: readonly Compiled[]): boolean =>
  all[0]?.type === 'lack' || (all.length > 1 && all.slice(1).every(({ type }) => type === 'lack'));

const countWords = ({ count: [fewest, most] }: MqlFunction): string => {
  const words =
    fewest === most ? `${fewest}` : most === Infinity ? `at least ${fewest}` : `${fewest} to ${most}`;
  return `${words} ${words === '1' ? 'argument' : 'arguments'}`;
};

function entryOf(map: Value, name: Value): Value {
  if (map === UNKNOWN || name === UNKNOWN) return UNKNOWN;
  if (map === null || typeof map !== 'object' || typeof name !== 'string') return null;
  return Object.hasOwn(map, name) ? ((map as Record<string, Value>)[name] ?? null) : null;
}

function isMember(
  value: Value,
  list: Sequence & { members?: ReadonlySet<string> },
  ignoresCase: boolean,
  work: Work,
): Value {
  const sought = ignoresCase && typeof value === 'string' ? work.lower(value) : value;
  if (list.members !== undefined) {
    work.spend(1);
    return typeof value === 'string' && (list.members.has(value) || list.members.has(work.lower(value)));
  }
  work.spend(list.items.length);
  let isOpen = list.isPartial;
  for (const item of list.items) {
    if (item === UNKNOWN) isOpen = true;
    else if (item === sought || (ignoresCase && typeof item === 'string' && work.lower(item) === sought))
      return true;
  }
  return isOpen ? UNKNOWN : false;
}

export interface MqlProgram {
  /** Everything it needs that is not here; with any, some mails that it is meant for are not hit. */
  missing: Missing[];
  /** Without what is missing it can never hit. */
  isIdle: boolean;
  run: (input: MqlInput, work: Work) => { hit: Value; places: FindingPlace[] };
}

/** Throws `MqlError` with line and column. */
export function compileMql(source: string, lists: MqlLists): MqlProgram {
  const compiler = new Compiler(lists);
  const { run, can } = compiler.compile(parseMql(source));
  const missing = [...compiler.missing.values()];
  return {
    missing,
    isIdle: missing.length > 0 && !can.yes,
    run: (input, work) => {
      const frame: Frame = { input, elements: [], work, places: [] };
      return { hit: run(frame), places: frame.places };
    },
  };
}
