import { expect, it } from 'vitest';
import { readToasts } from '#renderer/ui/toaster.ts';
import { showExported } from './saving.ts';

it('the toast of an incomplete export stays, with the reason', () => {
  showExported('45 exceptions', { name: 'list.csv', bytes: 10, missing: null });
  showExported('20 exceptions', {
    name: 'list PARTIAL.csv',
    bytes: 5,
    missing: 'The service returned 20 of 45.',
  });
  const [whole, partial] = readToasts();
  expect(whole).toMatchObject({ intent: 'success', title: 'Exported 45 exceptions' });
  expect(partial).toMatchObject({ intent: 'caution', stays: true, title: 'Exported 20 exceptions: PARTIAL' });
  expect(partial?.detail).toContain('20 of 45');
  expect(partial?.detail).toContain('list PARTIAL.csv');
});
