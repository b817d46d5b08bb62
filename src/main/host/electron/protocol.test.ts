import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { APP_SCHEME, createProtocolHandler, isOwnUrl } from './protocol.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'parapet-protocol-'));
writeFileSync(path.join(root, 'index.html'), '<!doctype html><title>Parapet</title>');
afterAll(() => rmSync(root, { recursive: true }));
const handle = createProtocolHandler(root);

test('the page has the content policy and the other headers', async () => {
  const answer = await handle(new Request('app://parapet/index.html'));
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('Parapet');
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = answer.headers.get('content-security-policy') ?? '';
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "object-src 'none'",
    "frame-ancestors 'none'",
  ])
    expect(policy).toContain(rule);
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  expect(policy).not.toContain('http');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
});

test.each([
  ['app://parapet/../../package.json', 404],
  ['app://parapet/%2e%2e/%2e%2e/package.json', 404],
  ['app://parapet/missing.js', 404],
  ['app://other/index.html', 404],
])('%s answers %d', async (url, status) => {
  const answer = await handle(new Request(url));
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-security-policy')).not.toBeNull();
});

test('only reads are possible', async () => {
  expect((await handle(new Request('app://parapet/index.html', { method: 'POST' }))).status).toBe(405);
});

test('the scheme has no privilege that weakens the policy', () => {
  expect(APP_SCHEME.privileges).toEqual({
    standard: true,
    secure: true,
    supportFetchAPI: true,
    codeCache: true,
  });
});

test.each([
  ['app://parapet', true],
  ['app://parapet/index.html#x', true],
  ['app://parapet.evil.example/', false],
  ['app://parapetx/', false],
  ['https://parapet/', false],
])('%s is ours: %s', (url, expected) => expect(isOwnUrl(url)).toBe(expected));
