/** A profile of a build before 1.0.0 is set aside whole, at whatever step a kill interrupts that. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeEarlierProfile } from '#tests/support/earlier-profile.ts';
import { startNotices } from '../app-notices.ts';
import { EARLIER } from '../store/profile-files.ts';
import { identify, openProfile } from './profile.ts';

let profile: string;
beforeEach(() => {
  profile = mkdtempSync(path.join(tmpdir(), 'parapet-earlier-'));
});
afterEach(() => rmSync(profile, { recursive: true }));

/** Every file of a folder, with the hash of its content. */
const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(folder, name))
      .filter((file) => statSync(file).isFile())
      .map((file) => [
        path.relative(folder, file),
        createHash('sha256').update(readFileSync(file)).digest('hex'),
      ]),
  );
const open = () => identify(openProfile(profile));
const notices = () => startNotices(profile, false, null).filter(({ id }) => id.startsWith(EARLIER));

it('[bad input] it is kept whole and unread, a new one is started, and the notice says what, where and what next', () => {
  makeEarlierProfile(profile);
  const before = contentOf(profile);
  writeFileSync(path.join(profile, 'notes.txt'), 'of the user');
  mkdirSync(path.join(profile, 'log'));
  const { id, fresh } = open();
  expect([fresh, id]).toEqual([true, expect.not.stringMatching('0f8fad5b')]);
  const folder = path.join(profile, EARLIER);
  expect(contentOf(folder)).toEqual(before);
  if (process.platform !== 'win32') expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(profile).sort()).toEqual([EARLIER, 'log', 'notes.txt', 'profile-id']);
  const [notice, ...others] = notices();
  expect(others).toEqual([]);
  expect(notice?.message).toContain(
    'made by a build of Parapet before 1.0.0, which this version cannot read',
  );
  expect(notice?.message).toContain(`kept, unread, in ${folder}`);
  expect(notice?.message).toContain(`--profile "${folder}"`);
  // The next start finds its own profile.
  expect(open().id).toBe(id);
});

it('a kill after any of its files has moved loses nothing, and the next start continues', () => {
  const names = makeEarlierProfile(profile);
  const before = contentOf(profile);
  for (let moved = 0; moved < names.length; moved++) {
    const folder = path.join(profile, EARLIER);
    mkdirSync(folder);
    for (const name of names.slice(0, moved)) renameSync(path.join(profile, name), path.join(folder, name));
    open();
    expect(contentOf(folder), `after ${moved}`).toEqual(before);
    expect(readdirSync(profile).sort()).toEqual([EARLIER, 'profile-id']);
    for (const name of names) {
      rmSync(path.join(profile, name), { recursive: true, force: true });
      renameSync(path.join(folder, name), path.join(profile, name));
    }
    rmSync(folder, { recursive: true });
  }
});

it('a second one is kept beside the first', () => {
  const folders = [EARLIER, `${EARLIER}-2`].map((name) => {
    rmSync(path.join(profile, 'profile-id'), { force: true });
    makeEarlierProfile(profile);
    open();
    return contentOf(path.join(profile, name));
  });
  expect(notices()).toHaveLength(2);
  expect(contentOf(path.join(profile, EARLIER))).toEqual(folders[0]);
  expect(Object.keys(folders[1] ?? {})).toEqual(Object.keys(folders[0] ?? {}));
});

it('nothing is set aside where nothing was stored, or where the id is only damaged', () => {
  writeFileSync(path.join(profile, 'profile-id'), '0f8fad5b-d9cb-469f-a165-70867728950e\n');
  const { id } = open();
  expect(id).not.toContain('0f8fad5b');
  expect(readdirSync(profile)).toEqual(['profile-id']);
  writeFileSync(path.join(profile, 'workspace.sqlite'), 'x');
  writeFileSync(path.join(profile, 'profile-id'), 'parapet 1 0f8f');
  open();
  expect(readdirSync(profile).sort()).toEqual(['profile-id', 'workspace.sqlite']);
});

// Windows has no file modes.
it.skipIf(process.platform === 'win32')(
  'it stays as it is, with the reason, where it cannot be moved',
  () => {
    makeEarlierProfile(profile);
    const before = contentOf(profile);
    // File modes do not restrict root.
    const isRoot = process.geteuid?.() === 0;
    chmodSync(profile, 0o555);
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(() => identify(profile)).toThrow(
        /made by a build of Parapet before 1\.0\.0.*cannot be kept as before-1\.0\.0 in it: its folder may not be written to\. Nothing of it was changed or removed/,
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(profile, 0o755);
    }
    expect(contentOf(profile)).toEqual(before);
  },
);
