import type { Query } from './entities.ts';
import { QUERY_STATUSES, type QueryStatus } from './enums.ts';
import { scheduleWords } from './schedule.ts';

export const QUERY_STATUS_LABELS: Readonly<Record<QueryStatus, string>> = {
  unknown: 'Unknown',
  saved: 'Saved',
  running: 'Running',
  stopped: 'Stopped',
  paused: 'Paused',
};

/**
 * "status values: unknown, saved, running, stopped. The legacy value 'pause' becomes 'paused'."
 * Anything else, of any type, is unknown (product.md, section 1).
 */
export function parseQueryStatus(value: unknown): QueryStatus {
  if (typeof value !== 'string' || value.length > 32) return 'unknown';
  const word = value.trim().toLowerCase();
  if (word === 'pause') return 'paused';
  return QUERY_STATUSES.find((status) => status === word) ?? 'unknown';
}

/** Operations on saved queries (specification section 7, Policies). */
export const POLICY_OPERATORS = ['enable', 'disable', 'pause', 'resume', 'unschedule'] as const;
export type PolicyOperator = (typeof POLICY_OPERATORS)[number];

interface PolicyOperation {
  label: string;
  effect: string;
  /** The status that it sets, or null if it removes the schedule. */
  status: QueryStatus | null;
}
const RUN = 'They run, and send what they are scheduled to send.';
export const POLICY_OPERATIONS: Readonly<Record<PolicyOperator, PolicyOperation>> = {
  enable: { label: 'Enable', effect: RUN, status: 'running' },
  disable: { label: 'Disable', effect: 'They stop running and send nothing.', status: 'stopped' },
  pause: { label: 'Pause', effect: 'They send nothing until they are resumed.', status: 'paused' },
  resume: { label: 'Resume', effect: RUN, status: 'running' },
  unschedule: {
    label: 'Remove schedule of',
    effect: 'Their recipients, times and passwords are removed for everyone.',
    status: null,
  },
};

/** What an operation changes. Without `scheduledExport`, a list omitted the schedule. */
export type PolicyState = Pick<Query, 'status' | 'scheduledExport'>;

/** Whether a query is already as the operation would leave it. */
export function isOperated(operator: PolicyOperator, { status, scheduledExport }: PolicyState): boolean {
  const after = POLICY_OPERATIONS[operator].status;
  return after === null ? scheduledExport === null : parseQueryStatus(status) === after;
}

/**
 * The service says whether a schedule has a password, never the password itself, which only a new schedule or a file
 * has. Null if it does not say.
 */
export function hasPassword(schedule: PolicyState['scheduledExport']): boolean | null {
  if (schedule == null) return false;
  const { has_password, password } = schedule;
  if (typeof password === 'string' && password !== '') return true;
  return typeof has_password === 'boolean' ? has_password : null;
}

const PASSWORD_WORDS = { true: ', with a password', false: '', null: ', password not listed' };

/** "Running. Every day at 06:00 server time to a@corp.example". */
export function policyWords({ status, scheduledExport: schedule }: PolicyState): string {
  const sends =
    schedule === undefined
      ? 'Schedule not listed'
      : schedule === null
        ? 'Not scheduled'
        : `${scheduleWords(schedule)} to ${schedule.emails.join(', ')}${PASSWORD_WORDS[`${hasPassword(schedule)}`]}`;
  return `${QUERY_STATUS_LABELS[parseQueryStatus(status)]}. ${sends}`;
}

/** The action that undoes an operation by saving what the query was before. */
export const REINSTATE = { id: 'reinstate', label: 'Restore status and schedule of' };
/** An import that replaces saved queries, and the action that undoes it. */
export const REPLACE = { id: 'replace', label: 'Replace' };
export const RESTORE_VERSION = { id: 'restore-version', label: 'Restore the earlier version of' };
