import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { NO_SYMLINKS } from '#tests/support/symlinks.ts';
import { findStaticFile } from './static-files.ts';

const dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-static-'));
const root = path.join(dir, 'renderer');
mkdirSync(path.join(root, 'assets'), { recursive: true });
writeFileSync(path.join(root, 'index.html'), '<!doctype html>');
writeFileSync(path.join(root, 'assets', 'app.js'), '');
writeFileSync(path.join(root, 'notes.txt'), '');
writeFileSync(path.join(dir, 'secret.js'), '');
mkdirSync(path.join(dir, 'renderer-other'));
writeFileSync(path.join(dir, 'renderer-other', 'x.js'), '');
// If this user cannot create a link, the name does not exist.
if (NO_SYMLINKS === null) symlinkSync(path.join(dir, 'secret.js'), path.join(root, 'link.js'));
afterAll(() => rmSync(dir, { recursive: true }));

test.each([
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/index.html', 'index.html', 'text/html; charset=utf-8'],
  ['/assets/app.js', 'assets/app.js', 'text/javascript; charset=utf-8'],
  ['/assets/app%2Ejs', 'assets/app.js', 'text/javascript; charset=utf-8'],
])('%s is %s', async (urlPath, file, type) => {
  expect(await findStaticFile(root, urlPath)).toMatchObject({ path: path.join(root, file), type });
});

test.each([
  '/../secret.js',
  '/%2e%2e/secret.js',
  '/assets/..%2f..%2fsecret.js',
  '/..\\secret.js',
  '/%5c..%5csecret.js',
  '/../renderer-other/x.js',
  '/index.html%00.js',
  '/%',
  '/assets',
  '/assets/',
  '/missing.js',
  '/notes.txt',
  '/link.js',
])('%s is not served', async (urlPath) => expect(await findStaticFile(root, urlPath)).toBeNull());
