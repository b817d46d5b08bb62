// @vitest-environment happy-dom
import type { JSX } from 'react';
import { expect, it } from 'vitest';
import { mount } from '#tests/support/mount.tsx';
import { ClockContext } from '../clock-context.ts';
import type { GridColumn } from './grid-columns.tsx';
import { useZoned } from './zoned-columns.ts';

const COLUMNS: readonly GridColumn<string>[] = [
  { id: 'at', label: 'Received', type: 'time', value: (row) => row },
  { id: 'name', label: 'Subject', value: (row) => row },
];
const Labels = (): JSX.Element => (
  <>
    {useZoned(COLUMNS)
      .map(({ label }) => label)
      .join(' | ')}
  </>
);

it('columns of times name the chosen zone, and follow it', async () => {
  const { container, draw } = await mount(<Labels />);
  expect(container.textContent).toBe('Received (UTC) | Subject');
  await draw(
    <ClockContext value={{ tenant: 'Asia/Kathmandu' }}>
      <Labels />
    </ClockContext>,
  );
  expect(container.textContent).toBe('Received (Asia/Kathmandu) | Subject');
});
