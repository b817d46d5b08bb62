import { expect, test } from 'vitest';
import { isPublicAddress } from './remote-images.ts';

test.each([
  ['127.0.0.1', false],
  ['10.1.2.3', false],
  ['169.254.169.254', false],
  ['172.31.255.255', false],
  ['192.168.0.1', false],
  ['0.0.0.0', false],
  ['::1', false],
  ['::', false],
  ['fd00::1', false],
  ['fe80::1', false],
  ['::ffff:127.0.0.1', false],
  ['::ffff:7f00:1', false],
  ['64:ff9b::7f00:1', false],
  ['64:ff9b:1::7f00:1', false],
  ['64:ff9b:1:ffff::1', false],
  ['64:ff9b:2::1', true],
  ['fec0::1', false],
  ['feff::1', false],
  ['2002:7f00:1::', false],
  ['not an address', false],
  ['8.8.8.8', true],
  ['2606:4700::1111', true],
])('%s may be contacted for an image: %s', (address, allowed) => {
  expect(isPublicAddress(address)).toBe(allowed);
});
