/** Conditions on values that belong to emails (recipients, links, attachments), answered by an index alone. */
import type { Test } from '#shared/query/predicate.ts';
import { foldText } from '#shared/query/text.ts';
import { aliveSql } from '../functions.ts';
import { IdSet, idsOf } from '../id-set.ts';
import type { Search } from './definition.ts';

/** `folded` is SQL of the folded value, as the index has it. The search is null for tests other than equality. */
export const valueSearch =
  (table: string, folded: string) =>
  (test: Test): Search | null =>
    test.kind === 'equals'
      ? {
          ids: (store, newest) =>
            new IdSet(newest).addAll(
              idsOf(
                store,
                `SELECT m.email_id FROM ${table} m WHERE ${aliveSql('m.id')} AND ${folded} IN (SELECT value FROM json_each(?))`,
                JSON.stringify(test.texts.map(foldText)),
              ),
            ),
        }
      : null;
