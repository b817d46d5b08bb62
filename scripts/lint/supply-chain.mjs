// Checks dependencies: exact versions, allowed licences, no install scripts.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../node.mjs';

/** Licences (SPDX) of code that Parapet may ship or build with. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
  'WTFPL',
  'Zlib',
]);

/** Packages whose manifest names no licence; taken by hand from their files. None of them is shipped. */
const BY_HAND = new Map([
  ['node_modules/glsl-resolve/node_modules/xtend', 'MIT, in its LICENCE file'],
  ['node_modules/stack-trace', 'MIT, in its License file'],
]);

/** Whether an SPDX expression is satisfied: one side of an OR, all sides of an AND. */
function mayBeUsed(expression) {
  const text = expression.replaceAll(/[()]/g, '');
  return text.includes(' OR ')
    ? text.split(' OR ').some(mayBeUsed)
    : text.split(' AND ').every((name) => ALLOWED.has(name.trim()));
}

const json = (name) => JSON.parse(readFileSync(path.join(root, name), 'utf8'));

/** One line for each problem of package.json and its lock, of version 3. */
export function brokenSupplyChain() {
  const manifest = json('package.json');
  const lock = json('package-lock.json');
  const broken = [];
  for (const [name, version] of Object.entries({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
  }))
    if (!/^(npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      broken.push(`${name}: ${version} is not an exact version`);
  const unused = new Set(BY_HAND.keys());
  for (const [name, entry] of Object.entries(lock.packages)) {
    if (name === '' || entry.link === true) continue;
    unused.delete(name);
    if (entry.integrity === undefined) broken.push(`${name}: has no hash in the lock`);
    else if (!entry.integrity.startsWith('sha512-'))
      broken.push(`${name}: its hash in the lock is not SHA-512`);
    // A package without a URL comes from npm's configured registry and is checked by its hash.
    if (entry.resolved !== undefined)
      broken.push(`${name}: comes from ${entry.resolved}, not from the registry`);
    if (entry.license === undefined) {
      if (!BY_HAND.has(name)) broken.push(`${name}: names no licence`);
    } else if (!mayBeUsed(entry.license)) broken.push(`${name}: ${entry.license}`);
  }
  for (const name of unused) broken.push(`${name} is an exception but no longer used`);
  if (!/^ignore-scripts=true$/m.test(readFileSync(path.join(root, '.npmrc'), 'utf8')))
    broken.push('.npmrc: packages may run install scripts');
  return broken;
}
