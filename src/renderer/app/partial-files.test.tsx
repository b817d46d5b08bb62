// @vitest-environment happy-dom
/** Files made in the window from incomplete data are saved as incomplete, with the reason. */
import type { JSX } from 'react';
import { afterEach, expect, test } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { IndicatorsLayer } from '#renderer/features/indicators/indicators-dialog.tsx';
import { ExportMenu } from '#renderer/features/login-map/export-menu.tsx';
import type { LoginClient } from '#renderer/features/login-map/login-client.ts';
import { setAppInfo } from '#renderer/state/app-info.ts';
import { closeIndicators } from '#renderer/state/indicator-order.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { readToasts } from '#renderer/ui/toaster.ts';
import type { AppInfo } from '#shared/bridge/operations.ts';
import { groupsOf, indicatorsOf, nameOf, openIndicatorsOfEmail } from '#tests/support/file-makers.tsx';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';

let notes: string[] = [];
let opened: object[] = [];
const answers: Readonly<Record<string, (input: object) => unknown>> = {
  'indicators.collect': () => indicatorsOf(notes),
  'indicators.text': () => ({ text: 'evil.example', count: 1 }),
  'dialogs.save': () => ({ grantId: 'g', name: 'n' }),
  'files.open': (input) => {
    opened.push(input);
    return { fileId: 'f' };
  },
  'files.finish': () => ({ name: 'n PARTIAL.csv', bytes: 1, sha256: '', missing: 'Why.' }),
};
const bridge = fakeBridge({
  call: async (operation: string, input: object) => answers[operation]?.(input) ?? {},
});

let mounted: Awaited<ReturnType<typeof mount>> | null = null;
afterEach(async () => {
  closeIndicators();
  await mounted?.unmount();
  mounted = null;
  opened = [];
});

async function show(part: JSX.Element): Promise<void> {
  setWindowBridge(bridge);
  setAppInfo({ managed: null, secrets: { locked: false } } as unknown as AppInfo);
  mounted = await mount(<BridgeProvider bridge={bridge}>{part}</BridgeProvider>);
}

const control = (name: string) =>
  [...document.querySelectorAll<HTMLElement>('button:not(:disabled), [role="menuitem"]')].find((element) =>
    nameOf(element).includes(name),
  );
async function press(...names: string[]): Promise<void> {
  for (const name of names) {
    await expect.poll(() => control(name)).toBeDefined();
    await doing(() => control(name)?.click());
  }
  await expect.poll(() => opened.length).toBe(1);
}

test.each([
  [true, 'Not every row of the results was counted: 3 rows counted, of 3 fetched of 9.'],
  [false, null],
])('groups, partial: %s', async (partial, missing) => {
  await show(groupsOf('3 rows counted, of 3 fetched of 9', partial));
  await press('Export groups', 'as CSV');
  expect(opened[0]).toMatchObject({ entries: 1, missing });
});

test('a picture of a login map with a layer that failed', async () => {
  const client = { ask: async () => '<svg/>' } as unknown as LoginClient;
  await show(
    <ExportMenu
      client={client}
      count={3}
      words="all"
      nameOf={(module) => module}
      missing="A layer failed."
      map={() => ({}) as never}
      hasMap
      wide
    />,
  );
  await press('Export', 'Map as SVG');
  expect(opened[0]).toMatchObject({ entries: null, missing: 'A layer failed.' });
});

test.each<[string[], string | null]>([
  [[], null],
  [
    ['Profiles of 3 emails could not be read', 'Allow lists are unknown: no answer'],
    'Profiles of 3 emails could not be read. Allow lists are unknown: no answer.',
  ],
  [['x'.repeat(1_999)], `${'x'.repeat(1_999)}.`],
  [['x'.repeat(2_000)], 'x'.repeat(2_000)],
])('indicators with the notes %j', async (lines, missing) => {
  notes = lines;
  openIndicatorsOfEmail();
  await show(<IndicatorsLayer />);
  await press('Save as CSV');
  expect(opened[0]).toMatchObject({ entries: 1, missing });
  await expect.poll(() => readToasts().at(-1)).toMatchObject({ title: 'Exported 1 indicator: PARTIAL' });
});
