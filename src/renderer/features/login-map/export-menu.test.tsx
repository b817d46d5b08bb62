// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { mount } from '#tests/support/mount.tsx';
import { answering } from '#tests/support/reads.ts';
import { ExportMenu } from './export-menu.tsx';
import type { LoginClient } from './login-client.ts';

async function button(client: LoginClient | null, count: number): Promise<[string | null, boolean]> {
  const { container, unmount } = await mount(
    <BridgeProvider bridge={answering(() => ({}))}>
      <ExportMenu
        client={client}
        count={count}
        words="All successful"
        nameOf={String}
        missing={null}
        map={() => null}
        hasMap
        wide
      />
    </BridgeProvider>,
  );
  const button = container.querySelector('button');
  const look: [string | null, boolean] = [button?.textContent ?? null, button?.disabled ?? false];
  await unmount();
  return look;
}

it('logins that failed to load are not offered for export as 0 rows', async () => {
  expect(await button(null, 0)).toEqual(['Export', true]);
  expect(await button({} as LoginClient, 1_234)).toEqual(['Export 1,234 rows', false]);
});
