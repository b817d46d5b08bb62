/** Parts of the window that save files, with minimal data, for tests of whether and how such a file is saved. */
import type { JSX } from 'react';
import type { GroupRow } from '#renderer/features/queries/groups/group-rows.ts';
import { GroupsBar } from '#renderer/features/queries/groups/groups-bar.tsx';
import { openIndicators } from '#renderer/state/indicator-order.ts';
import type { OutputOf, ResultSet } from '#shared/bridge/operations.ts';
import type { GroupView } from '#shared/bridge/workspace.ts';

/** One group of a query by subject. */
export const groupsOf = (counted: string, partial: boolean): JSX.Element => (
  <GroupsBar
    name="q"
    result={{ columns: [{ id: 'subject', label: 'Subject', type: 'text' }] } as unknown as ResultSet}
    view={{ by: [{ column: 'subject' }], most: 10, shape: 'table' } as unknown as GroupView}
    onView={() => {}}
    axes={[]}
    rows={[{ labels: [], count: 1 } as unknown as GroupRow]}
    figure={null}
    size={() => ({ width: 1, height: 1 })}
    counted={counted}
    partial={partial}
    unsavable={null}
    onSave={() => {}}
  />
);

/** One domain of one email; `notes`: what could not be read. */
export const indicatorsOf = (notes: string[]): OutputOf<'indicators.collect'> => ({
  collectionId: 'c',
  read: 1,
  groups: [{ type: 'domain', count: 1, sample: ['evil.example'] }],
  own: [],
  ownCount: 0,
  allowed: [],
  allowedCount: 0,
  notes,
});

export const openIndicatorsOfEmail = (): void =>
  openIndicators({ source: { kind: 'email', saas: 's', entityId: 'e' }, of: '1 email', defanged: true });

/** The name of a control, as assistive technology reads it. */
export const nameOf = (control: Element): string =>
  control.getAttribute('aria-label') ?? control.textContent ?? '';
