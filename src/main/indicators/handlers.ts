/** Collections of indicators: each is kept here until it is requested in some form. */
import { randomUUID } from 'node:crypto';
import { ParapetError } from '#shared/bridge/errors.ts';
import { INDICATOR_TYPES, type Indicators, indicatorLines, indicatorText } from '#shared/model/indicators.ts';
import { csvRow } from '#shared/model/spreadsheet-safe.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import { type CollectDeps, Collecting } from './collect.ts';

/** Collections kept; the oldest is dropped first. */
const MOST = 4;
/** Shown of each type, and of what is excluded. */
const SAMPLE = 200;

export function createIndicatorHandlers(deps: CollectDeps): HandlersIn<'indicators'> {
  const collections = new Map<string, Indicators>();
  return {
    async 'indicators.collect'({ connectionId, source }, { signal }) {
      const collecting = new Collecting(deps, connectionId, signal);
      const indicators = await collecting.collect(source);
      const collectionId = randomUUID();
      collections.set(collectionId, indicators);
      const [oldest] = collections.keys();
      if (collections.size > MOST && oldest !== undefined) collections.delete(oldest);
      const list = indicators.list();
      const [ownValues, allowed] = [indicators.list('own'), indicators.list('allowed')];
      return {
        collectionId,
        read: collecting.read,
        groups: INDICATOR_TYPES.flatMap((type) => {
          const of = list.filter((indicator) => indicator.type === type);
          const sample = of.slice(0, SAMPLE).map(({ value }) => value);
          return of.length === 0 ? [] : [{ type, count: of.length, sample }];
        }),
        own: ownValues.slice(0, SAMPLE),
        ownCount: ownValues.length,
        allowed: allowed.slice(0, SAMPLE),
        allowedCount: allowed.length,
        notes: [...new Set(collecting.notes)],
      };
    },

    async 'indicators.text'({ collectionId, types, own, allowed, form, format }) {
      const indicators = collections.get(collectionId);
      if (!indicators)
        throw new ParapetError('not-cached', 'These indicators have expired. Collect them again.');
      const list = [
        ...indicators.list().filter(({ type }) => types.includes(type)),
        ...(own ? indicators.list('own') : []),
        ...(allowed ? indicators.list('allowed') : []),
      ];
      const text =
        format === 'csv'
          ? [
              csvRow(['type', 'value', 'defanged']),
              ...list.map((indicator) =>
                csvRow([indicator.type, indicator.value, indicatorText(indicator, true)]),
              ),
            ].join('')
          : indicatorLines(list, { defanged: form === 'defanged', typed: format === 'typed' });
      return { text, count: list.length };
    },
  };
}
