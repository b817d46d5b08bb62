import { Button } from '@blueprintjs/core';
import { type JSX, useState } from 'react';
import { useCall } from '#renderer/bridge/use-call.ts';
import { loadCacheStats, useFreshCacheStats } from '#renderer/state/app-info.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { Facts } from '#renderer/ui/facts.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { Meter } from '#renderer/ui/sparkbars.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { useNow } from '#renderer/ui/use-now.ts';
import { bytes, exact, timeAgo } from '#shared/model/format.ts';

interface Wipe {
  connectionId: string | null;
  what: string;
}

/** What is saved on this machine, and the two ways to be rid of it. */
export function CachePanel(): JSX.Element {
  const { connection } = useConnection();
  const stats = useFreshCacheStats();
  const now = useNow();
  const wipe = useCall('cache.wipe');
  const [asked, setAsked] = useState<Wipe | null>(null);
  const confirm = async () => {
    if (asked === null) return;
    setAsked(null);
    if ((await wipe.run({ connectionId: asked.connectionId })) === null) return;
    showToast({ intent: 'success', title: `${asked.what} is removed from this machine` });
    void loadCacheStats();
  };
  return (
    <Panel
      title="Saved on this machine"
      error={wipe.error}
      actions={
        <>
          {connection ? (
            <Button
              size="small"
              text="Wipe this connection"
              onClick={() =>
                setAsked({ connectionId: connection.id, what: `What was saved of ${connection.name}` })
              }
            />
          ) : null}
          <Button
            size="small"
            text="Wipe all"
            onClick={() => setAsked({ connectionId: null, what: 'Everything saved' })}
          />
        </>
      }
    >
      {stats ? (
        <>
          <div className="pp-setting-meter">
            <Meter
              label={`${bytes(stats.bytes)} of ${bytes(stats.budgetBytes)} used`}
              parts={[{ tone: 'accent', value: stats.bytes }]}
              whole={stats.budgetBytes}
            />
          </div>
          <Facts
            facts={[
              { label: 'Used', value: `${bytes(stats.bytes)} of ${bytes(stats.budgetBytes)}` },
              { label: 'Result sets', value: exact(stats.resultSets) },
              { label: 'Answers', value: exact(stats.answers) },
              {
                label: 'Oldest',
                value: stats.oldestAt === null ? 'Nothing saved' : timeAgo(stats.oldestAt, now),
              },
            ]}
          />
        </>
      ) : null}
      {asked ? (
        <Dialog
          isOpen
          size="narrow"
          title="Wipe what is saved"
          onClose={() => setAsked(null)}
          onConfirm={() => void confirm()}
          actions={
            <>
              <Button text="Cancel" autoFocus onClick={() => setAsked(null)} />
              <Button intent="danger" text="Wipe" onClick={() => void confirm()} />
            </>
          }
        >
          <p className="pp-flat">
            {asked.what} can then not be seen offline. Connections, drafts, layouts and credentials stay.
            Nothing changes on the service.
          </p>
        </Dialog>
      ) : null}
    </Panel>
  );
}
