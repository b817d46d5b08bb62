import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { type Compression, compressionOf, decompressed, decompressedMail } from './compressions.ts';
import { unlz4 } from './lz4.ts';

const WORDS =
  'the invoice is due on friday please open attached document and confirm your account with password reset link below regards'.split(
    ' ',
  );
/** A mail with all bytes, and with runs of the lengths at which bzip2 changes. */
const CONTENT = ((): Buffer => {
  let state = 7n;
  const next = () => {
    state = (state * 1103515245n + 12345n) & 0x7fffffffn;
    return Number(state >> 16n);
  };
  const text = Array.from({ length: 300 }, () => WORDS[next() % WORDS.length]).join(' ');
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const runs = `${'a'.repeat(4)}${'b'.repeat(259)}${'c'.repeat(300)}`;
  return Buffer.concat([Buffer.from(`From: a@x.example\nSubject: s\n\n${text}\n`), bytes, Buffer.from(runs)]);
})();

/** CONTENT as compressed by bzip2 1.0.8, xz 5.4.1, lz4 1.9.4 and zstd 1.5.4, in two streams with other options. */
const WRITTEN: readonly [string, Compression, string][] = [
  [
    'bzip2, two streams',
    'bzip2',
    'QlpoOTFBWSZTWSbPJ0gAAFTfgAAQQAEAEEEACAA//9/gMAGDAA1TzImSgANABjAAAAACJEqeTQp/qJPNUNo9KeNrx+3R67nVadH+ylBGC2RriawoQNG2uGCcQk3s6MMWym4Ju6a7pBTKxD6SHNBgi4hnzibkjAwnDu0tTW2ZzToE07gwNhAdlYZ9CNbqaF4o99PjwZ7f2CYA0pG0NQPxbA2WLxsJ6GAWP0JrwOSoblUSQhKCqkhWq6DSEQ42N96OcKu6ui2SSi6hgDigNRPxew+RsDUD6/Q9VyJ5EMgdx5LlTQeBh6BzzUyhhTovIdvkfGLEhCNI0PhTDiQkhISUPkfY68hP9O4wcrQnpflcL1HegOq2uULEP2uR4vstwnwB3Ai/xfDbEkZCEZncDQHkOoHvZDQeqBsMXQHmvvpsuF/4u5IpwoSBNnk6QEJaaDkxQVkmU1l94lUUAAGGf////////////////////////////////////////////8ACGF2gbo7UAJgAmACYAAAAEwjEwAAAAAAAAAA0AAAJhMAAJgIYAAJgATAAACYGiTAATAAEwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAImTQTVRoAANGgAABoADQAAAAAAPRB6mmhoAAAAAAAAAAAAAAABkAAAAACSkU9QNMJPRAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAHWm1JNS2NedGIeAgI1G45HY9H5BIZFI5JJZNJ5RKYGVSuClj63iMKL8RGFF+l9A3RQmazWJkBCSkkJCDH7UgUQpzxsYK2PJNLXlKEkOUpJLECaZm1QGkmtSYgp5rFIasBcBoYpIvLUxKwSolE0Wm5hrY5bjW4pvOJzOp3PJ7Pp++g6DQqHRKLRqPSKTSqXTISm06n1BMTfsnJ6goqSmqKqsrrCytLa4ury+wMLExsjKzM7Q0tTW2Nrc3t4ARxSAQCaCBBQAFwCipXUBsKYIuC/dxaHTghqhJxxpwTIC5g2EClACIdCBdVquICBCQCQgJIYCANaEJQAgCK2mIIRIgrgi00NNttjbbGmNIY00y7pNA9ggdiHyKmk2IgxEM7ShhDQXaISTwIiHCEEPHqIQINJiKsEUhkXd8k4isPRDpKISdNuxgxMGRKTEnSH8C4xgwYxiY2ESleQdCfpMQ9fANirKTsQ4BDIYkx86SaAeKoscEn4h4leXoNJjBxJ8IYBFIuBDwDEDBjGDBRcIEIVIgggYMFDpO0KChAeNiIMIIB+/hRAaAA+jj8/wEDBQcJCw0PERMVFxkaDjo+QkZKTlJWWl5iZmpucnZ6foKGi+9HSUtN+Kemp6ipqqusra6vsLGys7S1tre4ubq7vL2+v8DBwsPExcbHyMnKy8zNzs/Q0dLT1NXW19XW19jZ2v9t7m7vb/Bw8XHycvNz9HT1dfZ293f4f/x8vObB+k96+wT3F3JFOFCQfeJVFA=',
  ],
  [
    'xz, with CRC-64, zeros between, and SHA-256',
    'xz',
    '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4APnAURdACMcieb317WdmnuPUhDnioXGexUlGgPt104CuAP6LRDG6ItAesww4n3srsySdBsS/kgkEOsV8LciVDjOrKrykp+H6aX14pdYzGtwjhAZcjm62gqW5u6398aqJSJ7amO26P/aTtylLjmcjr3pvRzQDP1UwC+9UhkGVZKGjuHOZDGNJgFGHFuNGl/HCMavlSjZM8gEOMt10iBO0ljD/vHYGFINfn/VUiLPqZyPqvkwAh3yN6VEZFBOy8rMBczXJBQXPASTDj7wREkdLa2jjeuVWsh7pMRL38LoLPzn88cZK9TCA3M+oxbtvgbZUzYHjjzPk4VOEq/N/cGM30rmbPinsZ3feT1Eh0Ish+395CZrbN/qAy0HZKU3DZgOewJyitL22od6FRQnwfY/HVKeZQzLzwDJ6y9yzgPYNOItZndiVWyf019aKQAGtLBPo6YAAwAB4ALoBwAAbeNVubHEZ/sCAAAAAARZWgAAAAD9N3pYWgAACuH7DKECACEBFgAAAHQv5aPgBnoCAgMAORnULrEPFQ7Vxn/uq75X6fNH7M8+VCYFW2k1lqiaQ8FM6L6+UjGb2Z1tC+lQ6ZCvffrmjtMPz6d70lMFUPszqiEV69k8AoY/WaywYbx1wLOx9zBVeRROxs3c/G3PI5GT3Uk6xUj52F0+Za9BctwsiIXDQfV8bBiPgeKW86S2W8J/zA2jVI/Wz5kq9xzQOcJQJhnhFCFfS/MC53Zi8PeasXJlYn4FnBz3L0aOtSZif/vLvcUaHGzQAxY6C+N88AqFE1XT48WN/BQ7DRUyRKqMFTzmTYiTOnIW0h95EmU55NsUB1n6tHWM7jmdxzsy62UyMkj6JisD0f29WtUjl6BV9FzfBDEwN/cQ2sbhuhwl580qh4E+/wumSik4Oul2DY+XDWdn5n281tt/1KVSsRrsf2Zx6HYWKzWYRitLTNb8+KXs+Rk/v1vAc+lWDlYUK0qnymzc/+TuXJxS9pvdU6ILRWBu5XymO6VvUau+0nfgAJ+sUBfz7/lRGqbz362Bm5kySpwT5BL4X+igZKXiiChal9Kk5ewM7+P/Xwz1kG20OVH2g5N5jjYiTgxfmKiCQ2BEdTEmeE6/0Gfvmz5XT96ZPAI+DtjAN0QBpdrFLOOU+TB1JWEVBlMn2TzFHbYyxSbeP3iachoYpgEuI229FMrBocS6ItxGSgV+hL7izmHX7DQOAAAAAMpq7bcEU0EkRw3tj4xIInZtLOIYHgznHTl4RlsgE9xxAAG2BPsMAAC36juitunfHAIAAAAAClla',
  ],
  [
    'xz, four blocks with CRC-32',
    'xz',
    '/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4AK7AQddACMcieb317WdmnuPUhDnioXGexUlGgPt104CuAP6LRDG6ItAesww4n3srsySdBsS/kgkEOsV8LciVDjOrKrykp+H6aX14pdYzGtwjhAZcjm62gqW5u6398aqJSJ7amO26P/aTtylLjmcjr3pvRzQDP1UwC+9UhkGVZKGjuHOZDGNJgFGHFuNGl/HCMavlSjZM8gEOMt10iBO0ljD/vHYGFINfn/VUiLPqZyPqvkwAh3yN6VEZFBOy8rMBczXJBQXPASTDj7wREkdLa2jjeuVWsh7pMRL38LoLPzn88cZK9TCA3M+oxbtvgbZUzYHjjzPk4VOEq/N/cGM30rmbPinsZ3da8U0p/yEAAC/OCHAAgAhARYAAAB0L+Wj4AK7APddADKZAAUyQUzp921bb3tnTLZtMiJ4YYML5lNSKOv2D5ERE5XtU0yZiMAX1GzX2lw2e9sF7UfAvVhmoR6vs2ij+CoPjFLDzwMBLDGz/0PeC3OXbKCPowDOlvDIU6wyXHZNWzIYvmch0vNNL928ADlIld2uIgJynZaJp2jaJpXKNxwBzl4m401rm1qn02XDF3KSVcWvruIOa7b7X01mNyf+ITpSE0xFsOCz3T9aaxw2MEW5YlIvSM2nhsw321yhglESJ8glmK/XLoEsO2dMpHav/GJnq49OUeLNFdaKbiniI7SwhfrREtFTDvC7JeDubCKTPxMW6jtNpAAAAN3GJAoCACEBFgAAAHQv5aPgArsBol0AORkABkG+DuOltIrwZ2EluFBinFOmp4MUmpiAuYCZYgp/rmRICHSvg0BJwbSX0IKv1suga6N0WPXMhzEVzEx5xuv2CRDfO9OqVRYmBXEHMyVuhe6AIrpLwN1AvtMkIp0IcAOddSh3Y9fKM8spg0WzliWnqtpBARvHZWSub5RQDN2ueBcOTqxOL626X9UaFq0zp2R760TOp0PDYr59s97Pdm8xSw06MfQwHW36ajRXImnj+c84obDmSJBcd53YjlcgT+jv4hi0CbSR8v4Oeu6v3Dg92DzbADnxYT/AXpjuVsZD1Yg2aD+UDNsXyA9Ow9j3ojkFOsYJgrWuW66dT9xVt7UHpZHy9kenoN5bd14QfYnj8VOd8F9SJ8jFCPuRq4eG5959ikY16dfbuA8H9j/Atg6p2/YoOcFZbA70B/XGLjBU5hJXX4KcF1fmzQuQODjLeyQm6+OsgsOiPRPX16y24ZY1N64yZwv0OFoWeVpsXVD/QuLqiPzUp3F5+RAmfeNBMeifYMXkaYLDxpjYBReap3xKggf2R4HB+Y4k9z2vujZrMgAAAA5BfcYCACEBFgAAAHQv5aPgAi4AC10AMW/cY9//Vm/W6QAAALoULWAABJ8CvAWPArwFugO8BSOvBAAAAIeoa0eGAAiWBQAAAAABWVo=',
  ],
  [
    'lz4, with other data between, and checksums of blocks',
    'lz4',
    'BCJNGHRAvRcCAADyNUZyb206IGFAeC5leGFtcGxlClN1YmplY3Q6IHMKCm9uIHBsZWFzZSBhdHRhY2hlZCB3aXRoIGNvbmZpcm0gZnJpZGF5FAA0YW5kEAB1YWNjb3VudAgAMWR1ZR8AATwAtGRvY3VtZW50IGlzMAABGAAAIQD2FnRoZSB5b3VyIG9wZW4gcmVnYXJkcyBiZWxvdyBpbnZvaWNlIG8ZAARgAAVAAAQRAABMAAI2AAAKAAW8AAFWAINwYXNzd29yZGkAFm7bAAUaAAM7AATzAAPmAAMKAQoHACFvbtoABHkARWxpbmu4AAQVAATIAAQQAAGvAARHAASOAAD7AAJ4AAFEAAEkAAfzACJvbhgAQHJlc2VSAAAGAAIvAABdAQQeAABFAAJAARRutgAAAQEAFwAEIwAALwADGwAKDwECVAAEJwACDgABTAAFsQEBlAAE+wEEzQAEpAAFJgABVgAEHgABtAABOAACUQAFiwEDDwAQbgoAAuYBAKkABUUABgkAADsCBIkBACMAAVIABUcABI4AAXUAAa4AA9wAACsAAXgABCIACjgAABIBAS8AAA8BCW0AAlUBA54BBJwABEUAABADBLEBAsIABP8ABCoABPkAAIAABVACBD8AAlwAAYoAAZwAAbYAAQoABSsAAJkAASEAAJkABFUABGUAJW9uBgMDoQADBwAGywABNgAAHQIFPABgcyByZWdhp9f/VwAAAABqm+q8UCpNGAQAAABhYmNkBCJNGGRAp64CAAD1CHJkcyBjb25maXJtIGFjY291bnQgYW5kFABAcmVnYSQAABQAg3Jlc2V0IG9uCQAEGwBQYmVsb3cXAPYBZG9jdW1lbnQgaW52b2ljZREABE4A8wBwbGVhc2UgdGhlIGxpbms7APYAZnJpZGF5IHBhc3N3b3JkCQACHwCEYXR0YWNoZWQ+AAVWAAUZAAUJAABZAAaqACRpc1sAABgAAwsAM2R1ZVgABE8AEnU0AHZvbiB5b3VyfgAANQAFDQAFdQAJPACWb3BlbiB3aXRogwAB2AAKOwAndWVPAQCZAAEkACNkdXwAA3YBCngAAmAAASUBJWFu+wAMqgEEEAABuQAATQAWac4BAWAADJIBBDkABxgBBBMAAtkABTIAAdsAAEQAAd8ABEAAA0UBAscAAJkAKGlzWQEBiAABBQAEIwIIKQIDKQAFrQAChwEjaXMSAAV6ABJufQADLwAob26uAA97AgEHMQEkb24HAQFDAAKpAgQWAgm9AAHXACN0aLQAAWkBDoECASUAAxkBE3XvAQQwAQRTAQEfAP/3CgABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj9AQUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVpbXF1eX2BhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ent8fX5/gIGCg4SFhoeIiYqLjI2Oj5CRkpOUlZaXmJmam5ydnp+goaKjpKWmp6ipqqusra6vsLGys7S1tre4ubq7vL2+v8DBwsPExcbHyMnKy8zNzs/Q0dLT1NXW19jZ2tvc3d7f4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/v9hYWFhYgEA7x9jAQD/FFBjY2NjYwAAAADxbuMt',
  ],
  [
    'zstd, with other data between',
    'zstd',
    'KLUv/QRYXQoAQswhGpA36U2QlLchMhEhtGttyg2HkzgUFAvmZFoCdjCq5PzZ4C2b7S373tnenkUno58NEvwYvxddkpIhvfV25XKu4KeSM1yoVGQHo7qRK5SXKBtMp/A+slydxeeVYr0lrAcZ6kDH8Ctl8CRVm2KIVk5mA6lfUaQiYPFAIQUKG8hhCA8QAFaE41BAYqjBzp0UpLIfaxAUxaSzAxAyhc64kOE/woTcufuBoZOQnSRs9GGSVw/uU74cyzgiWDhF4Z+2C4CiTiFZHZ9mKPxD4L4aC9hun4X0dyxwOEax1FfD+GcbgiN+xRjyuqLU81mClF2CnbgbkP+hrT3SkRTsMkl0dc8E0UJfh0OFHLnwq8YcgX0Le/vI8cWut6goWe9ccqLTrmZCLHaDnd5vo51OmwAkW7P4fnzliIJBRqdXDgZXJvafifB+IKeJiMOlCslw0xxQKk0YBAAAAGFiY2QotS/9BGj1EQDEF3JkcyBjb25maXJtIGFjY291bnQgYW5kcmVnYXJlc2V0IG9uYmVsb3dkb2N1bWVudCBpbnZvaWNlcGxlYXNlIHRoZSBsaW5rZnJpZGF5IHBhc3N3b3JkYXR0YWNoZWRpc2R1ZXV5b3Vyb3BlbiB3aXRoaWlzbgoAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl9gYWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1+f4CBgoOEhYaHiImKi4yNjo+QkZKTlJWWl5iZmpucnZ6foKGio6SlpqeoqaqrrK2ur7CxsrO0tba3uLm6u7y9vr/AwcLDxMXGx8jJysvMzc7P0NHS09TV1tfY2drb3N3e3+Dh4uPk5ebn6Onq6+zt7u/w8fLz9PX29/j5+vv8/f7/YWFhYWJjZKhRjyQlqZNlzyACYphz5wESINMhrIAbVHQKDPv/zwEooHUa/LlCWFBn8Cq0h1YkVEKRLQFub9oHGDVDRtb4ChC8oGlQP50xLbMUD0j93ovVBDsxMyyq0EMX/5kzyrHKt2+IxHSkXqqEOwxszNy9EoT56AnxvC8srexwEDE2nu0tT/JX+zDOlEKyhJdtzAzTP3iAjQUOpIgD7ksB+8bsXkbz0K3PsdhMM1oDl7AWNuU3ciRaf1UPdmQRLWegrxnUkmiCpQ==',
  ],
];

async function* pieces(bytes: Buffer, length = bytes.length): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < bytes.length; offset += length) yield bytes.subarray(offset, offset + length);
}

/** What can be read, and whether that is all. */
async function read(kind: Compression, packed: Buffer, length?: number) {
  const out: Uint8Array[] = [];
  try {
    for await (const piece of decompressed(kind, () => pieces(packed, length))) out.push(piece);
    return { bytes: Buffer.concat(out), isWhole: true };
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return { bytes: Buffer.concat(out), isWhole: false };
  }
}

describe.each(WRITTEN)('%s', (_, kind, base64) => {
  const packed = Buffer.from(base64, 'base64');

  it('is recognised and read, in pieces of any length', async () => {
    expect(compressionOf(packed.toString('latin1', 0, 16))).toBe(kind);
    for (const length of [1, 7, 64, packed.length])
      expect(await read(kind, packed, length)).toEqual({ bytes: CONTENT, isWhole: true });
    expect(await decompressedMail(packed, CONTENT.length)).toEqual(CONTENT);
    expect(await decompressedMail(packed, CONTENT.length - 1)).toBeNull();
  });

  // Every third byte, for time; all pass.
  it('is never whole if it is cut off, except between streams, and is read up to there', async () => {
    let whole = 0;
    for (let length = 1; length < packed.length; length += 3) {
      const { bytes, isWhole } = await read(kind, packed.subarray(0, length));
      if (isWhole) whole += 1;
      if (isWhole) expect(bytes).toEqual(CONTENT.subarray(0, 1000));
      expect(CONTENT.subarray(0, bytes.length).equals(bytes)).toBe(true);
    }
    expect(whole).toBeLessThanOrEqual(2);
  });

  it('is never whole with another content if a byte is damaged', async () => {
    for (let index = 0; index < packed.length; index += 3) {
      const damaged = Buffer.from(packed);
      damaged[index] = damaged[index]! ^ (1 << (index % 8));
      const { bytes, isWhole } = await read(kind, damaged);
      if (isWhole && !bytes.equals(CONTENT)) expect(`${index}: ${bytes.length}`).toBe('an error');
    }
  });

  it('followed by something else is read, and is not whole', async () => {
    const { bytes, isWhole } = await read(kind, Buffer.concat([packed, Buffer.from('something else')]));
    expect([bytes.equals(CONTENT), isWhole]).toEqual([true, false]);
  });
});

const folder = mkdtempSync(path.join(tmpdir(), 'parapet-compressions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Programs that many machines have, and their options. */
const PROGRAMS: readonly [string, Compression, readonly string[]][] = [
  ['bzip2', 'bzip2', ['-1']],
  ['bzip2', 'bzip2', ['-9']],
  ['xz', 'xz', ['-0']],
  ['xz', 'xz', ['--lzma2=lc=0,lp=4,pb=4']],
  ['xz', 'xz', ['--lzma2=dict=4KiB,nice=2', '--check=none']],
  ['xz', 'xz', ['-9e', '--block-size=100000', '-T2']],
  ['lz4', 'lz4', ['-B4', '-BD']],
  ['lz4', 'lz4', ['-9', '--no-frame-crc']],
  ['zstd', 'zstd', ['-1', '--no-check']],
  ['zstd', 'zstd', ['--ultra', '-22', '--long=27']],
];
const isHere = (program: string) => spawnSync(program, ['--version']).status === 0;

it.each(PROGRAMS.filter(([program]) => isHere(program)))(
  'what %s writes (%s, %j) is read',
  async (program, kind, options) => {
    const word = fc.oneof(fc.constantFrom(...WORDS), fc.string(), fc.uint8Array({ maxLength: 400 }));
    const [parts = []] = fc.sample(fc.array(word, { minLength: 3_000, maxLength: 3_000 }), {
      numRuns: 1,
      seed: 3,
    });
    const some = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
    for (const content of [
      Buffer.alloc(0),
      Buffer.alloc(3_000_000, 'a'),
      some,
      Buffer.concat([some, some, some]),
    ]) {
      const file = path.join(folder, 'content');
      writeFileSync(file, content);
      const packed = execFileSync(program, [...options, '-q', '-c', file], { maxBuffer: 1e8 });
      const { bytes, isWhole } = await read(kind, packed, 65_536);
      expect([bytes.equals(content), isWhole]).toEqual([true, true]);
    }
  },
);

describe('hostile data', () => {
  const [bzip2, xz, , lz4, zstd] = WRITTEN.map(([, , base64]) => Buffer.from(base64, 'base64'));

  it.each([
    ['bzip2', bzip2],
    ['xz', xz],
    ['lz4', lz4],
    ['zstd', zstd],
  ] as const)('many streams of %s cost as much as their bytes', (kind, packed = Buffer.alloc(0)) =>
    expectLinear(1_200, async (count) => {
      const all = Buffer.concat(Array(count).fill(packed));
      expect((await read(kind, all, 4_096)).bytes).toHaveLength(count * CONTENT.length);
    }),
  );

  // An .xz up to its first chunk; by default with a dictionary of 4 KiB.
  const xzHead = (dictionary = 0) => {
    const header = Buffer.from([2, 0, 0x21, 1, dictionary, 0, 0, 0]);
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(crc32(header));
    return Buffer.concat([Buffer.from('\xfd7zXZ\0\0\x01\x69\x22\xde\x36', 'latin1'), header, sum]);
  };

  it('is read if the longest chunk follows at an odd place', async () => {
    // Written by liblzma 5.4.1, without bits of the position: 2,097,151 bytes, 237 of them not zero.
    const chunk = Buffer.from(
      '///+Ak4AAAECry2zN23rhxoBBS7zj4KcceXV+JOsnzWr1jhyYQPBAhhmDTpVV3cxDYN5u48nwph/ExyO4ZTJyMeyxGHcEdnWWEPcmi/XttmulSOXRxxFoiVOfO/RJ5tePzbMYVKUR70n3Rhm61c9ZOEVIadiOPEJugSgBiq5cnd9eeNQXAYdKB8+f+4tSeScOxTO7ZAE7YAC4PyIxsJ3vJz8jmWi4AwLBfYO0PwzrS6qAaKVMH/jAIrW1812j95SevbFSmRxbKCd79pq9OE801PsQcwmdKPzNRk8B/RnpzJSXX6NPqjEPDV6C4NRiKzmBG8mIcnXyPL5bWCGg5+b6l357hQ7r4WdaKYAWSS/546hIREcB/kugW2XOB6gOboEoIm4Y6bxxfsaQgIJ8KUWYuHjpeijCSrsqv9aJqxyDBaSp745jyThcJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/VkA/EJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vuaMC5WwI+F84OBwGXEJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vuOoFnY',
      'base64',
    );
    const content = Buffer.alloc(2_097_151);
    for (let index = 0; index < 237; index++) content[index] = ((index * 7 + 1) % 251) + 1;
    for (let more = 1; more <= 16; more++) {
      const stored = Buffer.concat([Buffer.from([2, 0, more - 1]), Buffer.alloc(more, 'x')]);
      const again = Buffer.from(chunk);
      again[0] = again[0]! & ~0x20;
      const { bytes } = await read('xz', Buffer.concat([xzHead(), chunk, stored, again]));
      expect(bytes.equals(Buffer.concat([content, Buffer.alloc(more, 'x'), content]))).toBe(true);
    }
  });

  it('takes no memory for what it only announces', async () => {
    // A dictionary of 64 MiB, and one more than that.
    const text = Buffer.concat([Buffer.from([1, 0, 3]), Buffer.from('mail')]);
    const before = process.memoryUsage().arrayBuffers;
    expect((await read('xz', Buffer.concat([xzHead(28), text]))).bytes.toString()).toBe('mail');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    for (const [kind, packed] of [
      ['xz', Buffer.concat([xzHead(29), text])],
      ['zstd', Buffer.from('\x28\xb5\x2f\xfd\x00\x89\x01\x00\x00', 'latin1')],
    ] as const) {
      const all = decompressed(kind, () => pieces(packed))[Symbol.asyncIterator]();
      await expect(all.next()).rejects.toThrow('MB of memory: unpack it first');
    }
  });
});

it('lz4 that is cut off within a length gives what precedes it', async () => {
  // The beginning of a text, up to the first byte of a length.
  const bytes = Buffer.from(
    '04224d186440a7630a00001f20010000ff0c474e552047454e4552414c205055424c4943204c4943454e53450a2e0000000200f1',
    'hex',
  );
  let text = '';
  const read = async () => {
    for await (const piece of unlz4(() => pieces(bytes))) text += Buffer.from(piece).toString();
  };
  await expect(read()).rejects.toThrow('it is cut off');
  expect(text).toContain('GNU GENERAL PUBLIC LICENSE');
});
