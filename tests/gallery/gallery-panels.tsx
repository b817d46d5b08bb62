import { Button, MenuItem } from '@blueprintjs/core';
import type { JSX } from 'react';
import { Legend, StackedBars } from '#renderer/ui/charts/stacked-bars.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import { Facts } from '#renderer/ui/facts.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { BARS, ERROR_502, ERROR_SHAPE, fresh, SERIES } from './gallery-data.ts';

const nothing = () => undefined;
const menu = <MenuItem text="Refresh" />;

export function ErrorStage(): JSX.Element {
  return (
    <div className="gal-stage gal-page">
      <Panel
        title="Recipients"
        count="14"
        freshness={fresh(16)}
        error={ERROR_502}
        shownInstead="Showing the copy of 08:31 UTC."
        onRetry={nothing}
        menu={menu}
      >
        <div className="pp-panel-row">
          <EntityValue entity={{ kind: 'email', value: 'm.okafor@aldermoor.example' }} />
          <span className="pp-spacer" />
          <span className="pp-t3">To</span> Inbox, read
        </div>
      </Panel>
      <Panel
        title="Links and clicks"
        freshness={null}
        error={ERROR_SHAPE}
        errorTitle="Clicks could not be loaded"
        notKnown="Nothing is known about clicks: this does not mean nobody clicked."
        onRetry={nothing}
        menu={menu}
      />
    </div>
  );
}

export function EmptyStage(): JSX.Element {
  return (
    <div className="gal-stage gal-flat">
      <EmptyState
        title="No emails match"
        reason={
          <>
            The service counted <b>0</b> of 184.2K in 38 ms. Closest miss: without <b>sender domain is not</b>{' '}
            it finds <b>54</b>.
          </>
        }
        action={
          <>
            <Button intent="primary" text="Drop that condition" />
            <Button text="Widen to 30 days" />
          </>
        }
      />
    </div>
  );
}

export function OfflineStage(): JSX.Element {
  return (
    <div className="gal-stage gal-page" style={{ padding: 0 }}>
      <div style={{ padding: '0 16px' }}>
        <Panel
          title="Invoice overdue: same attachment hash"
          count="212"
          freshness={fresh(49, true)}
          menu={menu}
        >
          {['found', 'suspicious', 'not-scanned'].map((verdict) => (
            <div className="pp-panel-row" key={verdict}>
              <span style={{ width: 120 }}>
                <VerdictChip verdict={verdict} />
              </span>
              Invoice overdue – final notice INV-20931
            </div>
          ))}
        </Panel>
      </div>
    </div>
  );
}

export function LoadingStage(): JSX.Element {
  return (
    <div className="gal-stage gal-page">
      <Panel title="Security stack" loading loadingText="asking 8 tools" rows={6} />
      <Panel title="Answered, refreshing" freshness={fresh(26)} loading count="3">
        <div className="pp-panel-row">Old data stays while the new is asked for</div>
      </Panel>
    </div>
  );
}

export function ProfileStage(): JSX.Element {
  return (
    <div className="gal-stage gal-page">
      <Panel title="Facts" menu={menu}>
        <Facts
          facts={[
            {
              label: 'From',
              value: (
                <EntityValue
                  entity={{ kind: 'email', value: 'billing@nordlicht-logistlk.example', field: 'from' }}
                  marks={[[24, 25]]}
                />
              ),
              note: 'Nordlicht Logistik',
            },
            { label: 'Bcc', value: null },
            {
              label: 'Client IP',
              value: <EntityValue entity={{ kind: 'ip', value: '203.0.113.77', field: 'ip' }} />,
            },
            {
              label: 'Link',
              value: (
                <EntityValue
                  entity={{ kind: 'url', value: 'https://nordlicht-logistlk.example/pay?i=20931' }}
                />
              ),
            },
          ]}
        />
      </Panel>
      <Panel
        title="Detections per hour"
        count="last 24 h, UTC"
        actions={<Legend series={SERIES} />}
        className="gal-grow"
      >
        <StackedBars label="Detections per hour" series={SERIES} bars={BARS} />
      </Panel>
    </div>
  );
}
