/** The packaging configuration: valid, with the fuses that docs/security.md promises. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const builder = createRequire(require.resolve('electron-builder'));

interface BuilderConfig {
  asar: boolean;
  npmRebuild: boolean;
  electronFuses: Record<string, boolean>;
  files: string[];
}

const { getConfig, validateConfiguration } = builder('app-builder-lib/out/util/config/config') as {
  getConfig(root: string, file: string, overrides: null): Promise<BuilderConfig>;
  validateConfiguration(config: BuilderConfig, log: { isEnabled: boolean; add(): void }): Promise<void>;
};

test('the configuration is valid and closes every door that Electron leaves open', async () => {
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

test('what the product requires at run time is a dependency, and what it bundles is not', () => {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const bundled of ['react', 'electron', '@blueprintjs/core', 'ag-grid-community', 'plotly.js'])
    expect(manifest.dependencies).not.toHaveProperty(bundled);
});
