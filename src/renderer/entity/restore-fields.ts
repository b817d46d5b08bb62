import type { AnswerOf } from '#shared/api/catalogue.ts';

type Props = AnswerOf<'entity.props'>;

export interface RestoreRead {
  data?: Props | undefined;
  error?: unknown;
}

/**
 * The restore fields. Undefined if their request failed, even if an earlier answer is cached: the plain profile is newer
 * (specification section 8). Without a profile, the cached answer is better than nothing.
 */
export const restoreFieldsOf = (read: RestoreRead, profile: unknown): Props | undefined =>
  read.error && profile ? undefined : read.data;
