import { expect, it } from 'vitest';
import { withoutSecrets } from './redact.ts';

it('removes the password from every schedule and keeps everything else', () => {
  const schedule = { emails: ['a@soc.example'], password: 'hush' };
  expect(withoutSecrets({ queries: [{ name: 'a', scheduledExport: schedule }] })).toEqual({
    queries: [{ name: 'a', scheduledExport: { emails: ['a@soc.example'] } }],
  });
  expect(schedule.password).toBe('hush');
});

it('keeps a password that is evidence, such as that of an archive', () => {
  const value = { rows: [{ name: 'a.zip', password: 'infected' }] };
  expect(withoutSecrets(value)).toBe(value);
});
