// @vitest-environment happy-dom
import type { JSX } from 'react';
import { expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import type { NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { useQuerySummary } from './query-summary.tsx';

const CONFIG: QueryConfig = {
  operators: [...STANDARD_OPERATORS],
  fields: ['subject', 'folder'].map((id) => ({ id, dbId: id, label: id, type: 'text', operators: ['is'] })),
  columns: [],
  conditions: [],
  actions: [],
};
const on = (field: string, ...values: string[]) => ({
  operator: 'and' as const,
  conditions: [{ field, operator: 'is', values }],
});
const QUERY: NewQuery = {
  type: 'query',
  subType: 'report',
  domain: 'email',
  entityType: 'email',
  name: 'R',
  columns: [],
  filter: on('subject', 'x'),
  reportCondition: on('folder', 'Inbox'),
};

const bridge = fakeBridge({ stream: () => new Promise(() => undefined) });

async function words(query: NewQuery, asReport?: boolean): Promise<string> {
  function Words(): JSX.Element {
    const { fullSummary, report, problems } = useQuerySummary(
      { query, ...(asReport === undefined ? {} : { asReport }) },
      CONFIG,
    );
    return <>{[fullSummary + report.full, ...problems.map(({ path }) => `problem at ${path}`)].join(' ')}</>;
  }
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <Words />
    </BridgeProvider>,
  );
  const text = container.textContent ?? '';
  await unmount();
  return text;
}

it('a report’s summary includes the report condition', async () => {
  expect(await words(QUERY)).toBe('Emails in all apps, where subject is "x" and folder is "Inbox".');
  // The query itself says what its report requires beside it.
  expect(await words(QUERY, false)).toBe(
    'Emails in all apps, where subject is "x". Its report: only where folder is "Inbox".',
  );
  expect(await words({ ...QUERY, reportCondition: null }, false)).toBe(
    'Emails in all apps, where subject is "x".',
  );
});

it('incomplete conditions are left out of the summary and reported by their path', async () => {
  expect(await words({ ...QUERY, filter: on('subject') })).toBe(
    'Emails in all apps, where folder is "Inbox". problem at 0',
  );
});
