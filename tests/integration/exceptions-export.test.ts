/** The list of exceptions as a file: every page of the search, CSV without formulas, JSON as the service returns it. */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { safeFileName } from '#main/kernel/file-names.ts';
import { addTenant, type Core, startCore, temporaryProfile } from '#tests/support/core.ts';
import { parseCsv } from '#tests/support/csv.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';

let profile: ReturnType<typeof temporaryProfile>;
let service: ScriptedService;
let core: Core;
let folder: string;
let connectionId: string;

const entry = (n: number) => ({
  id: `e${n}`,
  sec_type: 'ap_guard',
  type: 'blacklist',
  string: n === 3 ? '=cmd|calc' : `site${n}.example`,
  payload: {
    field: 'from_domain',
    matching: 'exact',
    and: [{ field: 'subject', matching: 'exact', value: 'x' }],
  },
  comment: n === 4 ? 'said "no",\nthen yes' : null,
  is_exclusive: false,
  created_at: '2026-11-19T08:00:00Z',
  hits: n,
});
const ENTRIES = Array.from({ length: 45 }, (_, n) => entry(n));

beforeEach(async () => {
  profile = temporaryProfile();
  folder = path.join(profile.path, 'chosen');
  mkdirSync(folder);
  service = await startScripted();
  service.answer = (_, response, { body }) => {
    // A service that always returns pages of twenty, whatever is requested.
    const { page = 0 } = JSON.parse(String(body) || '{}') as { page?: number };
    sendJson(response, { rows: ENTRIES.slice(page * 20, page * 20 + 20), total_rows: ENTRIES.length });
  };
  core = await startCore({
    profile: profile.path,
    dialogs: {
      open: async ({ kind }) =>
        kind === 'verify-file' ? { path: path.join(folder, 'list.csv'), name: 'list.csv' } : null,
      save: async ({ suggestedName }) => {
        const name = safeFileName(suggestedName);
        return { path: path.join(folder, name), name };
      },
    },
  });
  ({ id: connectionId } = await addTenant(core.bridge, service.base));
});
afterEach(async () => {
  await core.stop();
  await service.stop();
  profile.remove();
});

async function write(format: 'csv' | 'json', ids?: string[]) {
  const grant = await core.bridge.call('dialogs.save', { suggestedName: `list.${format}`, kind: format });
  return core.bridge.call('exceptions.export', {
    connectionId,
    search: { type: 'block', search: 'site' },
    ...(ids ? { ids } : {}),
    format,
    grantId: grant?.grantId ?? '',
  });
}
const file = (name: string) => path.join(folder, name);

describe('the list as a file', () => {
  it('has a manifest that describes it; verifying against it detects a changed file', async () => {
    const { bytes } = await write('csv');
    const manifest = JSON.parse(readFileSync(file('list.csv.manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({
      kind: 'parapet-file-manifest',
      file: 'list.csv',
      bytes,
      sha256: createHash('sha256')
        .update(readFileSync(file('list.csv')))
        .digest('hex'),
      entries: 45,
      connection: 'A tenant',
    });
    const verify = async () => {
      const grant = await core.bridge.call('dialogs.open', { kind: 'verify-file' });
      return (await core.bridge.call('files.verify', { grantId: grant?.grantId ?? '' })).holds;
    };
    expect(await verify()).toBe(true);
    appendFileSync(file('list.csv'), 'x');
    expect(await verify()).toBe(false);
  });

  it('[promise] has every page of the search as CSV, without formulas', async () => {
    expect(await write('csv')).toMatchObject({ name: 'list.csv', count: 45 });
    const text = readFileSync(file('list.csv'), 'utf8');
    const [header, ...rows] = parseCsv(text.slice(1));
    expect(header?.slice(0, 6)).toEqual(['tool', 'list', 'type', 'field', 'matching', 'string']);
    expect(rows).toHaveLength(45);
    expect(rows[0]?.slice(0, 7)).toEqual([
      'Anti-phishing',
      'block',
      'Block',
      'From domain',
      'exact',
      'site0.example',
      'Subject exact x',
    ]);
    expect(rows[3]?.[5]).toBe("'=cmd|calc");
    expect(rows[4]?.[7]).toBe('said "no",\nthen yes');
    const searches = service.seen.filter(({ url }) => url.includes('exception_search2'));
    expect(searches).toHaveLength(3);
    expect(JSON.parse(String(searches[2]?.body))).toMatchObject({ type: 'block', search: 'site', page: 2 });
  });

  it("has only the selected ones as JSON, in the service's format", async () => {
    expect(await write('json', ['e2', 'e44'])).toMatchObject({ count: 2, missing: null });
    expect(JSON.parse(readFileSync(file('list.json'), 'utf8'))).toEqual([ENTRIES[2], ENTRIES[44]]);
  });

  it('is PARTIAL if a selected entry is no longer on the list', async () => {
    const written = await write('json', ['e2', 'e44', 'gone']);
    expect(written).toMatchObject({ name: 'list PARTIAL.json', count: 2 });
    expect(written.missing).toBe('The search does not return 1 of the 3 selected entries.');
    expect(JSON.parse(readFileSync(file('list PARTIAL.json'), 'utf8'))).toEqual([ENTRIES[2], ENTRIES[44]]);
    expect(JSON.parse(readFileSync(file('list PARTIAL.json.manifest.json'), 'utf8'))).toMatchObject({
      completeness: 'PARTIAL',
      why: written.missing,
    });
  });

  it.each([
    ['csv', 45, undefined],
    ['json', 2, ['e2', 'e44']],
  ] as const)('%s has its manifest beside it: content, count, size and hash', async (format, count, ids) => {
    await write(format, ids === undefined ? undefined : [...ids]);
    const bytes = readFileSync(file(`list.${format}`));
    expect(JSON.parse(readFileSync(file(`list.${format}.manifest.json`), 'utf8'))).toMatchObject({
      kind: 'parapet-file-manifest',
      file: `list.${format}`,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      entries: count,
      connection: 'A tenant',
    });
  });

  it('[bad input] is PARTIAL, in its name and manifest, if the service ends before its own count', async () => {
    service.answer = (_, response, { body }) => {
      const { page = 0 } = JSON.parse(String(body) || '{}') as { page?: number };
      sendJson(response, { rows: page < 2 ? ENTRIES.slice(page * 10, page * 10 + 10) : [], total_rows: 45 });
    };
    writeFileSync(file('list.csv'), 'an earlier, whole list');
    const written = await write('csv');
    expect(written).toMatchObject({ name: 'list PARTIAL.csv', count: 20 });
    expect(written.missing).toContain('20 of 45');
    expect(readFileSync(file('list.csv'), 'utf8')).toBe('an earlier, whole list');
    const text = readFileSync(file('list PARTIAL.csv'), 'utf8');
    expect(parseCsv(text.slice(1))).toHaveLength(21);
    const manifest = JSON.parse(readFileSync(file('list PARTIAL.csv.manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ entries: 20, completeness: 'PARTIAL', why: written.missing });
  });

  it('has each entry once, and is PARTIAL, if the service returns the same page for every number', async () => {
    service.answer = (_, response) => sendJson(response, { rows: ENTRIES.slice(0, 20), total_rows: 45 });
    expect(await write('json')).toMatchObject({ name: 'list PARTIAL.json', count: 20 });
    expect(JSON.parse(readFileSync(file('list PARTIAL.json'), 'utf8'))).toEqual(ENTRIES.slice(0, 20));
  });

  it('has every page of a service that does not count, whatever the size of its pages', async () => {
    const sizes = new Set<unknown>();
    service.answer = (_, response, { body }) => {
      const { page = 0, size } = JSON.parse(String(body) || '{}') as { page?: number; size?: number };
      sizes.add(size);
      sendJson(response, { rows: ENTRIES.slice(page * 20, page * 20 + 20) });
    };
    expect(await write('json')).toMatchObject({ name: 'list.json', count: 45, missing: null });
    expect([...sizes]).toEqual([20]);
  });

  it('has every page of a service that counts only the rows of a page', async () => {
    service.answer = (_, response, { body }) => {
      const { page = 0 } = JSON.parse(String(body) || '{}') as { page?: number };
      const rows = ENTRIES.slice(page * 20, page * 20 + 20);
      sendJson(response, { rows, total_rows: rows.length });
    };
    expect(await write('json')).toMatchObject({ name: 'list.json', count: 45, missing: null });
  });

  it('has an entry that was added while the pages were read, and none twice', async () => {
    let list = ENTRIES;
    service.answer = (_, response, { body }) => {
      const { page = 0 } = JSON.parse(String(body) || '{}') as { page?: number };
      if (page === 1 && list === ENTRIES) list = [entry(99), ...ENTRIES];
      sendJson(response, { rows: list.slice(page * 20, page * 20 + 20), total_rows: list.length });
    };
    expect(await write('json')).toMatchObject({ name: 'list.json', count: 46, missing: null });
    expect(JSON.parse(readFileSync(file('list.json'), 'utf8'))).toEqual(list);
  });

  it('leaves nothing behind when the service stops answering', async () => {
    service.answer = (_, response) => sendJson(response, { error: 'down' }, 500);
    await expect(write('csv')).rejects.toMatchObject({ code: 'server-error' });
    expect(existsSync(file('list.csv'))).toBe(false);
    expect(existsSync(file('list.csv.part'))).toBe(false);
  });
});
