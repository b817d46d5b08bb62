import { describe, expect, it } from 'vitest';
import { realHost } from './real-host.ts';

describe('realHost', () => {
  it.each([
    ['https://bank.example@evil.example/x', 'evil.example'],
    ['https://bank.example%2F@evil.example', 'evil.example'],
    ['https:\\\\evil.example\\bank.example', 'evil.example'],
    ['ht\ntps://evil.example/', 'evil.example'],
    ['https://EVIL.example:8443/', 'evil.example'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['mailto:a@evil.example', null],
    ['javascript:alert(1)//evil.example', null],
    ['data:text/html,x', null],
    ['not a link', null],
    ['https://', null],
  ])('reads %s as %s', (url, host) => {
    expect(realHost(url)).toBe(host);
  });
});
