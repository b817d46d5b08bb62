/** Connection actions of the switcher, palette and settings; failures become toasts. */

import type { Bridge } from '#shared/bridge/bridge.ts';
import type { ConnectionSettings } from '#shared/bridge/operations.ts';
import { activateConnection, demoConnection, reloadConnections, setOffline } from './connection.ts';
import { attempt, showFailure } from './show-failure.ts';
import { windowBridge } from './window-bridge.ts';

const refused = (title: string) => (reason: unknown) => showFailure(title, reason);

export const blankSettings = (kind: ConnectionSettings['kind']): ConnectionSettings => ({
  name: '',
  kind,
  url: kind === 'tenant' ? 'https://' : null,
  authorityPem: null,
  authServers: [],
  flags: {},
  product: 'guard',
  timezone: null,
});

export function switchTo(id: string): void {
  activateConnection(id).catch(refused('Couldn’t open the connection'));
}

export function goOffline(offline: boolean): void {
  setOffline(offline).catch(refused(offline ? 'Couldn’t go offline' : 'Still offline'));
}

/** Reads what is new or changed in evidence, or, to `verify` it, all of it, each mail compared by its hash. */
export function readEvidence(connectionId: string, verify: boolean): void {
  windowBridge().call('evidence.read', { connectionId, verify }).catch(refused('Evidence not read'));
}

/** Opens a folder or file of mail as its own connection; asks for it unless it was handed over (`grant`). */
export const openEvidence = (
  bridge: Bridge,
  what: 'evidence-folder' | 'evidence-file',
  picked?: { grantId: string; name: string },
): Promise<unknown> =>
  attempt('Couldn’t open the evidence', async () => {
    const grant = picked ?? (await bridge.call('dialogs.open', { kind: what }));
    if (grant === null) return;
    const settings = { ...blankSettings('evidence'), name: grant.name.slice(0, 120) || 'Evidence' };
    const connection = await bridge.call('connections.save', {
      id: null,
      settings,
      credential: null,
      grantId: grant.grantId,
    });
    await reloadConnections();
    switchTo(connection.id);
  });

/** Opens the demo tenant, adding it on a machine that removed it. */
export const openDemo = (bridge: Bridge): Promise<unknown> =>
  attempt('Couldn’t open the demo tenant', async () => {
    const id =
      demoConnection()?.id ??
      (
        await bridge.call('connections.save', {
          id: null,
          settings: { ...blankSettings('demo'), name: 'Demo tenant' },
          credential: null,
          grantId: null,
        })
      ).id;
    await reloadConnections();
    switchTo(id);
  });
