/** A small seeded generator (sfc32): the same seed gives the same numbers on every machine. */
export interface Random {
  /** [0, 1) */
  next(): number;
  /** An integer in [from, to]. */
  int(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** An index in [0, count), small ones far more often (Zipf-like). */
  skewed(count: number, skew?: number): number;
  hex(length: number): string;
}

function mix(h: number): number {
  let x = h | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}

/** A 32-bit hash of a text, for seeds. */
export function hashOf(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix(h);
}

export function random(seed: number | string): Random {
  const start = typeof seed === 'string' ? hashOf(seed) : mix(seed ^ 0x9e3779b9);
  let a = start;
  let b = mix(start + 1);
  let c = mix(start + 2);
  let d = 1;
  const word = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i += 1) word();
  const next = () => word() / 4294967296;
  return {
    next,
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    pick: (list) => {
      const item = list[Math.floor(next() * list.length)];
      if (item === undefined) throw new RangeError('Nothing to pick from');
      return item;
    },
    skewed: (count, skew = 3) => Math.min(count - 1, Math.floor(count * next() ** skew)),
    hex: (length) => {
      let out = '';
      while (out.length < length) out += word().toString(16).padStart(8, '0');
      return out.slice(0, length);
    },
  };
}
