// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import { doing, mount } from '#tests/support/mount.tsx';
import { SparkBars } from './charts/sparkbars.tsx';
import { closeToast, showToast } from './toaster.ts';
import { Toasts } from './toasts.tsx';

let unmounts: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const unmount of unmounts) await unmount();
  unmounts = [];
});

it('[promise] a bar of zero does not have the colour of a verdict', async () => {
  const { container, unmount } = await mount(<SparkBars values={[0, 3, 0]} label="Found" tone="found" />);
  unmounts.push(unmount);
  const tones = [...container.querySelectorAll('rect')].map((bar) => bar.classList[0]);
  expect(tones).toEqual(['pp-c-neutral', 'pp-c-found', 'pp-c-neutral']);
});

it('toasts appear in a live region that already exists; errors are alerts', async () => {
  const { container, unmount } = await mount(<Toasts />);
  unmounts.push(unmount);
  const region = container.querySelector('[data-toasts]');
  expect(region?.getAttribute('aria-live')).toBe('polite');
  const ids: number[] = [];
  await doing(() => {
    ids.push(
      showToast({ intent: 'success', title: 'Done' }),
      showToast({ intent: 'error', title: 'Failed' }),
    );
  });
  expect(container.querySelector('[data-toasts]')).toBe(region);
  expect([...container.querySelectorAll('.pp-toast')].map((element) => element.getAttribute('role'))).toEqual(
    [null, 'alert'],
  );
  await doing(() => ids.forEach(closeToast));
});
