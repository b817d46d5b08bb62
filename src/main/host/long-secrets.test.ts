import { beforeEach, expect, test } from 'vitest';
import type { Keychain } from '../kernel/ports.ts';
import { withLongSecrets } from './long-secrets.ts';

/** Has the limit of the Windows Credential Manager: 2,560 bytes of UTF-16 per entry. */
class CredentialManager implements Keychain {
  readonly entries = new Map<string, string>();
  get = async (account: string) => this.entries.get(account) ?? null;
  remove = async (account: string) => void this.entries.delete(account);
  set = async (account: string, secret: string) => {
    if (secret.length > 1280) throw new Error('longer than the platform limit of 2560 chars');
    this.entries.set(account, secret);
  };
}

let windows: CredentialManager;
let keychain: Keychain;
beforeEach(() => {
  windows = new CredentialManager();
  keychain = withLongSecrets(windows);
});

test.each([
  ['a token of 4,000 characters', 'a1.'.repeat(1333)],
  ['characters that take two units of UTF-16 each', '😀'.repeat(1500)],
  ['lines', 'one\r\ntwo\n'.repeat(300)],
  ['what looks like the index of pieces', `parapet-pieces 2 ${'0'.repeat(64)}`],
  ['a short one', 'secret'],
  ['an empty one', ''],
])('keeps %s as it is', async (_, secret) => {
  await keychain.set('credential/a', secret);
  expect(await keychain.get('credential/a')).toBe(secret);
});

test('a short secret is one entry, as in earlier versions', async () => {
  await keychain.set('credential/a', 'secret');
  expect([...windows.entries]).toEqual([['credential/a', 'secret']]);
  await keychain.set('credential/a', 'x'.repeat(3000));
  await keychain.set('credential/a', 'another');
  expect([...windows.entries]).toEqual([['credential/a', 'another']]);
});

test('a removed secret leaves no pieces, nor does a longer previous one', async () => {
  await keychain.set('credential/a', 'x'.repeat(5000));
  await keychain.set('credential/a', 'y'.repeat(1500));
  expect(windows.entries.size).toBe(4);
  expect(await keychain.get('credential/a')).toBe('y'.repeat(1500));
  await keychain.remove('credential/a');
  expect(windows.entries.size).toBe(0);
});

test('pieces of two secrets left by a crash count as no secret', async () => {
  await keychain.set('credential/a', 'x'.repeat(1500));
  await windows.set('credential/a/piece-1', 'y'.repeat(640));
  expect(await keychain.get('credential/a')).toBeNull();
});
