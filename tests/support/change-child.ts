/**
 * A process that kills itself at its n-th write to a database or the secrets. Arguments: profile, address of a service,
 * connection id, the change to make, n. Its keychain is a file in the profile.
 */
import { flushCompileCache } from 'node:module';
import { startCore, tenantSettings } from './core.ts';
import { failing, fileKeychain } from './failing.ts';

// A killed process cannot save its compile cache, so save it now.
flushCompileCache();

const [profile = '', url = '', id = '', what = '', turn = ''] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL');
const failures = failing((n) => {
  if (n === Number(turn)) die();
});
const core = await startCore({
  profile,
  keychain: failures.keychain(fileKeychain(`${profile}/keychain.json`)),
  tuning: { database: failures.database, limits: { retries: 0 } },
});
const todo: Record<string, () => Promise<unknown>> = {
  change: () =>
    core.bridge.call('service.send', { connectionId: id, endpoint: 'query.delete', params: { id: '7' } }),
  save: () =>
    core.bridge.call('connections.save', {
      id,
      settings: tenantSettings(url),
      credential: 'credential-of-the-second',
      grantId: null,
    }),
  remove: () => core.bridge.call('connections.remove', { id }),
};
failures.fail(0);
await todo[what]?.();
await core.stop();
process.exit(0);
