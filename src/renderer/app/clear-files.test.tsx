// @vitest-environment happy-dom
/** Every control that saves a file without a password is disabled, with the reason, if the policy forbids such files. */
import { type JSX, useRef } from 'react';
import { afterEach, describe, expect, test } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { DownloadDialog } from '#renderer/entity/download-dialog.tsx';
import { SavePicture } from '#renderer/features/email/save-picture.tsx';
import type { EmailReads } from '#renderer/features/email/use-email.ts';
import { WholeMessage } from '#renderer/features/email/whole-message.tsx';
import { ExceptionsHeader } from '#renderer/features/exceptions/exceptions-header.tsx';
import { DEFAULT_SEARCH } from '#renderer/features/exceptions/search.ts';
import type { Exceptions } from '#renderer/features/exceptions/use-exceptions.ts';
import { IndicatorsLayer } from '#renderer/features/indicators/indicators-dialog.tsx';
import { ExportMenu } from '#renderer/features/login-map/export-menu.tsx';
import type { LoginClient } from '#renderer/features/login-map/login-client.ts';
import { setAppInfo } from '#renderer/state/app-info.ts';
import { useRoleRefusal } from '#renderer/state/caller.ts';
import { closeIndicators } from '#renderer/state/indicator-order.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { AppInfo } from '#shared/bridge/operations.ts';
import { type Managed, offReason } from '#shared/model/policy.ts';
import { groupsOf, indicatorsOf, nameOf, openIndicatorsOfEmail } from '#tests/support/file-makers.tsx';
import { mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';

const MANAGED: Managed = {
  file: '/etc/parapet/policy.json',
  problem: null,
  off: ['exports-in-clear'],
  updates: { on: null, channel: null },
  cacheBudgetBytes: null,
  connections: [],
  authorities: [],
};
const WHY = offReason('exports-in-clear', MANAGED);

const PROBE = { success: true, attempts: 1, size: 1, sha256: '', reason: null };
const bridge = fakeBridge({
  call: async (operation: string) => (operation === 'indicators.collect' ? indicatorsOf([]) : PROBE),
});

let mounted: Awaited<ReturnType<typeof mount>> | null = null;
afterEach(async () => {
  await mounted?.unmount();
  mounted = null;
});

async function shown(part: JSX.Element, managed: Managed | null): Promise<HTMLElement> {
  setWindowBridge(bridge);
  setAppInfo({ managed, secrets: { locked: false } } as AppInfo);
  mounted = await mount(<BridgeProvider bridge={bridge}>{part}</BridgeProvider>);
  return document.body;
}
const button = (of: HTMLElement, name: string) =>
  [...of.querySelectorAll('button')].find((element) => nameOf(element).startsWith(name));

const nothing = () => {};
function Header(): JSX.Element {
  const box = useRef<HTMLInputElement>(null);
  const first = { freshness: null, loading: false, revalidating: false, error: null };
  const exceptions = { search: DEFAULT_SEARCH, setSearch: nothing, first, total: 3 };
  return (
    <ExceptionsHeader
      connectionId={null}
      exceptions={exceptions as unknown as Exceptions}
      searchBox={box}
      selected={[]}
      adding={null}
    />
  );
}
const Logins = () => (
  <ExportMenu
    client={{} as LoginClient}
    count={3}
    words="all"
    nameOf={(module) => module}
    missing={null}
    map={() => null}
    hasMap
    wide
  />
);
const Message = () => (
  <WholeMessage email={{ entityId: 'e', profile: { data: null } } as unknown as EmailReads} />
);
const Picture = () => (
  <SavePicture safe="" subject="s" facts={{ isTruncated: false, remoteShown: 0 }} box={{ current: null }} />
);
function Refusals(): JSX.Element {
  const refusal = useRoleRefusal();
  return (
    <ul>
      {(['query.export', 'query.export-results', 'query.export-active-users', 'query.delete'] as const).map(
        (call) => (
          <li key={call}>{refusal(call) ?? 'allowed'}</li>
        ),
      )}
    </ul>
  );
}

describe.each([MANAGED, null])('policy %#', (managed) => {
  const isOff = managed !== null;

  test.each([
    ['exceptions', 'Export', <Header key="" />],
    ['logins', 'Export', <Logins key="" />],
    ['groups', 'Export groups', groupsOf('3', false)],
    ['a raw message', 'Save .eml', <Message key="" />],
    ['a picture of a body', 'Save picture of the body', <Picture key="" />],
  ])('%s', async (_, name, part) => {
    const entry = button(await shown(part, managed), name);
    expect(entry).toBeDefined();
    expect(entry?.disabled).toBe(isOff);
    expect(entry?.title ?? '').toBe(isOff ? WHY : '');
  });

  test('a matched file', async () => {
    const of = await shown(
      <DownloadDialog entityType="file" entityId="f" name="invoice.exe" onClose={nothing} />,
      managed,
    );
    expect(of.querySelector<HTMLInputElement>('input[value="as-is"]')?.disabled).toBe(isOff);
    expect(of.querySelector<HTMLInputElement>('input[value="zip"]')?.disabled).toBe(false);
    expect(of.textContent?.includes(WHY)).toBe(isOff);
  });

  test('indicators', async () => {
    openIndicatorsOfEmail();
    try {
      const of = await shown(<IndicatorsLayer />, managed);
      await expect.poll(() => button(of, 'Copy')?.disabled).toBe(false);
      expect(button(of, 'Save as CSV')?.disabled).toBe(isOff);
      expect(button(of, 'Save as CSV')?.title ?? '').toBe(isOff ? WHY : '');
    } finally {
      closeIndicators();
    }
  });

  test('only exports of queries depend on it, not deletion', async () => {
    const of = await shown(<Refusals />, managed);
    const words = [...of.querySelectorAll('li')].map((element) => element.textContent);
    expect(words).toEqual([...Array<string>(3).fill(isOff ? WHY : 'allowed'), 'allowed']);
  });
});
