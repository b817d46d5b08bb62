#!/usr/bin/env node
// As much of fpm as electron-builder asks for a .deb and an .rpm, over dpkg-deb and rpmbuild, where fpm itself is not.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// dpkg-deb refuses a control folder that only its owner can read.
process.umask(0o022);

const args = process.argv.slice(2);
const option = (name) => args[args.indexOf(name) + 1];
const type = option('-t');
const dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-fpm-'));
const tree = path.join(dir, 'tree');
for (const arg of args) {
  const [, from, to] = /^(\/[^=]*)=(\/.*)$/.exec(arg) ?? [];
  if (from === undefined) continue;
  const target = path.join(tree, to);
  mkdirSync(path.dirname(target), { recursive: true });
  cpSync(from, target, { recursive: true, verbatimSymlinks: true });
}
execFileSync('chmod', ['-R', 'u+rwX,go+rX,go-w', tree]);
const [name, version, description] = ['--name', '--version', '--description'].map(option);
if (type === 'deb') {
  const control = path.join(tree, 'DEBIAN');
  mkdirSync(control);
  writeFileSync(
    path.join(control, 'control'),
    `Package: ${name}\nVersion: ${version}\nArchitecture: ${option('--architecture')}\nMaintainer: ${option('--maintainer')}\nDescription: ${description.trim().split('\n')[0]}\n`,
  );
  for (const [from, to] of [
    ['--after-install', 'postinst'],
    ['--after-remove', 'postrm'],
  ]) {
    writeFileSync(path.join(control, to), readFileSync(option(from)));
    chmodSync(path.join(control, to), 0o755);
  }
  execFileSync('dpkg-deb', ['-Znone', '--root-owner-group', '--build', tree, option('--package')], {
    stdio: 'inherit',
  });
} else {
  const spec = path.join(dir, 'p.spec');
  writeFileSync(
    spec,
    `Name: ${name}\nVersion: ${version}\nRelease: 1\nSummary: ${option('--rpm-summary')}\nLicense: none\nAutoReqProv: no\n%define _binary_payload w0.gzdio\n%define __os_install_post %{nil}\n%define _build_id_links none\n%description\n${description.trim()}\n%files\n/opt\n/usr\n`,
  );
  execFileSync(
    'rpmbuild',
    [
      '-bb',
      '--quiet',
      '--buildroot',
      tree,
      '--define',
      `_rpmdir ${dir}/out`,
      '--define',
      `_topdir ${dir}`,
      spec,
    ],
    { stdio: 'inherit' },
  );
  execFileSync('sh', ['-c', `mv ${dir}/out/*/*.rpm "$1"`, 'sh', option('--package')]);
}
rmSync(dir, { recursive: true, force: true });
