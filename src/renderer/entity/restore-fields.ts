import type { AnswerOf } from '#shared/api/catalogue.ts';

type Props = AnswerOf<'entity.props'>;

/** The restore fields as they were read. */
export interface RestoreRead {
  data?: Props | undefined;
  error?: unknown;
}

/**
 * What the restore service says. Undefined where it did not answer, also when an answer from before is kept: the
 * plain profile is newer (specification section 8). Without a profile the kept answer is better than nothing.
 */
export const restoreFieldsOf = (read: RestoreRead, profile: unknown): Props | undefined =>
  read.error && profile ? undefined : read.data;
