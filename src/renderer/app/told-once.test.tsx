// @vitest-environment happy-dom
/** An error of the connection is reported by the banner, and not again by each panel. */
import type { JSX } from 'react';
import { expect, test } from 'vitest';
import { SharedProblem } from '#renderer/entity/shared-problem.tsx';
import { startConnections } from '#renderer/state/connection.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { Banners, ToldByBanners } from './banners.tsx';

const REFUSED = { code: 'unauthorized', message: 'The credential was refused.', retryable: false } as const;
const SLOW = { code: 'timeout', message: 'It took too long.', retryable: true } as const;

setWindowBridge(
  fakeBridge({
    call: async (name: string) =>
      name === 'connections.list'
        ? {
            connections: [{ id: 'c', kind: 'tenant', name: 'Tenant' }],
            state: { connectionId: 'c', phase: 'failed', since: 0, latencyMs: null, error: REFUSED },
          }
        : {},
    stream: async () => ({}),
  }),
);

function Screen(): JSX.Element {
  const reads = [REFUSED, REFUSED, SLOW].map((error) => ({ error, loading: false, freshness: null }));
  return (
    <ToldByBanners>
      <Banners />
      <SharedProblem reads={reads} onRetry={() => undefined}>
        <Panel title="Detections" error={REFUSED} notKnown="This does not mean that there are none." />
        <Panel title="Findings" error={SLOW} />
        <Panel title="Apps" error={REFUSED}>
          <p>Older rows</p>
        </Panel>
      </SharedProblem>
    </ToldByBanners>
  );
}

test('the banner reports a refused credential once; panels say what is not loaded', async () => {
  await startConnections();
  const { container } = await mount(<Screen />);
  const text = container.textContent ?? '';
  expect(text.split(REFUSED.message)).toHaveLength(2);
  expect(text).toContain('Not loaded. This does not mean that there are none.');
  expect(text.split(SLOW.message)).toHaveLength(2);
});
