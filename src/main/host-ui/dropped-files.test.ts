import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OFFER_WORDS } from '#shared/model/offer.ts';
import { createGrants } from '../kernel/grants.ts';
import { offerOf } from './dropped-files.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-offers-'));
  mkdirSync(path.join(dir, 'mail.html'));
  for (const name of [
    'a.eml',
    'B.MBOX',
    'c.msg',
    'd.pst',
    'e.zip',
    'winmail.dat',
    'queries.json',
    'page.html',
  ])
    writeFileSync(path.join(dir, name), '');
});
afterEach(() => rmSync(dir, { recursive: true }));

test.each([
  ['a.eml', 'mail-file'],
  ['B.MBOX', 'mail-file'],
  ['c.msg', 'mail-file'],
  ['d.pst', 'mail-file'],
  ['e.zip', 'mail-file'],
  ['winmail.dat', 'mail-file'],
  ['queries.json', 'query-file'],
  ['mail.html', 'mail-folder'],
])('%s is offered as a %s, and the window gets a grant but no path', async (name, kind) => {
  const grants = createGrants();
  const offer = await offerOf(path.join(dir, name), grants);
  expect(offer).toEqual({ kind, name, grantId: expect.any(String) });
  expect(grants.redeem('grantId' in offer ? offer.grantId : '').path).toBe(path.join(dir, name));
});

test.each([
  ['page.html', OFFER_WORDS.notOurs],
  ['gone.eml', OFFER_WORDS.gone],
])('%s is refused with a message', async (name, reason) => {
  expect(await offerOf(path.join(dir, name), createGrants())).toEqual({ kind: 'refused', name, reason });
});

test('a file that a page created itself has no path, and is refused', async () => {
  expect(await offerOf('', createGrants())).toMatchObject({ kind: 'refused', reason: OFFER_WORDS.gone });
});
