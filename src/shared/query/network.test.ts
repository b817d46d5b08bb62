import { describe, expect, it } from 'vitest';
import { inNetwork, ipBytes, parseNetwork } from './network.ts';

describe('networks', () => {
  it.each([
    ['192.0.2.7', '192.0.2.0/24', true],
    ['192.0.3.7', '192.0.2.0/24', false],
    ['192.0.3.7', '192.0.2.0/23', true],
    ['203.0.113.77', '203.0.113.64/27', true],
    ['203.0.113.99', '203.0.113.64/27', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '0.0.0.0/0', true],
    ['2001:db8::1', '2001:db8::/32', true],
    ['2001:db9::1', '2001:db8::/32', false],
    ['::ffff:192.0.2.7', '192.0.2.0/24', true],
    ['2001:db8::1', '0.0.0.0/0', false],
    ['::192.0.2.7', '192.0.2.0/24', false],
    ['not an address', '0.0.0.0/0', false],
  ])('%s in %s: %s', (ip, network, expected) => {
    const parsed = parseNetwork(network);
    expect(parsed && inNetwork(ip, parsed)).toBe(expected);
  });

  it.each([
    '192.0.2.0/33',
    '192.0.2/24',
    '300.0.0.1',
    '::1::',
    ':::',
    '2001:db8::/129',
    '1:2:3:4:5:6:7:8:9',
    'x',
    '',
    '1.2.3.4/',
    '1.2.3.4::',
  ])('%j is no network', (text) => expect(parseNetwork(text)).toBeNull());

  it.each(['::', '1::', '::1', '1:2:3:4:5:6:7:8', '2001:db8::198.51.100.1', 'fe80::1%eth0'])(
    '%s is an address',
    (text) => expect(ipBytes(text)).toHaveLength(16),
  );
});
