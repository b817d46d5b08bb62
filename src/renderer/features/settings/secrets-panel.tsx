import { Button } from '@blueprintjs/core';
import type { JSX } from 'react';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { showSecrets } from '#renderer/state/overlays.ts';
import { Facts } from '#renderer/ui/facts.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import type { AppInfo } from '#shared/bridge/operations.ts';

const MODES: Readonly<Record<AppInfo['secrets']['mode'], string>> = {
  keychain: 'In the keychain of this machine',
  passphrase: 'In a file sealed with a passphrase',
  run: 'Only until Parapet closes',
  undecided: 'Not decided; nothing lasts beyond this run',
};

/** Where credentials and the key of the saved data are kept. */
export function SecretsPanel(): JSX.Element {
  const info = useAppInfo();
  const secrets = info?.secrets;
  return (
    <Panel
      title="Secrets"
      actions={
        secrets && (secrets.mode !== 'keychain' || secrets.locked) ? (
          <Button size="small" text={secrets.locked ? 'Open' : 'Choose'} onClick={() => showSecrets(true)} />
        ) : null
      }
    >
      {secrets ? (
        <Facts
          facts={[
            { label: 'Kept', value: MODES[secrets.mode], note: secrets.reason },
            { label: 'State', value: secrets.locked ? 'Locked' : 'Open' },
          ]}
        />
      ) : null}
    </Panel>
  );
}
