/** The Chromium inside the npm package, unpacked once; needs no download and no system packages. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const packageDir = path.dirname(path.dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')));
const { version } = JSON.parse(readFileSync(path.join(packageDir, 'package.json'), 'utf8')) as {
  version: string;
};
const dir = path.join(root, '.cache', `chromium-${version}`);

const fontsConfig = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <cachedir>${dir.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}/fonts-cache</cachedir>
</fontconfig>
`;

/** Whether this machine lacks libraries that the binary needs; then those in the package are used. */
const lacksLibraries = (binary: string) => {
  try {
    return execFileSync('ldd', [binary], { encoding: 'utf8' }).includes('not found');
  } catch {
    return true;
  }
};

/** Unpacks the browser unless an earlier run did. Safe to run concurrently. */
export async function prepareChromium(): Promise<void> {
  if (existsSync(path.join(dir, 'ready'))) return;
  mkdirSync(path.dirname(dir), { recursive: true });
  const building = mkdtempSync(path.join(path.dirname(dir), 'unpack-'));
  const before = process.env['TMPDIR'];
  // The package unpacks into the temporary folder, and uses any earlier copy that it finds there.
  process.env['TMPDIR'] = building;
  if (os.tmpdir() !== building) throw new Error('The temporary folder cannot be moved');
  try {
    const { default: chromium, inflate } = await import('@sparticuz/chromium');
    await chromium.executablePath();
    await inflate(path.join(packageDir, 'bin', 'al2023.tar.br'));
    writeFileSync(path.join(building, 'fonts.conf'), fontsConfig);
    writeFileSync(
      path.join(building, 'ready'),
      lacksLibraries(path.join(building, 'chromium')) ? 'own' : 'system',
    );
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
  try {
    renameSync(building, dir);
  } catch {
    rmSync(building, { recursive: true, force: true });
    if (!existsSync(path.join(dir, 'ready'))) throw new Error(`Chromium could not be unpacked into ${dir}`);
  }
}

/** Launch options for Playwright; call prepareChromium first. */
export function chromiumLaunch() {
  const ready = path.join(dir, 'ready');
  const isOwn = existsSync(ready) && readFileSync(ready, 'utf8') === 'own';
  const libraries = path.join(dir, 'al2023', 'lib');
  return {
    executablePath: path.join(dir, 'chromium'),
    // Without a GPU: emulating one costs more than the rest of a test.
    args: ['--no-sandbox', '--font-render-hinting=none', '--disable-lcd-text', '--disable-gpu'],
    env: {
      ...(Object.fromEntries(
        Object.entries(process.env).filter(([, value]) => value !== undefined),
      ) as Record<string, string>),
      FONTCONFIG_FILE: path.join(dir, 'fonts.conf'),
      ...(isOwn
        ? { LD_LIBRARY_PATH: [libraries, process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':') }
        : {}),
    },
  };
}
