// The sources below a folder, without tests.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from '../node.mjs';

export function* sources(folder, kind = /\.tsx?$/) {
  for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* sources(name, kind);
    else if (kind.test(name) && !/\.test\.tsx?$/.test(name)) yield name;
  }
}
