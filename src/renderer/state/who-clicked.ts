/** Lists the clicks of an email, of a link or of several emails, with users, times, blocks and risk. */
import { attempt } from '#renderer/state/show-failure.ts';
import type { Column, NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { plural } from '#shared/model/format.ts';
import type { Condition } from '#shared/query/tree.ts';
import { domainConfig } from './domain-config.ts';
import { blankQuery } from './drafts.ts';
import { openPivot } from './navigation.ts';

/** The link or emails whose clicks are listed. */
export type Clicked =
  | { kind: 'emails'; entityIds: readonly string[]; title?: string }
  | { kind: 'link'; url: string }
  | { kind: 'host'; host: string };

/** Columns in reading order: who, when, whether it was blocked, facts about the user. */
const COLUMNS = [
  'user',
  'click_time',
  'blocked',
  'sign_in_risk',
  'click_verdict',
  'host',
  'ip',
  'client',
  'subject',
];

function conditionOf(clicked: Clicked, config: QueryConfig): Condition | null {
  const [names, values] =
    clicked.kind === 'emails'
      ? [['email_id'], [...clicked.entityIds]]
      : clicked.kind === 'link'
        ? [['url'], [clicked.url]]
        : [['host', 'link_domain'], [clicked.host]];
  const field = config.fields.find(({ id, dbId }) => names.includes(id) || names.includes(dbId));
  const operator = (values.length > 1 ? ['in_list', 'contains_any'] : ['is', 'in_list']).find((id) =>
    field?.operators.includes(id),
  );
  return field && operator !== undefined ? { field: field.id, operator, values } : null;
}

function nameOf(clicked: Clicked): string {
  if (clicked.kind === 'link') return `Who clicked ${clicked.url.slice(0, 80)}`;
  if (clicked.kind === 'host') return `Who clicked links to ${clicked.host}`;
  const { entityIds, title } = clicked;
  return `Who clicked in ${title === undefined ? plural(entityIds.length, 'email') : `“${title.slice(0, 60)}”`}`;
}

/** The query over clicks, or null if this service does not support it. */
export function whoClickedQuery(clicked: Clicked, config: QueryConfig): NewQuery | null {
  const condition = conditionOf(clicked, config);
  if (condition === null) return null;
  const columns = COLUMNS.flatMap((id, order): Column[] => {
    const field = config.fields.find((field) => field.id === id);
    return field ? [{ id, label: field.label, order, width: field.width ?? null }] : [];
  });
  const time = config.fields.find(({ id }) => id === 'click_time');
  return {
    ...blankQuery('click'),
    name: nameOf(clicked),
    filter: { operator: 'and', conditions: [condition] },
    columns,
    sort: time ? [{ dbId: time.dbId, direction: 'desc' }] : [],
  };
}

/** Opens the list, or shows a toast with the reason why not. */
export const openWhoClicked = (clicked: Clicked): Promise<unknown> =>
  attempt('Clicks can’t be listed', async () => {
    const query = whoClickedQuery(clicked, await domainConfig('click'));
    if (query === null) throw new Error('This service has no field for this search.');
    openPivot(query);
  });
