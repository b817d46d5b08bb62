/** Allow and block lists of the embedded service (specification sections 3, 5, 7 and 9). */
import { afterAll, describe, expect, it } from 'vitest';
import { Served } from '../support/served.ts';

const ANCHOR = Date.UTC(2026, 10, 19, 8);
const DAY = 86_400_000;
const demo = await Served.demo(ANCHOR);
afterAll(() => demo.close());

const product = { product: 'guard' };
const find = (body: Record<string, unknown> = {}) =>
  demo.call('exceptions.search2', { params: product, body });
const entry = (field: string, string: string, more: Record<string, unknown> = {}, type = 'blacklist') => ({
  type,
  string,
  payload: { field, matching: 'exact', ...more },
});
const create = (tool: string, exception: unknown) => ({ body: { sec_type: tool, exception } });

describe('search', () => {
  it('[spec 7] returns 20 a page of the last six months, newest first, of every tool with its count', async () => {
    const first = await find();
    expect(first.rows).toHaveLength(20);
    const counts = first.counts ?? [];
    expect(counts.length).toBeGreaterThan(6);
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(first.total_rows);
    const times = first.rows.map(({ created_at }) => Date.parse(created_at ?? ''));
    expect(times).toEqual([...times].sort((a, b) => b - a));
    const second = await find({ page: 1 });
    const ids = new Set([...first.rows, ...second.rows].map(({ id }) => id));
    expect(ids.size).toBe(40);
    const all = await find({ from: '2000-01-01T00:00:00Z' });
    expect(all.total_rows).toBeGreaterThan(first.total_rows ?? 0);
    const last = await find({ page: Math.floor(((first.total_rows ?? 0) - 1) / 20) });
    expect(Date.parse(last.rows.at(-1)?.created_at ?? '')).toBeGreaterThan(ANCHOR - 185 * DAY);
  });

  it('counts the emails that an entry matches', async () => {
    const { rows } = await find({ search: 'invoices-nordlicht', sec_type: 'ap_guard' });
    expect(rows).toHaveLength(1);
    const held = Number(
      demo.one("SELECT count(*) FROM emails WHERE from_domain = 'invoices-nordlicht.example'"),
    );
    expect(rows[0]).toMatchObject({ list: 'block', comment: 'INC-4468', hits: held });
  });

  it('[spec 7] finds by comment, type and list; exception_search covers the product’s own lists', async () => {
    const comment = await find({ search: 'do not remove' });
    expect(comment.rows.map(({ string }) => string)).toContain('192.0.2.0/27');
    const wild = await find({ search: '%' });
    expect(wild.total_rows).toBe(0);
    const blocks = await find({ type: 'block' });
    expect(blocks.rows.every(({ list }) => list === 'block')).toBe(true);
    const exceptions = await demo.call('exceptions.search', { params: product, body: {} });
    expect(new Set(exceptions.rows.map(({ sec_type }) => sec_type))).toEqual(new Set(['ap_guard']));
  });

  it('still returns the latest entries after the clock of the service was set back', async () => {
    const before = await find();
    demo.now -= 3_650 * DAY;
    try {
      const { rows } = await find();
      expect(rows.map(({ id }) => id)).toEqual(before.rows.map(({ id }) => id));
    } finally {
      demo.now += 3_650 * DAY;
    }
  });

  it.each([
    [{ sec_type: 'nobody' }, 400],
    [{ from: 'yesterday-ish' }, 400],
    [{ size: 5_000 }, 400],
    [{ page: -1 }, 400],
  ])('refuses %j', async (body, status) => {
    expect((await demo.refused('exceptions.search2', { params: product, body }))[0]).toBe(status);
  });

  it('covers this service’s product only', async () => {
    for (const name of ['exceptions.search', 'exceptions.search2', 'exceptions.combo-options'] as const)
      expect((await demo.refused(name, { params: { product: '../x' }, body: {} }))[0]).toBe(404);
  });
});

describe('the options of an entry', () => {
  it('[spec 7] names types with their fields and match modes, tool by tool', async () => {
    const { types } = await demo.call('exceptions.combo-options', { params: product, body: {} });
    expect(types.map(({ id }) => id)).toEqual(['whitelist', 'blacklist', 'spam_whitelist']);
    const url = await demo.call('exceptions.combo-options', {
      params: product,
      body: { sec_type: 'checkpoint_url' },
    });
    expect(url.types.map(({ list }) => list)).toEqual(['allow', 'block', 'allow', 'block']);
  });

  it('[spec 7] offers the values of an email and of a file', async () => {
    const id = demo.one(
      "SELECT entity_id FROM emails WHERE direction = 'incoming' AND attachments_count > 0",
    );
    for (const name of ['exceptions.options', 'exceptions.blacklist-options'] as const) {
      const { options } = await demo.call(name, { params: { ...product, type: 'email', id } });
      expect(options.map(({ field }) => field)).toEqual(
        expect.arrayContaining(['from_email', 'from_domain', 'recipient', 'md5', 'subject']),
      );
    }
    const file = demo.one('SELECT entity_id FROM files LIMIT 1');
    const { options } = await demo.call('exceptions.options', {
      params: { ...product, type: 'file', id: file },
    });
    expect(options.map(({ field }) => field)).toEqual(expect.arrayContaining(['hash', 'file_type']));
    expect(
      (await demo.refused('exceptions.options', { params: { ...product, type: 'email', id: 'none' } }))[0],
    ).toBe(404);
  });
});

describe('creating', () => {
  it('[spec 3, spec 7] stores what was sent, once, and lists it first', async () => {
    const sent = entry('from_domain', '@New-Lure.example', { matching: 'ends_with' });
    const created = await demo.call('exceptions.create-external', create('ap_guard', sent));
    expect(created.id).toBeTruthy();
    const { rows } = await find();
    expect(rows[0]).toMatchObject({
      id: created.id,
      sec_type: 'ap_guard',
      list: 'block',
      string: 'new-lure.example',
      created_by: 'tester',
      payload: { field: 'from_domain', matching: 'ends_with' },
    });
    const again = await demo.refused('exceptions.create-external', create('ap_guard', sent));
    expect(again).toEqual([409, expect.objectContaining({ field: 'exception.string' })]);
  });

  it.each([
    ['ap_guard', entry('md5', 'abc'), /invalidMd5:/],
    ['checkpoint_te', entry('hash', 'f'.repeat(63), {}, 'hash'), /invalidMd5OrSha256/],
    ['ap_guard', entry('from_email', '@nowhere.example'), /invalidEmail/],
    ['ap_guard', entry('from_domain', 'a@nowhere.example'), /invalidDomain/],
    ['ap_guard', entry('client_ip', '192.0.2.0/99', { matching: 'matching' }), /invalidNetwork/],
    ['ap_guard', entry('subject', '   '), /required/],
    ['ap_guard', entry('subject', 'x', { matching: 'ends_with' }), /unknownMatching/],
    ['ap_guard', entry('no_such_field', 'x'), /unknownType/],
    ['checkpoint_url', entry('url', 'not a url', {}, 'block_url'), /invalidUrl/],
  ])('refuses for %s %j', async (tool, exception, words) => {
    const [status, answer] = await demo.refused('exceptions.create-external', create(tool, exception));
    expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringMatching(words)]);
  });

  it('requires permission', async () => {
    const call = create('ap_guard', entry('from_domain', 'other.example'));
    expect((await demo.refused('exceptions.create-external', call, 'read_only'))[0]).toBe(403);
  });

  it('[spec 7] creates one for each entity, and says which failed', async () => {
    const id = demo.one(
      `SELECT entity_id FROM emails WHERE direction = 'incoming' AND verdict = 'clean'
       AND NOT EXISTS (SELECT 1 FROM exceptions WHERE instr(from_email, string) > 0) LIMIT 1`,
    );
    const answer = await demo.call('exceptions.create', {
      body: {
        files: [
          { entity_type: 'email', entity_id: id, sec_type: 'ap_guard' },
          { entity_type: 'email', entity_id: 'none', sec_type: 'ap_guard' },
        ],
      },
    });
    expect(answer.success).toBe(false);
    expect(answer.outcomes?.map(({ success }) => success)).toEqual([true, false]);
    const { rows } = await demo.call('scan.exceptions-status', { query: { entity_id: id } });
    expect(rows.find(({ sec_type }) => sec_type === 'ap_guard')).toMatchObject({
      status: 'allowed',
      exception_id: answer.outcomes?.[0]?.id,
    });
  });
});

describe('verdicts', () => {
  const scanOf = async (id: string, tool: string) => {
    const { rows } = await demo.call('scan.details', { query: { entity_id: id } });
    return rows.find((row) => row.tool === tool);
  };
  const rescan = async (id: string, tool: string, type = 'email') => {
    await demo.call('entity.rescan', {
      body: { src_entity_type: type, entity_id: id, app_names: [tool] },
    });
    demo.now += 60_000;
  };

  it('[spec 7] an allow-listed hash makes a rescan clean, with the reason', async () => {
    const id = demo.one(
      `SELECT e.entity_id FROM emails e JOIN attachments a ON a.email_id = e.id
       WHERE e.scans LIKE '%"tool":"checkpoint_te","status":"finished","code":"malw"%' LIMIT 1`,
    );
    expect((await scanOf(id, 'checkpoint_te'))?.verdict_code).toBe('malw');
    const sha256 = demo.one(
      'SELECT a.sha256 FROM attachments a JOIN emails e ON e.id = a.email_id WHERE e.entity_id = ? AND a.sha256 IS NOT NULL',
      id,
    );
    const hash = { type: 'hash', string: sha256.toUpperCase(), payload: { list: 'allow' } };
    await demo.call('exceptions.create-external', create('checkpoint_te', hash));
    await rescan(id, 'checkpoint_te');
    const after = await scanOf(id, 'checkpoint_te');
    expect(after).toMatchObject({ verdict_code: 'clean', matches: 0, re_evaluated: true });
    expect(after?.summary).toContain('Allowed by an exception');
  });

  it('a blocked sender makes a match; a block outweighs an allow unless that is exclusive', async () => {
    const id = demo.one(
      `SELECT entity_id FROM emails WHERE direction = 'incoming' AND verdict = 'clean' AND from_domain NOT IN
       (SELECT string FROM exceptions) ORDER BY id DESC LIMIT 1`,
    );
    const from = demo.one('SELECT from_email FROM emails WHERE entity_id = ?', id);
    await demo.call('exceptions.create-external', create('ap_guard', entry('from_email', from)));
    await rescan(id, 'ap_guard');
    expect(await scanOf(id, 'ap_guard')).toMatchObject({ verdict_code: 'phsh', matches: 1 });
    expect(demo.one('SELECT verdict FROM emails WHERE entity_id = ?', id)).toBe('found');
    await demo.call(
      'exceptions.create-external',
      create('ap_guard', entry('from_email', from, {}, 'whitelist')),
    );
    await rescan(id, 'ap_guard');
    expect((await scanOf(id, 'ap_guard'))?.verdict_code).toBe('phsh');
    const subject = demo.one('SELECT subject FROM emails WHERE entity_id = ?', id);
    const exclusive = { ...entry('subject', subject, {}, 'whitelist'), is_exclusive: true };
    await demo.call('exceptions.create-external', create('ap_guard', exclusive));
    await rescan(id, 'ap_guard');
    expect((await scanOf(id, 'ap_guard'))?.verdict_code).toBe('clean');
  });
});
