import { type JSX, useMemo } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';
import { describeQuery, describeReport, plainWords, type Segment } from '#shared/query/describe.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import { type Problem, validate } from '#shared/query/validate.ts';
import { EVERY_APP, isEveryApp, shownQuery, showsReport } from './query-run.ts';
import { nodeAt, toggleDisabled } from './tree-edit.ts';
import { useSaasChoices } from './use-config.ts';

/**
 * What runs in words, the query or its report, with the problems of the query's conditions; incomplete ones are left out
 * of the words. `report` is what the report requires beside the query, where it is not part of what runs.
 */
export function useQuerySummary(
  { query, asReport }: Pick<Draft, 'query' | 'asReport'>,
  config: QueryConfig | undefined,
): {
  segments: Segment[];
  fullSummary: string;
  report: { segments: Segment[]; full: string };
  problems: Problem[];
} {
  const { domain } = query;
  const clock = useClock();
  const choices = useSaasChoices(query.saas);
  const label = choices.find(({ value }) => value === (query.saas || EVERY_APP))?.label;
  const saas = isEveryApp(query.saas) ? null : (label ?? query.saas ?? null);
  return useMemo(() => {
    const none = { segments: [], full: '' };
    if (!config) return { segments: [], fullSummary: '', report: none, problems: [] };
    const tree = query.filter ?? emptyGroup();
    const problems = validate(tree, config);
    const complete = problems.reduce(
      (root, { path }) => (nodeAt(root, path)?.disabled ? root : toggleDisabled(root, path)),
      tree,
    );
    const { filter } = shownQuery({ query: { ...query, filter: complete }, asReport });
    const options = { condition: filter ?? emptyGroup(), config, domain, saas };
    const { reportCondition } = query;
    const report = showsReport({ query, asReport })
      ? none
      : {
          segments: describeReport(reportCondition, config, { clock }),
          full: plainWords(describeReport(reportCondition, config, { exact: true })),
        };
    return {
      segments: describeQuery({ ...options, clock }),
      fullSummary: plainWords(describeQuery({ ...options, exact: true })),
      report,
      problems,
    };
  }, [query, asReport, domain, config, saas, clock]);
}

export function QuerySummary({ segments }: { segments: readonly Segment[] }): JSX.Element {
  let position = 0;
  return (
    <>
      {segments.map((segment) => {
        const key = `${position}`;
        position += segment.text.length + 1;
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
