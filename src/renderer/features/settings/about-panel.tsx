import type { JSX } from 'react';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { Facts } from '#renderer/ui/facts.tsx';
import { Panel } from '#renderer/ui/panel.tsx';

/** What this Parapet is. */
export function AboutPanel(): JSX.Element {
  const info = useAppInfo();
  return (
    <Panel title="About">
      {info ? (
        <Facts
          facts={[
            { label: 'Version', value: `${info.branding.productName} ${info.version}` },
            { label: 'Window', value: info.host === 'electron' ? 'Its own' : 'A browser on this machine' },
            { label: 'System', value: info.platform },
            {
              label: 'Profile',
              value: info.profileName,
              note: info.readOnly ? 'Read-only: nothing is saved' : undefined,
            },
          ]}
        />
      ) : null}
    </Panel>
  );
}
