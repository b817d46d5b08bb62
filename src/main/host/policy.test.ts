import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { POLICY_OFF } from '#shared/model/policy.ts';
import { selfSigned } from '#tests/support/certificate.ts';
import { NO_POLICY } from '../kernel/policy.ts';
import { parseOptions } from './options.ts';
import {
  type PolicyLocation,
  readPolicy,
  requireOwnedBy,
  requireWindowsOwner,
  systemLocation,
  windowsShell,
} from './policy.ts';

const userId = process.getuid?.() ?? 0;

describe('the place', () => {
  test.each([
    ['linux', '/etc/parapet/policy.json'],
    ['darwin', '/Library/Application Support/Parapet/policy.json'],
    ['win32', 'C:\\ProgramData\\Parapet\\policy.json'],
  ] as const)('on %s: %s', (platform, file) => {
    expect(systemLocation(platform).file).toBe(file);
  });

  test('no option changes its location', () => {
    expect(parseOptions(['--policy', '/tmp/policy.json'], '/')).toMatchObject({ ok: false });
  });
});

test('on Windows the rights are read by the system’s own PowerShell with its own modules, wherever Parapet was started', () => {
  const { shell, env } = windowsShell({
    SystemRoot: 'D:\\Windows',
    Path: 'D:\\bin',
    PSMODULEPATH: 'C:\\Program Files\\PowerShell\\7\\Modules',
  });
  expect(shell).toBe('D:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe');
  expect(env).toEqual({
    SystemRoot: 'D:\\Windows',
    Path: 'D:\\bin',
    PSModulePath: 'D:\\Windows\\System32\\WindowsPowerShell\\v1.0\\Modules',
  });
});

describe.skipIf(process.platform === 'win32')('a policy file', () => {
  let dir: string;
  let location: PolicyLocation;
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'parapet-policy-')));
    mkdirSync(path.join(dir, 'etc'), { mode: 0o755 });
    location = {
      file: path.join(dir, 'etc', 'policy.json'),
      requireTrusted: (file) => requireOwnedBy(file, userId, dir),
    };
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const write = (content: unknown, mode = 0o644) => {
    writeFileSync(location.file, typeof content === 'string' ? content : JSON.stringify(content));
    chmodSync(location.file, mode);
  };
  /** Everything off, nothing else, and the reason. */
  const expectStrictest = (words: RegExp) => {
    const policy = readPolicy(location);
    expect(policy).toMatchObject({ connections: [], authorityPem: null });
    expect(policy.managed).toMatchObject({ off: [...POLICY_OFF], updates: { on: false, channel: null } });
    expect(policy.managed?.problem).toMatch(words);
    expect(policy.managed?.problem).toContain(location.file);
  };

  test('that does not exist decides nothing', () => {
    expect(readPolicy(location)).toEqual(NO_POLICY);
    rmSync(path.join(dir, 'etc'), { recursive: true });
    expect(readPolicy(location)).toEqual(NO_POLICY);
  });

  test('is read in full', () => {
    write({
      version: 1,
      connections: [{ id: 'main', name: 'Main tenant', url: 'https://tenant.example/api/v1/' }],
      updates: { on: true, channel: 'beta' },
      cacheBudgetMiB: 512,
      off: ['remote-images'],
    });
    expect(readPolicy(location)).toEqual({
      connections: [{ id: 'main', name: 'Main tenant', url: 'https://tenant.example' }],
      authorityPem: null,
      managed: {
        file: location.file,
        problem: null,
        off: ['remote-images'],
        updates: { on: true, channel: 'beta' },
        cacheBudgetBytes: 512 * 1024 * 1024,
        connections: ['managed-main'],
        authorities: [],
      },
    });
  });

  test('that turns updates off and on leaves them off', () => {
    write({ version: 1, updates: { on: true }, off: ['updates'] });
    expect(readPolicy(location).managed?.updates.on).toBe(false);
  });

  test.each([
    ['no JSON', '{', /not JSON/],
    ['an unknown field', { version: 1, of: ['updates'] }, /of/],
    ['an unknown thing that is off', { version: 1, off: ['network'] }, /off\.0/],
    ['another version', { version: 2 }, /version/],
    ['a password in an address', withUrl('https://a:secret@tenant.example'), /user name or password/],
    ['plain http', withUrl('http://tenant.example'), /url/],
    ['the same id twice', { version: 1, connections: [tenant('a'), tenant('a')] }, /same id/],
    ['text that is not UTF-8', '\uD800', /./],
    ['nothing in it', '', /not JSON/],
    ['nothing but a list', [], /object/],
    ['null', 'null', /object/],
    ['a text where a list belongs', { version: 1, off: 'updates' }, /off: It must be a list/],
    ['a field twice', '{"version":1,"off":["updates"],"off":[]}', /off.*twice/],
    ['a field twice, once escaped', '{"version":1,"off":["updates"],"o\\u0066f":[]}', /off.*twice/],
    ['a field twice within another', '{"version":1,"updates":{"on":false,"on":true}}', /on.*twice/],
    ['a field of all objects', '{"version":1,"__proto__":{"off":[]}}', /unknown field/],
    ['lists within lists', `{"version":1,"off":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, /./],
  ])('[bad input] with %s turns everything off and says so', (_what, content, words) => {
    write(content);
    expectStrictest(words);
    expect(JSON.stringify(readPolicy(location).managed)).not.toContain('secret');
  });

  test.each([
    ['the group', 0o664],
    ['everybody', 0o646],
  ])('that %s can write is rejected', (_who, mode) => {
    write({ version: 1 }, mode);
    expectStrictest(/can be changed by users other/);
  });

  test('in a folder that others can write to is rejected', () => {
    write({ version: 1 });
    chmodSync(path.join(dir, 'etc'), 0o777);
    expectStrictest(/can be changed by users other/);
  });

  test('of another user is rejected', () => {
    write({ version: 1 });
    location.requireTrusted = (file) => requireOwnedBy(file, userId + 1, dir);
    expectStrictest(/does not belong to the administrator/);
  });

  test('behind a link counts only if the whole path is trusted', () => {
    const elsewhere = path.join(dir, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(path.join(elsewhere, 'p.json'), JSON.stringify({ version: 1, off: ['updates'] }));
    symlinkSync(path.join(elsewhere, 'p.json'), location.file);
    expect(readPolicy(location).managed).toMatchObject({ problem: null, off: ['updates'] });
    chmodSync(elsewhere, 0o777);
    expectStrictest(/can be changed by users other/);
  });

  test.each(['a folder', 'a pipe', 'a link to nowhere', 'a huge file'])(
    '[bad input] %s in its place is rejected',
    (what) => {
      if (what === 'a folder') mkdirSync(location.file, { mode: 0o755 });
      else if (what === 'a pipe') execFileSync('mkfifo', ['-m', '644', location.file]);
      else if (what === 'a link to nowhere') symlinkSync('/nowhere/at/all', location.file);
      else write(' '.repeat(1024 * 1024 + 1));
      expectStrictest(/./);
    },
  );

  test.each(['a file', 'a link to nowhere', 'a link to a file'])(
    'whose folder is %s is rejected, as a policy was intended',
    (what) => {
      const folder = path.join(dir, 'etc');
      rmSync(folder, { recursive: true });
      const other = path.join(dir, 'other');
      writeFileSync(other, '{"version":1,"off":["updates"]}', { mode: 0o644 });
      if (what === 'a file') writeFileSync(folder, '{"version":1,"off":["updates"]}', { mode: 0o644 });
      else symlinkSync(what === 'a link to a file' ? other : '/nowhere/at/all', folder);
      expectStrictest(/is not a folder/);
    },
  );

  test('that is missing in a linked folder decides nothing', () => {
    const folder = path.join(dir, 'etc');
    rmSync(folder, { recursive: true });
    mkdirSync(path.join(dir, 'other'));
    symlinkSync(path.join(dir, 'other'), folder);
    expect(readPolicy(location)).toEqual(NO_POLICY);
  });

  test('names authorities, of which only valid ones are trusted', () => {
    const { cert } = selfSigned(new Date(), new Date(Date.now() + 86_400_000));
    const good = path.join(dir, 'etc', 'good.pem');
    const loose = path.join(dir, 'etc', 'loose.pem');
    const empty = path.join(dir, 'etc', 'empty.pem');
    writeFileSync(good, cert, { mode: 0o644 });
    writeFileSync(loose, cert);
    chmodSync(loose, 0o666);
    writeFileSync(empty, 'nothing', { mode: 0o644 });
    write({ version: 1, authorities: [good] });
    expect(readPolicy(location)).toMatchObject({
      authorityPem: cert.trim(),
      managed: { problem: null, authorities: [good] },
    });
    write({ version: 1, authorities: [loose, 'relative.pem', empty, good] });
    const policy = readPolicy(location);
    expect(policy.authorityPem).toBe(cert.trim());
    expect(policy.managed).toMatchObject({ off: [], authorities: [good] });
    expect(policy.managed?.problem).toMatch(
      /loose\.pem can be changed.*relative\.pem is not an abs.*no certificate/,
    );
  });
});

function tenant(id: string) {
  return { id, name: id, url: 'https://tenant.example' };
}
function withUrl(url: string) {
  return { version: 1, connections: [{ ...tenant('a'), url }] };
}

describe('a security descriptor of Windows', () => {
  test.each([
    ['O:BAG:SYD:PAI(A;;FA;;;SY)(A;;FA;;;BA)(A;;0x1200a9;;;BU)', null],
    ['O:SYG:SYD:AI(A;ID;FA;;;SY)(A;OICIIO;GA;;;CO)(A;;FR;;;WD)', null],
    ['O:S-1-5-32-544G:SYD:(D;;FA;;;WD)(A;;FA;;;BA)', null],
    ['O:BAG:SYD:AI(A;ID;FA;;;SY)(A;CIOI;0x1301bf;;;AU)', /changed by users other/],
    ['O:BAG:SYD:AI(A;CIOI;FA;;;WD)', /changed by users other/],
    ['O:BAG:SYD:AI(A;;DCLCRPCR;;;BU)', /changed by users other/],
    ['O:BAG:SYD:(OA;;FR;;;WD)', /changed by users other/],
    ['O:S-1-5-21-1-2-3-1001G:SYD:(A;;FA;;;BA)', /does not belong/],
    ['O:BAG:SYD:NO_ACCESS_CONTROL', /everybody/],
    ['O:BAG:SYD:', /everybody/],
    ['', /does not belong/],
  ])('%s', (sddl, problem) => {
    const check = () => requireWindowsOwner('C:\\p.json', sddl);
    if (problem === null) expect(check).not.toThrow();
    else expect(check).toThrow(problem);
  });
});
