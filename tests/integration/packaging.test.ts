/** The packaging configuration: valid, with the fuses that docs/security.md promises. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { build } from '../support/build.ts';
import { loadedBy } from '../support/imports.ts';

const root = path.resolve(import.meta.dirname, '../..');
const main = path.join(root, 'out/main');
const require = createRequire(import.meta.url);
const builder = createRequire(require.resolve('electron-builder'));

interface BuilderConfig {
  asar: boolean;
  npmRebuild: boolean;
  asarUnpack: string[];
  electronFuses: Record<string, boolean>;
  files: string[];
  linux: { executableArgs?: string[] | null };
  toolsets?: object;
}

const { getConfig, validateConfiguration } = builder('app-builder-lib/out/util/config/config') as {
  getConfig(root: string, file: string, overrides: null): Promise<BuilderConfig>;
  validateConfiguration(config: BuilderConfig, log: { isEnabled: boolean; add(): void }): Promise<void>;
};

test('the configuration is valid and disables everything that Electron leaves open', async () => {
  const config = await getConfig(root, 'electron-builder.yml', null);
  await validateConfiguration(config, { isEnabled: false, add() {} });
  expect(config.electronFuses).toEqual({
    runAsNode: false,
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    loadBrowserProcessSpecificV8Snapshot: false,
    grantFileProtocolExtraPrivileges: false,
  });
  expect(config).toMatchObject({ asar: true, npmRebuild: false });
});

test('threads start from files inside the archive, and find all their imports there', async () => {
  const config = await getConfig(root, 'electron-builder.yml', null);
  // Only native modules are outside, where no integrity hash protects them.
  expect(config.asarUnpack).toEqual(['**/*.node']);
  for (const packed of ['out/main/**', 'package.json'])
    expect(JSON.stringify(config.files)).toContain(`"${packed}"`);
  await build();
  const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const threads = [
    ...readFileSync(path.join(root, 'src/main/index.ts'), 'utf8').matchAll(/'([\w-]+\.js)'/g),
  ].map(([, name = '']) => path.join(main, name));
  expect(threads).toHaveLength(4);
  const { files, packages } = loadedBy(threads);
  expect(files.length).toBeGreaterThan(threads.length);
  for (const file of files) expect(file.startsWith(main + path.sep)).toBe(true);
  for (const name of packages) {
    const [scope = '', rest = ''] = name.split('/');
    expect(dependencies).toHaveProperty([scope.startsWith('@') ? `${scope}/${rest}` : scope]);
  }
});

test.each([
  ['node', ['@napi-rs/keyring', 'better-sqlite3', 'lru-cache', 'ws']],
  ['index', ['@napi-rs/keyring', 'better-sqlite3', 'electron', 'lru-cache']],
  ['store-worker', ['better-sqlite3', 'lru-cache']],
  ['embedded', ['@hono/node-server']],
])('%s starts with only these packages: others are loaded on demand', async (entry, expected) => {
  await build();
  expect(loadedBy([path.join(main, `${entry}.js`)]).packages).toEqual(expected);
});

test('the thread that answers HTTP for the embedded service loads no schemas', async () => {
  await build();
  const madeOf = (entry: string) =>
    loadedBy([path.join(main, entry)])
      .files.map((file) => readFileSync(file, 'utf8'))
      .join('\n');
  expect(madeOf('embedded.js')).not.toContain('ZodType');
  expect(madeOf('node.js')).toContain('ZodType');
});

test.each(['--version', '--help'])('%s prints the requested text and nothing else', async (option) => {
  await build();
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env;
  const output = execFileSync(process.execPath, ['scripts/start.mjs', option], { cwd: root, env }).toString();
  expect(output).toMatch(option === '--version' ? /^Parapet \d+\.\d+\.\d+\n$/ : /^Usage: npm start /);
});

test('the Node that npm installed is the one that docs/security.md records', () => {
  const text = readFileSync(path.join(root, 'docs/security.md'), 'utf8');
  const recorded = [...text.matchAll(/^\| `(node-[\w-]+)` \| `(bin\/[\w.]+)` \| `([0-9a-f]{64})` \|$/gm)];
  const { optionalDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>;
  };
  expect(recorded.map(([, name]) => name)).toEqual(Object.keys(optionalDependencies));
  for (const version of Object.values(optionalDependencies)) expect(text).toContain(`v${version}`);
  for (const [, name = '', file = '', hash] of recorded) {
    const installed = path.join(root, 'node_modules', name, file);
    // npm installs only this platform's binary.
    if (existsSync(installed))
      expect(createHash('sha256').update(readFileSync(installed)).digest('hex')).toBe(hash);
  }
});

interface DesktopEntry {
  desktopEntry: { value: Promise<string> };
}

/** What electron-builder's own code writes into a target's desktop entry, without building anything. */
async function desktopEntryOf(config: BuilderConfig, executableArgs: string[] | null | undefined) {
  const { default: AppImageTarget } = builder('app-builder-lib/out/targets/appimage/AppImageTarget') as {
    default: new (name: string, packager: object, helper: object, out: string) => DesktopEntry;
  };
  const { LinuxTargetHelper } = builder('app-builder-lib/out/targets/LinuxTargetHelper') as {
    LinuxTargetHelper: new (packager: object) => object;
  };
  const packager = {
    config,
    platformSpecificBuildOptions: { ...config.linux, executableArgs },
    appInfo: { productName: 'Parapet', buildVersion: '1', description: '', sanitizedProductName: 'Parapet' },
    info: { metadata: { desktopName: 'parapet' } },
    executableName: 'parapet',
    fileAssociations: [],
  };
  const target = new AppImageTarget('appImage', packager, new LinuxTargetHelper(packager), '/nowhere');
  return target.desktopEntry.value;
}

test('no desktop entry disables the sandbox', async () => {
  const config = await getConfig(root, 'electron-builder.yml', null);
  expect(config.linux.executableArgs).toEqual([]);
  const entry = await desktopEntryOf(config, config.linux.executableArgs);
  expect(entry).toMatch(/^Exec=AppRun %U$/m);
  expect(entry).not.toContain('sandbox');
  // The control: this is what it writes without our configuration.
  expect(await desktopEntryOf({ ...config, toolsets: {} }, undefined)).toContain('--no-sandbox');
});

test('what the product requires at run time is a dependency, and what it bundles is not', () => {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const bundled of ['react', 'electron', '@blueprintjs/core', 'ag-grid-community', 'plotly.js'])
    expect(manifest.dependencies).not.toHaveProperty(bundled);
});
