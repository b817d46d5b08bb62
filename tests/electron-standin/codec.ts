/** Encodes values as text between worlds and processes; accepts exactly what the structured clone algorithm does. */

/** A nested value: itself, or a tagged form of a value that JSON lacks. */
type Slot = string | number | boolean | null | { t: string; v?: string | number };
type Entry = [string, ...unknown[]];

export interface Codec {
  /** Throws Electron's error for values that can't be cloned. `onFunction` assigns ids where functions are allowed. */
  encode(value: unknown, onFunction?: (value: () => unknown) => number): string;
  decode(text: string, onFunction?: (id: number) => unknown): unknown;
}

/** Self-contained, as its source text also runs in the page. */
export function createCodec(): Codec {
  const VIEWS: Record<string, new (buffer: ArrayBuffer, offset: number, length: number) => ArrayBufferView> =
    {
      Int8Array,
      Uint8Array,
      Uint8ClampedArray,
      Int16Array,
      Uint16Array,
      Int32Array,
      Uint32Array,
      Float32Array,
      Float64Array,
      BigInt64Array,
      BigUint64Array,
      DataView,
    };
  const tagOf = (value: object) => Object.prototype.toString.call(value).slice(8, -1);
  const refuse = (): never => {
    throw new Error('An object could not be cloned.');
  };
  const toText = (bytes: Uint8Array) => {
    let text = '';
    for (let offset = 0; offset < bytes.length; offset += 0x8000)
      text += String.fromCharCode(...bytes.subarray(offset, offset + 0x8000));
    return btoa(text);
  };

  return {
    encode(value, onFunction) {
      const entries: Entry[] = [];
      const slots = new Map<object, number>();

      const fill = (value: object): Entry => {
        if (Array.isArray(value))
          return ['array', Array.from(value, (item, index) => (index in value ? slot(item) : { t: 'hole' }))];
        if (ArrayBuffer.isView(value))
          return [
            'view',
            tagOf(value),
            slot(value.buffer),
            value.byteOffset,
            'length' in value ? value.length : value.byteLength,
          ];
        const tag = tagOf(value);
        if (tag === 'Date') return ['date', slot((value as Date).getTime())];
        if (tag === 'RegExp') return ['regexp', (value as RegExp).source, (value as RegExp).flags];
        if (tag === 'Map')
          return ['map', [...(value as Map<unknown, unknown>)].map((pair) => pair.map(slot))];
        if (tag === 'Set') return ['set', [...(value as Set<unknown>)].map(slot)];
        if (tag === 'ArrayBuffer') return ['buffer', toText(new Uint8Array(value as ArrayBuffer))];
        if (tag === 'Error')
          return ['error', (value as Error).name, (value as Error).message, (value as Error).stack ?? ''];
        if (tag === 'Boolean' || tag === 'Number' || tag === 'String')
          return ['boxed', slot(value.valueOf())];
        if (tag !== 'Object') return refuse();
        return ['object', Object.entries(value).map(([key, item]) => [key, slot(item)])];
      };

      const slot = (item: unknown): Slot => {
        if (item === null || typeof item === 'string' || typeof item === 'boolean') return item;
        if (typeof item === 'number')
          return Number.isFinite(item) && !Object.is(item, -0)
            ? item
            : { t: 'number', v: Object.is(item, -0) ? '-0' : String(item) };
        if (item === undefined) return { t: 'undefined' };
        if (typeof item === 'bigint') return { t: 'bigint', v: String(item) };
        if (typeof item === 'function')
          return onFunction === undefined
            ? refuse()
            : { t: 'function', v: onFunction(item as () => unknown) };
        if (typeof item === 'symbol') return refuse();
        const object = item as object;
        const before = slots.get(object);
        if (before !== undefined) return { t: 'ref', v: before };
        const slot = entries.push(['', null]) - 1;
        slots.set(object, slot);
        entries[slot] = fill(object);
        return { t: 'ref', v: slot };
      };

      const root = slot(value);
      return JSON.stringify([root, entries]);
    },

    decode(text, onFunction) {
      const [root, entries] = JSON.parse(text) as [Slot, Entry[]];
      const values: unknown[] = [];

      const make = (slot: number): unknown => {
        if (slot in values) return values[slot];
        const [kind, ...rest] = entries[slot]!;
        const first = rest[0];
        switch (kind) {
          case 'array': {
            const slots = first as Slot[];
            const array: unknown[] = new Array(slots.length);
            values[slot] = array;
            slots.forEach((item, index) => {
              if (typeof item !== 'object' || item?.t !== 'hole') array[index] = value(item);
            });
            return array;
          }
          case 'object': {
            const object = {};
            values[slot] = object;
            for (const [key, item] of first as [string, Slot][])
              Object.defineProperty(object, key, {
                value: value(item),
                enumerable: true,
                writable: true,
                configurable: true,
              });
            return object;
          }
          case 'map': {
            const map = new Map();
            values[slot] = map;
            for (const [key, item] of first as [Slot, Slot][]) map.set(value(key), value(item));
            return map;
          }
          case 'set': {
            const set = new Set();
            values[slot] = set;
            for (const item of first as Slot[]) set.add(value(item));
            return set;
          }
          case 'date':
            values[slot] = new Date(value(first as Slot) as number);
            return values[slot];
          case 'regexp':
            values[slot] = new RegExp(first as string, rest[1] as string);
            return values[slot];
          case 'boxed':
            values[slot] = Object(value(first as Slot));
            return values[slot];
          case 'error': {
            const error = new Error(rest[1] as string);
            const hidden = { enumerable: false, configurable: true, writable: true };
            Object.defineProperty(error, 'stack', { ...hidden, value: rest[2] });
            if (first !== 'Error') Object.defineProperty(error, 'name', { ...hidden, value: first });
            values[slot] = error;
            return error;
          }
          case 'buffer':
            values[slot] = Uint8Array.from(atob(first as string), (char) => char.charCodeAt(0)).buffer;
            return values[slot];
          default:
            values[slot] = new VIEWS[first as string]!(
              value(rest[1] as Slot) as ArrayBuffer,
              rest[2] as number,
              rest[3] as number,
            );
            return values[slot];
        }
      };

      const value = (item: Slot): unknown => {
        if (typeof item !== 'object' || item === null) return item;
        switch (item.t) {
          case 'ref':
            return make(item.v as number);
          case 'undefined':
            return undefined;
          case 'number':
            return Number(item.v);
          case 'bigint':
            return BigInt(item.v!);
          default:
            return onFunction?.(item.v as number);
        }
      };
      return value(root);
    },
  };
}
