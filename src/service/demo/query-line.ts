/** The notation of the demo's query library. */
import type { Condition, ConditionGroup, ConditionValue } from '#shared/query/tree.ts';
import { HOME_DOMAIN } from './organisation.ts';

type Node = Condition | ConditionGroup;
export const is = (field: string, operator: string, ...values: ConditionValue[]): Condition => ({
  field,
  operator,
  values,
});
export const and = (...conditions: Node[]): ConditionGroup => ({ operator: 'and', conditions });
export const or = (label: string, ...conditions: Node[]): ConditionGroup => ({
  operator: 'or',
  conditions,
  label,
});
export const last = (count: number, unit: string, field = 'received') =>
  is(field, 'in_the_last', count, unit);
export const FOUND = is('verdict', 'is', 'found');
export const FROM_OUTSIDE = is('from_domain', 'is_not', HOME_DOMAIN);

export type Kind = 'query' | 'report' | 'analytics' | 'template';
export type Line = readonly [
  entity: string,
  kind: Kind,
  name: string,
  description: string,
  severity: string,
  saas: string,
  filter: ConditionGroup,
  more?: {
    status?: string;
    schedule?: string;
    actions?: readonly string[];
    /** Renamed columns, including one for a field that no longer exists, as in old queries. */
    labels?: Readonly<Record<string, string>>;
    /** Added to the filter, only in the report. */
    report?: ConditionGroup;
    sort?: string;
    /** Analytics: the columns to group by. */
    groups?: readonly string[];
  },
];

export const M365 = 'office365_emails';
