// Unpacks every .deb and .rpm of a folder and checks what it would install: node scripts/inspect-packages.mjs [DIR]
// Packages that cannot be unpacked here (no dpkg-deb, no rpm2cpio) are named and skipped.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HOME = 'opt/Parapet';
const WANTED = {
  [`${HOME}/parapet`]: null,
  [`${HOME}/chrome-sandbox`]: null,
  [`${HOME}/resources/app.asar`]: null,
  [`${HOME}/resources/THIRD-PARTY-NOTICES.txt`]: null,
  [`${HOME}/resources/sbom.cdx.json`]: null,
  // Ubuntu allows the namespaces that the sandbox needs only to programs with an AppArmor profile.
  [`${HOME}/resources/apparmor-profile`]: /^\s*userns,/m,
  'usr/share/applications/parapet.desktop':
    /^Exec=\/opt\/Parapet\/parapet %U$[\s\S]*^MimeType=message\/rfc822;application\/mbox;x-scheme-handler\/parapet;$/m,
  'usr/share/mime/packages/parapet.xml': /glob pattern="\*\.eml"[\s\S]*glob pattern="\*\.mbox"/,
};
const PLACES = [
  `${HOME}/`,
  'usr/share/applications/',
  'usr/share/mime/packages/',
  'usr/share/icons/',
  'usr/share/doc/',
];
const SET_ID_OR_OPEN = 0o6002;

/** Problems of the files that a package would install, one line each. */
export function brokenTree(root) {
  const broken = [];
  for (const [file, pattern] of Object.entries(WANTED)) {
    const at = path.join(root, file);
    if (!existsSync(at)) broken.push(`${file} is missing`);
    else if (pattern !== null && !pattern.test(readFileSync(at, 'utf8')))
      broken.push(`${file} has the wrong content`);
  }
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const at = path.join(entry.parentPath, entry.name);
    const file = path.relative(root, at);
    if (entry.isFile() && !PLACES.some((place) => file.startsWith(place)))
      broken.push(`${file} is outside the allowed folders`);
    if (!entry.isSymbolicLink() && (statSync(at).mode & SET_ID_OR_OPEN) !== 0)
      broken.push(`${file} is writable by everybody, or set-user-ID or set-group-ID`);
    if (file.endsWith('.desktop') && readFileSync(at, 'utf8').includes('no-sandbox'))
      broken.push(`${file} disables the sandbox`);
  }
  return broken;
}

const has = (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;
const run = (command, args, options = {}) => {
  const { status, stderr, stdout } = spawnSync(command, args, { maxBuffer: 2 ** 30, ...options });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return stdout;
};

/** How to unpack each kind into a folder; null: not possible here. */
const UNPACK = {
  '.deb': has('dpkg-deb') ? (file, into) => run('dpkg-deb', ['--extract', file, into]) : null,
  '.rpm':
    has('rpm2cpio') && has('cpio')
      ? (file, into) =>
          run('cpio', ['--extract', '--make-directories', '--quiet', '--no-absolute-filenames'], {
            cwd: into,
            input: run('rpm2cpio', [file]),
          })
      : null,
};

/** Problems of a package; null: it cannot be unpacked here. */
export function brokenPackage(file) {
  const unpack = UNPACK[path.extname(file)];
  if (!unpack) return null;
  const into = mkdtempSync(path.join(os.tmpdir(), 'parapet-inspect-'));
  try {
    unpack(path.resolve(file), into);
    return brokenTree(into);
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dir = process.argv[2] ?? 'dist';
  const packages = readdirSync(dir).filter((name) => path.extname(name) in UNPACK);
  if (packages.length === 0) process.exitCode = 1;
  if (packages.length === 0) console.error(`${dir} contains no .deb and no .rpm`);
  for (const name of packages) {
    const broken = brokenPackage(path.join(dir, name));
    if (broken === null) console.log(`${name}: skipped, no program is installed to unpack it`);
    else console.log(`${name}: ${broken.length === 0 ? 'as it should be' : 'WRONG'}`);
    for (const line of broken ?? []) console.error(`  ${line}`);
    if (broken !== null && broken.length > 0) process.exitCode = 1;
  }
}
