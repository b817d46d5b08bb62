import { useEffect, useRef } from 'react';
import { conditionFor, registerFilterTarget } from '#renderer/state/entity-actions.ts';
import type { EntityRef } from '#renderer/ui/entity-value.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { editTree } from './draft-edit.ts';
import { fieldsById } from './query-run.ts';
import { filterFor, filterOut } from './tree-edit.ts';

/** Values of the window filter this query while its tab is in front; `run` brings the rows after it. */
export function useFilterTarget(
  tabId: string,
  draftId: string,
  config: QueryConfig | undefined,
  run: () => void,
): void {
  const runs = useRef(run);
  runs.current = run;
  useEffect(() => {
    if (!config) return undefined;
    const act = (entity: EntityRef, negate: boolean) => {
      const fields = fieldsById(config);
      const field =
        fields.get(entity.field ?? '') ?? fields.get(conditionFor(config, entity, negate)?.field ?? '');
      const change = negate ? filterOut : filterFor;
      let done = false;
      if (field)
        editTree(draftId, (tree) => {
          const next = change(tree, field, entity.value);
          done = next !== null;
          return next ?? tree;
        });
      if (done) runs.current();
      else
        showToast({
          intent: 'caution',
          title: field ? `${field.label} cannot be asked so` : 'This query has no field for such a value',
        });
    };
    return registerFilterTarget(tabId, {
      filterFor: (entity) => act(entity, false),
      filterOut: (entity) => act(entity, true),
    });
  }, [tabId, draftId, config]);
}
