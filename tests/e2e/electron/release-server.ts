/** A release of the next version: a copy of the build that is configured for a feed, and the server of that feed. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { PackagedProduct } from './parapet-window.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const NAME = 'Parapet-9.0.0-x86_64.AppImage';

export interface ReleaseServer {
  product: PackagedProduct;
  /** The AppImage that the product believes it runs from. */
  image: string;
  /** The requested paths, in order. */
  asked: string[];
  bytes: Buffer;
  stop(): Promise<void>;
}

export async function serveRelease(dir: string, notes: string): Promise<ReleaseServer> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = Buffer.alloc(2_000_000, 'the next Parapet ');
  const payload = JSON.stringify({
    product: 'parapet',
    channel: 'stable',
    version: '9.0.0',
    date: '2026-11-02',
    notes,
    files: [
      {
        kind: 'appimage',
        arch: process.arch,
        name: NAME,
        bytes: bytes.length,
        sha512: createHash('sha512').update(bytes).digest('hex'),
      },
    ],
  });
  const signature = sign(null, Buffer.from(payload), privateKey).toString('base64');
  const urls: string[] = [];
  const server = http.createServer(({ url = '' }, response) => {
    urls.push(url);
    response.end(url === `/${NAME}` ? bytes : JSON.stringify({ payload, signature }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const folder = path.join(dir, 'product');
  mkdirSync(folder);
  for (const part of ['out/main', 'out/preload', 'out/renderer', 'resources', 'package.json'])
    cpSync(path.join(root, part), path.join(folder, part), {
      recursive: true,
      filter: (file) => !file.endsWith('.map'),
    });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const feed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  writeFileSync(path.join(folder, 'resources/updates.json'), JSON.stringify({ feed, key }));
  const image = path.join(dir, 'Parapet.AppImage');
  writeFileSync(image, readFileSync(path.join(root, 'package.json')));
  return {
    product: { folder, env: { APPIMAGE: image } },
    image,
    asked: urls,
    bytes,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
