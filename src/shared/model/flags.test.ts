import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { flagsOf, withFlag } from './flags.ts';

describe('feature flags', () => {
  it('have the defaults of the resources', () => {
    const file = new URL('../../../resources/feature-flags.json', import.meta.url);
    expect(flagsOf({})).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  });
  it('[spec 4] of a connection override the defaults; unknown ones stay', () =>
    expect(flagsOf({ msp_deployment: true, later: true })).toMatchObject({
      msp_deployment: true,
      sha256_exceptions: true,
      later: true,
    }));
  it.each([
    [{}, 'msp_deployment', true, { msp_deployment: true }],
    [{ msp_deployment: true }, 'msp_deployment', false, {}],
    [{ later: true }, 'sha256_exceptions', false, { later: true, sha256_exceptions: false }],
    [{ later: true }, 'later', false, { later: false }],
  ])('%j with %s %s is %j', (flags, name, on, after) => expect(withFlag(flags, name, on)).toEqual(after));
});
