import { describe, expect, it } from 'vitest';
import { type ErrorCode, ParapetError } from '#shared/bridge/errors.ts';
import { readNumberedPages } from './numbered-pages.ts';

const LIST = Array.from({ length: 45 }, (_, n) => `e${n}`);

interface Service {
  list?: (turn: number) => readonly string[];
  size?: number;
  total?: (list: readonly string[]) => number | null;
  /** Pages from this one on are empty. */
  ends?: number;
  ignoresPage?: boolean;
  /** Counts the rows of the page instead of the list. */
  countsPage?: boolean;
  /** Requesting a page beyond the last one fails with this code. */
  refusesMore?: ErrorCode;
}

async function read(service: Service, most = 1_000) {
  const { list = () => LIST, size = 20, ends = Number.POSITIVE_INFINITY } = service;
  let turn = 0;
  const answer = await readNumberedPages({
    ask: async (page) => {
      const now = list(turn++);
      const start = service.ignoresPage ? 0 : page * size;
      const rows = page >= ends ? [] : now.slice(start, start + size);
      if (service.refusesMore && rows.length === 0)
        throw new ParapetError(service.refusesMore, 'No such page');
      return {
        rows,
        total_rows: service.total ? service.total(service.countsPage ? rows : now) : now.length,
      };
    },
    idOf: (row) => row,
    most,
  });
  return { ...answer, asked: turn };
}

describe('a list in numbered pages', () => {
  it.each([1, 20, 44, 45, 46, 200])(
    'is complete with pages of %d; a further page is read only if the count equals the size of the first',
    async (size) => {
      expect(await read({ size })).toEqual({
        rows: LIST,
        total: 45,
        isWhole: true,
        asked: size < 45 ? Math.ceil(45 / size) : 2,
      });
    },
  );

  it('keeps every entry with a missing or empty id', async () => {
    const answer = await readNumberedPages({
      ask: async () => ({
        rows: [
          { id: '', of: 1 },
          { id: '', of: 2 },
          { id: null, of: 3 },
        ],
        total_rows: 3,
      }),
      idOf: ({ id }) => id,
      most: 10,
    });
    expect(answer).toMatchObject({ rows: [{ of: 1 }, { of: 2 }, { of: 3 }], isWhole: true });
  });

  it('is empty after one page', async () => {
    expect(await read({ list: () => [] })).toEqual({ rows: [], total: 0, isWhole: true, asked: 1 });
  });

  it('without a count ends at an empty page', async () => {
    expect(await read({ total: () => null })).toEqual({ rows: LIST, total: null, isWhole: true, asked: 4 });
  });

  it('without a count is not known to be complete if every page is the same', async () => {
    expect(await read({ total: () => null, ignoresPage: true })).toMatchObject({
      rows: LIST.slice(0, 20),
      isWhole: false,
      asked: 2,
    });
  });

  it('[bad input] is incomplete if it ends before its count, or repeats its first page', async () => {
    expect(await read({ ends: 2 })).toMatchObject({ rows: LIST.slice(0, 40), total: 45, isWhole: false });
    expect(await read({ ignoresPage: true })).toMatchObject({ rows: LIST.slice(0, 20), isWhole: false });
  });

  it('with more entries than its count says is read to its end', async () => {
    expect(await read({ total: () => 30 })).toMatchObject({ rows: LIST, total: 30, isWhole: true });
  });

  it('[bad input] is read again when its count changes between two pages', async () => {
    const added = ['new', ...LIST];
    expect(await read({ list: (turn) => (turn === 0 ? LIST : added) })).toMatchObject({
      rows: added,
      isWhole: true,
    });
    const removed = LIST.slice(1);
    expect(await read({ list: (turn) => (turn === 0 ? LIST : removed) })).toMatchObject({
      rows: removed,
      isWhole: true,
    });
  });

  it('that never stops changing is given up, and is incomplete', async () => {
    const answer = await read({
      list: (turn) => [...LIST, ...Array.from({ length: turn }, (_, n) => `new${n}`)],
    });
    expect(answer.isWhole).toBe(false);
    expect(answer.asked).toBeLessThan(20);
  });

  it.each([
    [44, false, 60],
    [45, true, 45],
  ] as const)('with 45 entries is read up to %d', async (most, isWhole, limit) => {
    expect((await read({ size: 1 }, most)).isWhole).toBe(isWhole);
    expect((await read({ size: 1 }, most)).asked).toBeLessThanOrEqual(limit);
  });

  describe('that counts only its first page', () => {
    const countsPage = { countsPage: true, total: (rows: readonly string[]) => rows.length };

    it.each([1, 15, 20, 44])('is read to its end in pages of %d', async (size) => {
      expect(await read({ ...countsPage, size })).toMatchObject({ rows: LIST, total: null, isWhole: true });
    });

    it.each([
      ['is empty', {}],
      ['repeats the first one', { ignoresPage: true }],
      ['is refused', { refusesMore: 'not-found' }],
      ['is a bad request', { refusesMore: 'bad-request' }],
    ] satisfies [string, Service][])('has a correct count if the next page %s', async (_, service) => {
      expect(await read({ size: 45, ...service })).toEqual({
        rows: LIST,
        total: 45,
        isWhole: true,
        asked: 2,
      });
    });

    it.each(['cancelled', 'unreachable', 'server-error'] as const)(
      'is not taken for the whole when asking for the next page ends with %s',
      async (code) => {
        await expect(read({ size: 45, refusesMore: code })).rejects.toThrow('No such page');
      },
    );
  });
});
