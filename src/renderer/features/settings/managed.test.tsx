// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest';
import { setAppInfo } from '#renderer/state/app-info.ts';
import type { AppInfo } from '#shared/bridge/operations.ts';
import { budgetReason, type Managed } from '#shared/model/policy.ts';
import { mount } from '#tests/support/mount.tsx';
import { CacheBudget } from './cache-budget.tsx';
import { ManagedPanel } from './managed-panel.tsx';

const FILE = '/etc/parapet/policy.json';
const GIB = 1024 ** 3;
const MANAGED: Managed = {
  file: FILE,
  problem: null,
  off: ['remote-images', 'exports-in-clear'],
  updates: { on: false, channel: 'stable' },
  cacheBudgetBytes: 2 * GIB,
  connections: ['managed-main'],
  authorities: ['/etc/parapet/authority.pem'],
};
const withManaged = (managed: Managed | null) =>
  setAppInfo({ managed, secrets: { locked: false } } as AppInfo);

let mounted: Awaited<ReturnType<typeof mount>> | null = null;
afterEach(() => mounted?.unmount());

test('managed settings are listed with the policy file', async () => {
  withManaged(MANAGED);
  mounted = await mount(<ManagedPanel />);
  const text = mounted.container.textContent;
  expect(text).toContain(FILE);
  for (const words of [
    'Remote images, Files without a password',
    'Off, stable channel',
    'At most 2',
    '1 connection',
  ])
    expect(text).toContain(words);
  expect(mounted.container.querySelector('[role=alert]')).toBeNull();
});

test('a rejected policy file shows the reason', async () => {
  withManaged({ ...MANAGED, problem: `${FILE} was not taken: it is not JSON.` });
  mounted = await mount(<ManagedPanel />);
  expect(mounted.container.querySelector('[role=alert]')?.textContent).toContain('it is not JSON');
});

test('without a policy nothing is shown', async () => {
  withManaged(null);
  mounted = await mount(<ManagedPanel />);
  expect(mounted.container.textContent).toBe('');
});

test.each([null, budgetReason(MANAGED)])(
  'the budget is disabled when managed, and names the policy file: %s',
  async (reason) => {
    mounted = await mount(
      <CacheBudget used={GIB} budget={2 * GIB} pending={false} managed={reason} onApply={() => {}} />,
    );
    const inputs = [...mounted.container.querySelectorAll('input')];
    expect(inputs.map(({ disabled }) => disabled)).toEqual([reason !== null, reason !== null]);
    expect(mounted.container.textContent.includes(FILE)).toBe(reason !== null);
  },
);
