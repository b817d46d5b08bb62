import type { JSX } from 'react';
import { useConnection } from '#renderer/state/connection.ts';
import { Panel } from '#renderer/ui/panel.tsx';

/** The feature flags of the current connection, as saved with it. */
export function FlagsPanel(): JSX.Element {
  const { connection } = useConnection();
  const flags = Object.entries(connection?.flags ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <Panel
      title="Feature flags"
      count={connection ? `${connection.name} · ${flags.length} over the defaults` : ''}
      empty={
        flags.length === 0
          ? {
              title: 'Nothing overridden',
              reason:
                'This connection follows the defaults of this version. Change, beside the connection, sets its own.',
            }
          : null
      }
    >
      {flags.map(([name, on]) => (
        <div key={name} className="pp-panel-row">
          <span className="pp-mono pp-ellipsis pp-spacer">{name}</span>
          <span className={on ? '' : 'pp-t3'}>{on ? 'On' : 'Off'}</span>
        </div>
      ))}
    </Panel>
  );
}
