/** The renderer's files, for either host. */

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { dictionary } from '#shared/dictionary.ts';
import { realPath } from '#workers/real-path.ts';

const TYPES: Readonly<Record<string, string>> = dictionary({
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ttf': 'font/ttf',
});

export interface StaticFile {
  path: string;
  type: string;
  bytes: number;
}

/**
 * The file below `root` for a URL path. Null if the path escapes the folder, contains a NUL or backslash, does not
 * decode, names no file, or has a type that the renderer does not use.
 */
export async function findStaticFile(root: string, urlPath: string): Promise<StaticFile | null> {
  let decoded: string;
  try {
    decoded = decodeURIComponent(urlPath);
  } catch {
    return null;
  }
  if (/[\0\\]/.test(decoded) || decoded.split('/').includes('..')) return null;
  const file = path.join(root, decoded === '/' ? 'index.html' : decoded);
  if (!file.startsWith(root + path.sep)) return null;
  const type = TYPES[path.extname(file).toLowerCase()];
  if (type === undefined) return null;
  try {
    // A symbolic link inside the folder could still lead out of it.
    const real = await realPath(file);
    if (!real.startsWith((await realPath(root)) + path.sep)) return null;
    const info = await stat(real);
    return info.isFile() ? { path: file, type, bytes: info.size } : null;
  } catch {
    return null;
  }
}
