import { Button } from '@blueprintjs/core';
import { ChevronUp } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { TreeEditor } from '../builder/tree-editor.tsx';
import { isMissingRows } from '../labels.ts';
import type { FilterState } from './use-filter.ts';

/** The query config limited to the result's columns, for filtering on this machine. */
export function localConfig(config: QueryConfig, columns: readonly string[]): QueryConfig {
  const has = new Set(columns);
  return {
    ...config,
    fields: config.fields.filter(({ id }) => has.has(id)),
    conditions: config.conditions.filter(({ field }) => has.has(field)),
  };
}

/** Conditions over the loaded rows, evaluated on this machine. */
export function FilterBar(props: {
  config: QueryConfig;
  filter: FilterState;
  result: ResultSet;
}): JSX.Element {
  const { config, filter, result } = props;
  const { tree, problems, editTree, conditions, clear, setOpen } = filter;
  return (
    <section className="pp-filter-bar" aria-label="Filter loaded rows">
      <div className="pp-filter-head">
        <span className="pp-caption pp-t3">
          {isMissingRows(result)
            ? `Filter the ${exact(result.loaded)} loaded rows`
            : 'Filter these rows on this machine'}
        </span>
        <span className="pp-spacer" />
        {conditions > 0 ? <Button size="small" variant="minimal" text="Clear" onClick={clear} /> : null}
        <IconButton
          small
          icon={<ChevronUp size={12} />}
          label="Hide filter (stays active)"
          onClick={() => setOpen(false)}
        />
      </div>
      <TreeEditor config={config} tree={tree} problems={problems} onEdit={editTree} />
    </section>
  );
}
