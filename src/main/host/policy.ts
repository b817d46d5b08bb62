/**
 * Reads the fleet policy. Its location is fixed for each system and no option or variable changes it: an analyst's own
 * file is not a policy. The file counts only if no one but the administrator can have written it.
 */
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { lstatSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { managedOf, POLICY_OFF, type PolicyFile, policyFile } from '#shared/model/policy.ts';
import { readShape } from '#shared/model/schema-check.ts';
import { NO_POLICY, type Policy } from '../kernel/policy.ts';
import { readSmall } from '../store/durable.ts';
import { serviceBase } from '../upstream/address.ts';
import { systemProgram } from './windows.ts';

/** The location of the file, and who may have written it. Other than `systemLocation()` only in tests. */
export interface PolicyLocation {
  file: string;
  /** Throws the reason why what is at a path cannot be trusted. */
  requireTrusted(file: string): void;
}

/** Applies when a policy exists but cannot be used: everything that it could have turned off is off. */
const STRICTEST: PolicyFile = policyFile.parse({ version: 1, off: [...POLICY_OFF] });

function requireOwned(location: string, owner: number): void {
  const { uid, mode } = statSync(location);
  if (uid !== owner)
    throw new Error(`${location} does not belong to the administrator (user ${owner}), but to user ${uid}`);
  if ((mode & 0o022) !== 0)
    throw new Error(
      `${location} can be changed by users other than the administrator (its mode is ${(mode & 0o7777).toString(8)})`,
    );
}

/** Checks the file and every folder above it, both along the path as given and along resolved links. */
export function requireOwnedBy(file: string, owner: number, top = path.parse(file).root): void {
  const check = (location: string) => {
    requireOwned(location, owner);
    if (location !== top && location !== path.dirname(location)) check(path.dirname(location));
  };
  check(path.dirname(file));
  check(realpathSync(file));
}

/** Administrators, the system, its installer. Creator Owner has no rights of its own on a file. */
const TRUSTED_SIDS = new Set([
  'BA',
  'SY',
  'S-1-5-32-544',
  'S-1-5-18',
  'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464',
]);
/** Everything but reading, executing and waiting for it: FR, FX, GR, GX, RC, SY. */
const READING = 0x1200a9 | 0x80000000 | 0x20000000;
const READING_WORDS = new Set(['FR', 'FX', 'GR', 'GX', 'RC', 'CC', 'SW', 'LO']);

const readsOnly = (rights: string): boolean =>
  rights.startsWith('0x')
    ? (Number(rights) & ~READING) === 0
    : (rights.match(/../g) ?? []).every((word) => READING_WORDS.has(word));

/** Throws unless a Windows security descriptor lets only administrators write; `sddl` as `Get-Acl` prints it. */
export function requireWindowsOwner(location: string, sddl: string): void {
  const owner = /^O:(S-[\d-]+|[A-Z]{2})/.exec(sddl)?.[1];
  if (owner === undefined || !TRUSTED_SIDS.has(owner))
    throw new Error(`${location} does not belong to the administrators`);
  const list = /D:[A-Z_]*((?:\([^)]*\))+)/.exec(sddl)?.[1];
  // Without an access control list everyone has full access.
  if (list === undefined) throw new Error(`${location} can be changed by everybody`);
  for (const [, entry] of list.matchAll(/\(([^)]*)\)/g)) {
    const [type, flags = '', rights = '', , , who = ''] = (entry ?? '').split(';');
    if (
      type === 'D' ||
      /^(?:..)*IO/.test(flags) ||
      TRUSTED_SIDS.has(who) ||
      (type === 'A' && readsOnly(rights))
    )
      continue;
    throw new Error(`${location} can be changed by users other than the administrators`);
  }
}

/**
 * The system's PowerShell, and an environment in which it loads its own modules. Parapet may have been started from
 * PowerShell 7, whose modules this one finds first and cannot load; Get-Acl is in one of them.
 */
export function windowsShell(env: NodeJS.ProcessEnv): { shell: string; env: NodeJS.ProcessEnv } {
  const home = systemProgram(env, 'WindowsPowerShell', 'v1.0');
  const others = Object.entries(env).filter(([name]) => name.toLowerCase() !== 'psmodulepath');
  return {
    shell: path.win32.join(home, 'powershell.exe'),
    env: { ...Object.fromEntries(others), PSModulePath: path.win32.join(home, 'Modules') },
  };
}

function requireWindowsTrusted(file: string): void {
  if (lstatSync(file).isSymbolicLink()) throw new Error(`${file} is a link`);
  const { shell, env } = windowsShell(process.env);
  for (const location of [file, path.dirname(file)]) {
    const command = `(Get-Acl -LiteralPath '${location.replaceAll("'", "''")}').Sddl`;
    const sddl = execFileSync(shell, ['-NoProfile', '-NonInteractive', '-Command', command], {
      encoding: 'utf8',
      env,
      timeout: 20_000,
      windowsHide: true,
    });
    requireWindowsOwner(location, sddl.trim());
  }
}

/** The location on a platform: `docs/policy.md` says how to create it. */
export function systemLocation(platform: NodeJS.Platform = process.platform): PolicyLocation {
  if (platform === 'win32')
    return {
      file: path.win32.join(process.env['ProgramData'] ?? 'C:\\ProgramData', 'Parapet', 'policy.json'),
      requireTrusted: requireWindowsTrusted,
    };
  return {
    file:
      platform === 'darwin' ? '/Library/Application Support/Parapet/policy.json' : '/etc/parapet/policy.json',
    requireTrusted: (file) => requireOwnedBy(file, 0),
  };
}

const isAbsent = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

const exists = (location: string): boolean => {
  try {
    lstatSync(location);
    return true;
  } catch (error) {
    return !isAbsent(error);
  }
};

/**
 * Whether this machine has a policy. It also has one if something other than a folder is in place of the file's folder:
 * the file was copied to that name before the folder was made, or the folder's link leads to a disk that is missing.
 */
function isPresent(file: string): boolean {
  if (exists(file)) return true;
  const folder = path.dirname(file);
  return exists(folder) && statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true;
}

/** The text of a file that only the administrator can have written. Throws the reason if it cannot be trusted. */
function readTrusted(file: string, location: PolicyLocation): string {
  location.requireTrusted(file);
  return readSmall(realpathSync(file));
}

/**
 * The first field that an object of valid JSON has twice, or null if there is none. `JSON.parse` silently takes the
 * last one, which could turn something on again that the administrator turned off further up.
 */
function repeatedField(json: string): string | null {
  const open: Set<string>[] = [];
  for (const [token, text, colon] of json.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (text !== undefined && colon !== undefined) {
      const name = String(JSON.parse(text));
      if (open.at(-1)?.has(name)) return name;
      open.at(-1)?.add(name);
    }
  }
  return null;
}

function parsePolicy(text: string): PolicyFile {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
  const repeated = repeatedField(text);
  if (repeated !== null) throw new Error(`${repeated}: It is there twice`);
  const read = readShape(policyFile, data);
  if (!read.ok) {
    const field = read.path.join('.');
    throw new Error(`${field === '' ? '' : `${field}: `}${read.message}`);
  }
  // Throws for an address that contains a password.
  const connections = read.value.connections.map((connection) => ({
    ...connection,
    url: serviceBase(connection.url),
  }));
  return { ...read.value, connections };
}

/** The certificates of an authority file. Throws the reason if it is not one. */
function readAuthority(file: string, location: PolicyLocation): string {
  if (!path.isAbsolute(file)) throw new Error(`${file} is not an absolute path`);
  const pems =
    readTrusted(file, location).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (pems.length === 0) throw new Error(`${file} contains no certificate in PEM form`);
  for (const pem of pems)
    if (!new X509Certificate(pem).ca)
      throw new Error(`${file} contains a certificate that does not belong to an authority`);
  return pems.join('\n');
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Never throws: a file that exists but cannot be used yields the strictest policy and the reason. */
export function readPolicy(location: PolicyLocation = systemLocation()): Policy {
  const { file } = location;
  let policy: PolicyFile;
  try {
    if (!isPresent(file)) return NO_POLICY;
    if (!exists(file)) throw new Error(`${path.dirname(file)} is not a folder`);
    policy = parsePolicy(readTrusted(file, location));
  } catch (error) {
    const problem = `${file} was not used: ${reasonOf(error)}. Everything that a policy can turn off stays off until an administrator fixes the file.`;
    return { ...NO_POLICY, managed: managedOf(file, STRICTEST, problem) };
  }
  const pems: string[] = [];
  const authorities: string[] = [];
  const problems: string[] = [];
  for (const authority of policy.authorities) {
    try {
      pems.push(readAuthority(authority, location));
      authorities.push(authority);
    } catch (error) {
      problems.push(reasonOf(error));
    }
  }
  const problem =
    problems.length === 0 ? null : `An authority of ${file} is not trusted: ${problems.join('; ')}.`;
  return {
    managed: managedOf(file, { ...policy, authorities }, problem),
    connections: policy.connections,
    authorityPem: pems.length === 0 ? null : pems.join('\n'),
  };
}
