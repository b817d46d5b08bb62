/** Fetching Electron's binary at the first start, from a server on loopback: slow, stalled, wrong, and unreachable. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

interface Fetching {
  fetchElectron(options: {
    dir: string;
    out: { write(text: string): void };
    stallMs?: number;
  }): Promise<string | null>;
  electronBinary(dir: string): string | null;
  noteFailedFetch(file: string): void;
  FETCH_HELP: string;
}
const { fetchElectron, electronBinary, noteFailedFetch, FETCH_HELP } = (await import(
  '../../scripts/electron-binary.mjs' as string
)) as Fetching;

const modules = path.resolve(import.meta.dirname, '../../node_modules');
const VERSION = '45.4.1';
const NAME = `electron-v${VERSION}-${process.platform}-${process.arch}.zip`;
const PROGRAM =
  { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[process.platform as string] ??
  'electron';

let root: string;
let dir: string;
let archive: Uint8Array;
let close: () => Promise<void>;
let out: { text: string; write(text: string): void };

/** A package as npm unpacks Electron's; its archive contains a program of a few kilobytes. */
beforeEach(async () => {
  root = mkdtempSync(path.join(os.tmpdir(), 'parapet-fetch-'));
  dir = path.join(root, 'node_modules', 'electron');
  mkdirSync(dir, { recursive: true });
  for (const scope of ['@electron', '@electron-internal'])
    symlinkSync(path.join(modules, scope), path.join(root, 'node_modules', scope), 'junction');
  copyFileSync(path.join(modules, 'electron', 'install.js'), path.join(dir, 'install.js'));
  const zip = new ZipWriter(new Uint8ArrayWriter(), { level: 0 });
  await zip.add('version', new TextReader(VERSION));
  await zip.add(PROGRAM, new TextReader('#!/bin/sh\n'.padEnd(200_000, '#')));
  archive = await zip.close();
  writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ name: 'electron', version: VERSION }));
  const sum = createHash('sha256').update(archive).digest('hex');
  writeFileSync(path.join(dir, 'checksums.json'), JSON.stringify({ [NAME]: sum }));
  vi.stubEnv('electron_config_cache', path.join(root, 'cache'));
  out = {
    text: '',
    write(text) {
      this.text += text;
    },
  };
  close = async () => {};
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await close();
  rmSync(root, { recursive: true, force: true });
});

/** A mirror that answers every request like this. */
async function serve(answer: (response: ServerResponse) => Promise<void>): Promise<string[]> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    void answer(response).catch(() => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.stubEnv('ELECTRON_MIRROR', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return paths;
}
const send = async (response: ServerResponse, bytes: Uint8Array, gapMs = 0) => {
  response.writeHead(200, { 'content-length': String(bytes.length) });
  for (let offset = 0; offset < bytes.length; offset += 20_000) {
    response.write(bytes.subarray(offset, offset + 20_000));
    await pause(gapMs);
  }
  response.end();
};

test('a slow line shows progress, and gets its window in the end', async () => {
  const urls = await serve((response) => send(response, archive, 200));
  // The whole takes longer than the silence that is tolerated.
  expect(await fetchElectron({ dir, out, stallMs: 1500 })).toBeNull();
  expect(urls).toEqual([`/v${VERSION}/${NAME}`]);
  expect(electronBinary(dir)).toBe(path.join(dir, 'dist', PROGRAM));
  expect(out.text).toContain(`Fetching Electron ${VERSION}`);
  expect(out.text.match(/\d+% of 0 MB, [\d.]+ MB\/s, about \d+ s left/g)?.length).toBeGreaterThan(4);
  expect(out.text).toContain('100%');
});

test('a stalled line is given up, and another start fetches the binary', async () => {
  await serve(async (response) => {
    response.writeHead(200, { 'content-length': String(archive.length) });
    response.write(archive.subarray(0, 50_000));
  });
  expect(await fetchElectron({ dir, out, stallMs: 150 })).toBe('nothing arrived for 0.15 seconds');
  expect(electronBinary(dir)).toBeNull();
  await close();
  await serve((response) => send(response, archive));
  expect(await fetchElectron({ dir, out })).toBeNull();
  expect(electronBinary(dir)).not.toBeNull();
});

test.each([
  [
    'different bytes than Electron published',
    (response: ServerResponse) => send(response, archive.toReversed()),
    /checksum/i,
  ],
  ['a refusal', async (response: ServerResponse) => void response.writeHead(404).end(), /Response code 404/],
])('%s: nothing is unpacked, and the reason is given', async (_what, answer, reason) => {
  await serve(answer);
  expect(await fetchElectron({ dir, out })).toMatch(reason);
  expect(electronBinary(dir)).toBeNull();
});

test('an unreachable server: reported at once, with what can be done', async () => {
  await serve(async () => {});
  await close();
  expect(await fetchElectron({ dir, out })).toMatch(/ECONNREFUSED/);
  for (const way of ['--host electron', '--host browser', 'HTTPS_PROXY', 'ELECTRON_MIRROR'])
    expect(FETCH_HELP).toContain(way);
});

test('a checkout that cannot be written downloads nothing, and starts in the browser', async () => {
  const urls = await serve((response) => send(response, archive));
  // A file instead of the folder, as root may write everywhere.
  writeFileSync(path.join(dir, 'dist'), '');
  expect(await fetchElectron({ dir, out })).toMatch(/cannot be installed: EEXIST/);
  expect(urls).toEqual([]);
  expect(() => noteFailedFetch(path.join(dir, 'dist', 'note'))).not.toThrow();
});
