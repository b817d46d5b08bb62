import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { browserCommand } from './open-browser.ts';

const env = { SystemRoot: 'D:\\Windows' };

it.each([
  ['linux', 'xdg-open'],
  ['darwin', 'open'],
] as const)('on %s, %s gets the address', (platform, command) => {
  expect(browserCommand(platform, env, 'file:///a')).toEqual([command, 'file:///a']);
});

it('on Windows, no part of the address is read as a command, and no program of the current folder runs', () => {
  const file = 'C:\\Users\\R&D (x86)\\%TEMP%\\^\\open.html';
  const url = pathToFileURL(file, { windows: true }).href;
  expect(url).toContain('R&D');
  expect(browserCommand('win32', env, url)).toEqual([
    'D:\\Windows\\System32\\rundll32.exe',
    'url.dll,FileProtocolHandler',
    url,
  ]);
  expect(browserCommand('win32', {}, url)?.[0]).toBe('C:\\Windows\\System32\\rundll32.exe');
});

it('no browser is opened on an unknown system', () => {
  expect(browserCommand('aix', env, 'file:///a')).toBeNull();
});
