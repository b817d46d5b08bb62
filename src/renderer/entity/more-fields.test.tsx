// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { mount } from '#tests/support/mount.tsx';
import { MoreFields } from './more-fields.tsx';

it('fields of a service that are not shown elsewhere are listed in a folded section', async () => {
  const record = {
    tool: 'a',
    status: 'clean',
    sandbox_note: 'Ran for 40 s',
    rule: { id: 7 },
    reviewer: null,
  };
  const { container, unmount } = await mount(<MoreFields record={record} shape={{ tool: 0, status: 0 }} />);
  const details = container.querySelector('details');
  expect(details?.open).toBe(false);
  expect(details?.querySelector('summary')?.textContent).toBe('3 more fields');
  const texts = [...container.querySelectorAll('dl > div')].map((element) => element.textContent);
  expect(texts).toEqual(['Sandbox noteRan for 40 s', 'Rule{"id":7}', 'ReviewerEmpty']);
  expect(container.textContent).toContain('Copy all as JSON');
  await unmount();
});

it('without further fields there is no folded section', async () => {
  const { container, unmount } = await mount(<MoreFields record={{ tool: 'a' }} shape={{ tool: 0 }} />);
  expect(container.textContent).toBe('');
  await unmount();
});
