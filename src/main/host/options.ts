/** The command line that both hosts take. */
import path from 'node:path';
import { parseArgs } from 'node:util';

/** What `--connect` asks for. */
type ConnectTarget =
  | { kind: 'demo' }
  | { kind: 'none' }
  | { kind: 'tenant'; url: string }
  | { kind: 'evidence'; path: string };

export interface HostOptions {
  open: boolean;
  /** 0: any free port. */
  port: number;
  /** Absolute; null: the usual place of this operating system. */
  profile: string | null;
  /** null: nothing was asked for. */
  connect: ConnectTarget | null;
}

export const USAGE = `Usage: npm start -- [options]
  --host electron|browser   where Parapet opens
  --no-open                 do not open a browser window
  --port N                  port of the browser host (default: any free one)
  --profile DIR             where databases and settings are kept
  --connect WHAT            demo, none, an https:// address, or evidence:PATH`;

export type ParsedOptions = { ok: true; options: HostOptions } | { ok: false; reason: string };

const refuse = (reason: string): ParsedOptions => ({ ok: false, reason });
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

function parseTarget(text: string, cwd: string): ConnectTarget | string {
  if (text === 'demo' || text === 'none') return { kind: text };
  if (text.startsWith('evidence:')) {
    const given = text.slice('evidence:'.length);
    return given === ''
      ? '--connect evidence: needs a path'
      : { kind: 'evidence', path: path.resolve(cwd, given) };
  }
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return `--connect takes demo, none, an https:// address or evidence:PATH, not ${JSON.stringify(text)}`;
  if (url.username !== '' || url.password !== '')
    return '--connect takes no user name or password in the address: enter the credential in the window';
  if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname))
    return '--connect takes http:// for this machine only; use https://';
  return { kind: 'tenant', url: text };
}

/** Reads the options after the program's own path; relative paths are taken from `cwd`. */
export function parseOptions(argv: readonly string[], cwd: string): ParsedOptions {
  let values: { 'no-open'?: boolean; port?: string; profile?: string; connect?: string };
  try {
    values = parseArgs({
      args: [...argv],
      options: {
        'no-open': { type: 'boolean' },
        port: { type: 'string' },
        profile: { type: 'string' },
        connect: { type: 'string' },
      },
    }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  const port = values.port ?? '0';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return refuse(`--port takes a number from 0 to 65535, not ${JSON.stringify(port)}`);
  if (values.profile === '') return refuse('--profile needs a folder');
  const connect = values.connect === undefined ? null : parseTarget(values.connect, cwd);
  if (typeof connect === 'string') return refuse(connect);
  return {
    ok: true,
    options: {
      open: values['no-open'] !== true,
      port: Number(port),
      profile: values.profile === undefined ? null : path.resolve(cwd, values.profile),
      connect,
    },
  };
}

const OWN = ['--no-open', '--port', '--profile', '--connect'];

/** Our options among the switches that Electron and Chromium take from the same command line. */
export function ownArguments(argv: readonly string[]): string[] {
  const own: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const arg = argv[at]!;
    if (!OWN.includes(arg.split('=', 1)[0]!)) continue;
    own.push(arg);
    const value = argv[at + 1];
    if (arg !== '--no-open' && !arg.includes('=') && value !== undefined) {
      own.push(value);
      at++;
    }
  }
  return own;
}
