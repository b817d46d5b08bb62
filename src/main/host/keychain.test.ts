import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { toError } from './keychain.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const has = (program: string) => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const hasBus = has('dbus-run-session');
const hasKeyring = hasBus && has('gnome-keyring-daemon');

/** A bus that starts no services, whatever is installed. */
const EMPTY_BUS = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>`;

/**
 * Runs commands against a keychain in a process with its own bus, an empty home and no display. The bus offers the
 * installed services, or none.
 */
function onOwnBus(before: string, lines: string, services: 'installed' | 'none' = 'installed'): string {
  const home = mkdtempSync(path.join(os.tmpdir(), 'parapet-keychain-'));
  const config = path.join(home, 'bus.conf');
  writeFileSync(config, EMPTY_BUS);
  const { DISPLAY: _, WAYLAND_DISPLAY: __, DBUS_SESSION_BUS_ADDRESS: ___, ...environment } = process.env;
  const script = `
    const { createKeychain } = await import(${JSON.stringify(pathToFileURL(path.join(root, 'src/main/host/keychain.ts')).href)});
    const attempt = (work) => work.then((value) => JSON.stringify(value ?? null), (error) => error.code);
    ${lines}
    process.exit(0);`;
  try {
    return execFileSync(
      'dbus-run-session',
      [
        ...(services === 'none' ? [`--config-file=${config}`] : []),
        '--',
        'sh',
        '-c',
        `${before} exec "$0" --input-type=module -e "$1"`,
        process.execPath,
        script,
      ],
      {
        cwd: root,
        encoding: 'utf8',
        timeout: 20_000,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...environment,
          HOME: home,
          XDG_DATA_HOME: home,
          XDG_RUNTIME_DIR: home,
          XDG_CONFIG_HOME: home,
        },
      },
    ).trim();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

describe.skipIf(process.platform !== 'linux' || !hasBus)(
  'without a Secret Service (needs dbus-run-session)',
  () => {
    test('every call says that there is no keychain, and nothing falls back to the kernel', () => {
      const output = onOwnBus(
        '',
        `const keychain = createKeychain('test');
       console.log(await attempt(keychain.get('a')), await attempt(keychain.set('a', 's')), await attempt(keychain.remove('a')));`,
        'none',
      );
      expect(output).toBe('secrets-unavailable secrets-unavailable secrets-unavailable');
    });
  },
);

describe.skipIf(process.platform !== 'linux' || !hasKeyring)(
  'a real Secret Service (needs gnome-keyring)',
  () => {
    const unlocked = 'printf test | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1;';

    test('stores, returns and removes a secret', () => {
      const output = onOwnBus(
        unlocked,
        `const keychain = createKeychain('test');
       console.log(await attempt(keychain.get('a')));
       await keychain.set('a', 'schlüssel 🔑');
       console.log(await attempt(createKeychain('test').get('a')));
       await keychain.remove('a');
       await keychain.remove('a');
       console.log(await attempt(keychain.get('a')));`,
      );
      expect(output.split('\n')).toEqual(['null', '"schlüssel 🔑"', 'null']);
    });

    test("profiles cannot read each other's entries", () => {
      const output = onOwnBus(
        unlocked,
        `await createKeychain('one').set('a', '1');
       console.log(await attempt(createKeychain('two').get('a')));`,
      );
      expect(output).toBe('null');
    });

    test('an installed keychain without a keyring counts as none if the secret is missing', () => {
      const output = onOwnBus(
        '',
        `const keychain = createKeychain('test');
       console.log(await attempt(keychain.get('a')), await attempt(keychain.remove('a')), await attempt(keychain.set('a', 's')));`,
      );
      expect(output).toBe('secrets-unavailable secrets-unavailable secrets-unavailable');
    });

    test('a keychain replaced by an empty one answers that it has no entry', () => {
      const output = onOwnBus(
        unlocked,
        `await createKeychain('one').set('database-key', '1');
       console.log(await attempt(createKeychain('other').get('database-key')));`,
      );
      expect(output).toBe('null');
    });

    test('a locked keychain says so in reply to every call', () => {
      // The first daemon creates the keyring; the next one on the same home starts without its password.
      const output = onOwnBus(
        `printf test | gnome-keyring-daemon --foreground --unlock --components=secrets >/dev/null 2>&1 & daemon=$!;
       until [ -e "$HOME/keyrings/login.keyring" ]; do :; done; kill "$daemon"; wait "$daemon" 2>/dev/null;
       gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1;`,
        `const keychain = createKeychain('test');
       for (const account of ['a', 'b'])
         console.log(await attempt(keychain.get(account)), await attempt(keychain.remove(account)), await attempt(keychain.set(account, 's')));`,
      );
      const all = 'secrets-locked secrets-locked secrets-locked';
      expect(output.split('\n')).toEqual([all, all]);
    });
  },
);

test.each([
  [
    'DBus error: Did not receive a reply. Possible causes include: the message bus security policy blocked the reply',
    'secrets-unavailable',
    /No keychain answers/,
  ],
  [
    'Couldn’t access platform secure storage: The name is not activatable',
    'secrets-unavailable',
    /No keychain answers/,
  ],
  ['Prompt dismissed', 'secrets-locked', /is locked/],
  ['Cannot create an item in a locked collection', 'secrets-locked', /is locked/],
])('“%s” is %s, and what to do is to try again', (reason, code, message) => {
  expect(toError(new Error(reason))).toMatchObject({
    code,
    retryable: true,
    message: expect.stringMatching(message),
  });
});
