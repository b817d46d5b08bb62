import { describe, expect, test } from 'vitest';
import { ownArguments, parseOptions } from './options.ts';

const parse = (...argv: string[]) => parseOptions(argv, '/home/analyst');

describe('options', () => {
  test('nothing asked for', () => {
    expect(parse()).toEqual({ ok: true, options: { open: true, port: 0, profile: null, connect: null } });
  });

  test.each([
    [['--no-open'], { open: false }],
    [['--port', '8123'], { port: 8123 }],
    [['--port=0'], { port: 0 }],
    [['--profile', 'cases/one'], { profile: '/home/analyst/cases/one' }],
    [['--connect', 'demo'], { connect: { kind: 'demo' } }],
    [['--connect', 'none'], { connect: { kind: 'none' } }],
    [['--connect', 'https://mail.example'], { connect: { kind: 'tenant', url: 'https://mail.example' } }],
    [['--connect', 'http://127.0.0.1:81'], { connect: { kind: 'tenant', url: 'http://127.0.0.1:81' } }],
    [['--connect', 'evidence:../mail'], { connect: { kind: 'evidence', path: '/home/mail' } }],
  ])('%j', (argv, expected) => {
    expect(parse(...argv)).toEqual({ ok: true, options: expect.objectContaining(expected) });
  });

  test.each([
    [['--port', 'eighty'], '--port'],
    [['--port', '65536'], '--port'],
    [['--port', '-1'], '--port'],
    [['--profile', ''], '--profile'],
    [['--connect', 'mail.example'], '--connect'],
    [['--connect', 'ftp://mail.example'], '--connect'],
    [['--connect', 'http://mail.example'], 'https://'],
    [['--connect', 'https://user:secret@mail.example'], 'credential'],
    [['--connect', 'evidence:'], 'path'],
    [['--colour'], '--colour'],
    [['stray'], 'stray'],
  ])('refuses %j and says why', (argv, reason) => {
    expect(parse(...argv)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  test('never repeats a password that was typed into an address', () => {
    expect(JSON.stringify(parse('--connect', 'https://user:hunter2@mail.example'))).not.toContain('hunter2');
  });

  test('finds our options among the switches of Electron', () => {
    const argv = ['.', '--no-sandbox', '--profile', '/p', '--inspect=0', '--connect=demo', '--no-open'];
    expect(ownArguments(argv)).toEqual(['--profile', '/p', '--connect=demo', '--no-open']);
  });
});
