// Third-party notices: out/renderer/notices.json for the window, and an SBOM and a text for packages.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './node.mjs';

const out = (name) => path.join(root, 'out', name);
const json = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** Text of the licence in a package's folder; '' if none. */
function licenceText(dir) {
  const file = readdirSync(dir).find((name) => /^(licen[cs]e|copying)/i.test(name));
  return file === undefined ? '' : readFileSync(path.join(dir, file), 'utf8').trim();
}

const lock = () => json(path.join(root, 'package-lock.json')).packages;

/** Fonts, maps and the code of the map's worker: the bundler does not list them. */
const UNCOUNTED = [
  '@fontsource-variable/inter',
  '@fontsource-variable/jetbrains-mono',
  'd3-geo',
  'pako',
  'topojson-client',
  'world-atlas',
];

/** These packages and their dependencies, as paths of the lock. */
function withDependencies(names, packages) {
  const found = new Set(names.map((name) => `node_modules/${name}`));
  for (const at of found)
    for (const name of Object.keys(packages[at].dependencies ?? {}))
      found.add(
        packages[`${at}/node_modules/${name}`] ? `${at}/node_modules/${name}` : `node_modules/${name}`,
      );
  return found;
}

/** Packages that no bundle lists: the installed production dependencies, and the unlisted ones above. */
function packagesBeside() {
  const packages = lock();
  const production = Object.keys(packages).filter(
    (at) => at !== '' && !packages[at].dev && !at.startsWith('node_modules/node-'),
  );
  return [...production, ...withDependencies(UNCOUNTED, packages)]
    .map((at) => path.join(root, at))
    .filter((dir) => existsSync(path.join(dir, 'package.json')))
    .map((dir) => {
      const { name, version, license } = json(path.join(dir, 'package.json'));
      return { name, version, identifier: license, text: licenceText(dir) };
    });
}

/** Writes the notices of a build: the packages in its bundles and those shipped beside them, sorted by name. */
export function writeNotices() {
  const bundled = ['main', 'renderer'].flatMap((part) => json(out(`${part}/licences.json`)));
  const all = new Map(
    // The bundler omits `text` for a package without a licence text.
    [...bundled, ...packagesBeside()].map((entry) => [
      `${entry.name}@${entry.version}`,
      { text: '', ...entry },
    ]),
  );
  const notices = [...all.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  writeFileSync(out('renderer/notices.json'), JSON.stringify(notices));
}

/** Writes the files that a package contains beside the program: the notices as text, and a CycloneDX list. */
export function writePackageNotices() {
  const notices = json(out('renderer/notices.json'));
  const rule = '-'.repeat(80);
  writeFileSync(
    out('THIRD-PARTY-NOTICES.txt'),
    notices
      .map(
        ({ name, version, identifier, text }) => `${name} ${version} (${identifier})\n\n${text}\n\n${rule}\n`,
      )
      .join('\n'),
  );
  const made = spawnSync(
    'npm',
    ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      shell: process.platform === 'win32',
    },
  );
  if (made.status !== 0) throw new Error(`npm sbom failed: ${made.stderr}`);
  const bom = JSON.parse(made.stdout);
  const shipped = new Set(notices.map(({ name, version }) => `${name}@${version}`));
  bom.metadata.component.name = json(path.join(root, 'package.json')).name;
  bom.components = bom.components.filter((one) => shipped.has(one['bom-ref']));
  const kept = new Set([bom.metadata.component['bom-ref'], ...bom.components.map((one) => one['bom-ref'])]);
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));
  // No time and no serial number, so that two builds of one commit give the same file.
  delete bom.metadata.timestamp;
  delete bom.serialNumber;
  writeFileSync(out('sbom.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`);
}
