import { describe, expect, it } from 'vitest';
import { blocksAhead } from './grid-scroll.ts';

function setUp() {
  const reads: string[] = [];
  const blocks = blocksAhead(async (start, end, sort) => {
    reads.push(`${start}-${end}${sort.map(({ dbId }) => ` ${dbId}`).join('')}`);
    return { start };
  }, 100);
  return { asked: reads, blocks };
}

describe('preloaded blocks', () => {
  it('are requested once for the visible rows, and passed to the grid', async () => {
    const { asked, blocks } = setUp();
    await blocks.read(0, 100, []);
    blocks.look(590, 610);
    blocks.look(591, 611);
    expect(asked).toEqual(['0-100', '500-600', '600-700']);
    expect(await blocks.read(500, 600, [])).toEqual({ start: 500 });
    expect(asked).toHaveLength(3);
  });

  it('exclude blocks that the grid has, and start only after its first one', async () => {
    const { asked, blocks } = setUp();
    blocks.look(0, 20);
    expect(asked).toEqual([]);
    await blocks.read(0, 100, []);
    blocks.look(10, 30);
    expect(asked).toEqual(['0-100']);
  });

  it('are requested again in another order and after rows were added', async () => {
    const { asked, blocks } = setUp();
    await blocks.read(0, 100, []);
    blocks.look(300, 320);
    await blocks.read(300, 400, [{ dbId: 'subject', direction: 'asc' }]);
    blocks.look(700, 720);
    blocks.forget();
    await blocks.read(700, 800, [{ dbId: 'subject', direction: 'asc' }]);
    expect(asked).toEqual(['0-100', '300-400', '300-400 subject', '700-800 subject', '700-800 subject']);
  });

  it('report a failure to the grid only', async () => {
    let fails = false;
    const blocks = blocksAhead<null>(async () => {
      if (fails) throw new Error('gone');
      return null;
    }, 100);
    await blocks.read(0, 100, []);
    fails = true;
    blocks.look(300, 320);
    await Promise.resolve();
    fails = false;
    await expect(blocks.read(300, 400, [])).rejects.toThrow('gone');
    await expect(blocks.read(300, 400, [])).resolves.toBeNull();
  });
});
