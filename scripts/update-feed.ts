/**
 * The feed of updates, for the release workflow; run in the project's folder:
 *   node scripts/run.mjs scripts/update-feed.ts prepare          resources/updates.json, before packaging
 *   node scripts/run.mjs scripts/update-feed.ts sign DIR [OUT]   the feed of the packages in DIR
 *   node scripts/run.mjs scripts/update-feed.ts key              a new private key, for the environment
 * PARAPET_UPDATE_FEED: the https:// address that will serve OUT. PARAPET_UPDATE_KEY: the private Ed25519 key (PEM).
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { feedBase } from '../src/main/updates/feed.ts';
import {
  type ReleaseFile,
  release,
  type UpdateChannel,
  type UpdateKind,
} from '../src/shared/model/update.ts';

const read = (file: string) => readFileSync(file, 'utf8');

/** File names as in electron-builder.yml. */
const PACKAGE = /-(x64|x86_64|arm64)\.(AppImage|exe|dmg)$/;
const KINDS: Record<string, UpdateKind> = { AppImage: 'appimage', exe: 'nsis', dmg: 'dmg' };

function need(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
}
const publicPem = () =>
  createPublicKey(createPrivateKey(need('PARAPET_UPDATE_KEY')))
    .export({ type: 'spki', format: 'pem' })
    .toString();

/** Without a key the build has no feed, and says so in its settings. */
function prepare(): void {
  if (!process.env['PARAPET_UPDATE_KEY']) {
    console.log('PARAPET_UPDATE_KEY is not set: this build has no feed.');
    return;
  }
  const feed = feedBase(need('PARAPET_UPDATE_FEED')).href;
  writeFileSync('resources/updates.json', `${JSON.stringify({ feed, key: publicPem() }, null, 2)}\n`);
}

/** The section of the CHANGELOG for a version. */
function notesOf(version: string): string {
  const [, part] = read('CHANGELOG.md').split(
    new RegExp(`^## v?${version.replaceAll('.', '\\.')}\\b.*\n`, 'm'),
  );
  if (part === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}"`);
  return part.replace(/^## .*/ms, '').trim();
}

function fileOf(file: string): ReleaseFile[] {
  const name = path.basename(file);
  const [, arch, extension = ''] = PACKAGE.exec(name) ?? [];
  const kind = KINDS[extension];
  if (kind === undefined) return [];
  return [
    {
      kind,
      arch: arch === 'arm64' ? 'arm64' : 'x64',
      name,
      bytes: statSync(file).size,
      sha512: createHash('sha512').update(readFileSync(file)).digest('hex'),
    },
  ];
}

function signFeed(dir: string, out: string): void {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  // Users of the beta channel also get the next stable release.
  const channels: UpdateChannel[] = version.includes('-') ? ['beta'] : ['stable', 'beta'];
  const files = globSync('**/*', { cwd: dir })
    .sort()
    .flatMap((name) => fileOf(path.join(dir, name)));
  if (files.length === 0) throw new Error(`${dir} contains no package that can update itself`);
  const date = new Date().toISOString().slice(0, 10);
  for (const channel of channels) {
    const said = { product: 'parapet', channel, version, date, notes: notesOf(version), files };
    const payload = JSON.stringify(release.parse(said));
    const signature = sign(null, Buffer.from(payload), need('PARAPET_UPDATE_KEY')).toString('base64');
    writeFileSync(path.join(out, `${channel}.json`), `${JSON.stringify({ payload, signature })}\n`);
  }
  console.log(`${channels.join(' and ')}: ${version}, ${files.map(({ name }) => name).join(', ')}`);
}

function main([command, dir = '', out = dir]: string[]): void {
  if (command === 'prepare') prepare();
  else if (command === 'sign' && dir !== '') signFeed(dir, out);
  else if (command === 'key')
    process.stdout.write(
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    );
  else throw new Error('scripts/update-feed.ts prepare | sign DIR [OUT] | key');
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
