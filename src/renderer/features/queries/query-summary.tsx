import { type JSX, useMemo } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';
import { describeQuery, plainWords, type Segment } from '#shared/query/describe.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import { type Problem, validate } from '#shared/query/validate.ts';
import { EVERY_APP, isEveryApp, shownQuery } from './query-run.ts';
import { nodeAt, toggleDisabled } from './tree-edit.ts';
import { useSaasChoices } from './use-config.ts';

/**
 * What runs in words, the query or its report, with the problems of the query's conditions; incomplete ones are left out
 * of the words.
 */
export function useQuerySummary(
  { query, asReport }: Pick<Draft, 'query' | 'asReport'>,
  config: QueryConfig | undefined,
): { segments: Segment[]; fullSummary: string; problems: Problem[] } {
  const { domain } = query;
  const clock = useClock();
  const choices = useSaasChoices(query.saas);
  const label = choices.find(({ value }) => value === (query.saas || EVERY_APP))?.label;
  const saas = isEveryApp(query.saas) ? null : (label ?? query.saas ?? null);
  return useMemo(() => {
    if (!config) return { segments: [], fullSummary: '', problems: [] };
    const tree = query.filter ?? emptyGroup();
    const problems = validate(tree, config);
    const complete = problems.reduce(
      (root, { path }) => (nodeAt(root, path)?.disabled ? root : toggleDisabled(root, path)),
      tree,
    );
    const { filter } = shownQuery({ query: { ...query, filter: complete }, asReport });
    const options = { condition: filter ?? emptyGroup(), config, domain, saas };
    return {
      segments: describeQuery({ ...options, clock }),
      fullSummary: plainWords(describeQuery({ ...options, exact: true })),
      problems,
    };
  }, [query, asReport, domain, config, saas, clock]);
}

/** A query in plain words. */
export function QuerySummary({ segments }: { segments: readonly Segment[] }): JSX.Element {
  let at = 0;
  return (
    <>
      {segments.map((segment) => {
        const key = `${at}`;
        at += segment.text.length + 1;
        const text = visibleText(segment.text);
        if (segment.kind === 'strong') return <b key={key}>{text}</b>;
        if (segment.kind === 'value')
          return (
            <code key={key} className="pp-words-value">
              {text}
            </code>
          );
        if (segment.kind === 'or')
          return (
            <span key={key} className="pp-words-or">
              {text}
            </span>
          );
        return <span key={key}>{text}</span>;
      })}
    </>
  );
}
