import { Button } from '@blueprintjs/core';
import { AddToArtifact, Cross, EyeOff, Plus } from '@blueprintjs/icons';
import { type JSX, useMemo, useRef } from 'react';
import { QUERY } from '#renderer/commands/keys.ts';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import type { QueryConfig } from '#shared/model/entities.ts';
import { type ConditionGroup, isGroup } from '#shared/query/tree.ts';
import type { Problem } from '#shared/query/validate.ts';
import { fieldsById } from '../query-run.ts';
import * as tree from '../tree-edit.ts';
import { BuilderContext, type BuilderValue, pathText, useBuilder } from './builder-context.ts';
import { ConditionRow } from './condition-row.tsx';
import { DragHandle } from './node-menu.tsx';
import { useNode } from './use-node.ts';
import { negatedWords, newCondition } from './values-edit.ts';

const OPERATORS = [
  { value: 'and', label: 'All of' },
  { value: 'or', label: 'Any of' },
] as const;

/** The field of a new condition: the first suggested one that this group does not use yet. */
function useNewCondition(group: ConditionGroup) {
  const { config, fields, operators } = useBuilder();
  return () => {
    const used = new Set(group.conditions.map((node) => (isGroup(node) ? '' : node.field)));
    const suggested =
      config.conditions.find(({ field }) => fields.has(field) && !used.has(field)) ?? config.conditions[0];
    const field = fields.get(suggested?.field ?? '') ?? config.fields[0];
    return field ? newCondition(field, operators, suggested?.operator) : null;
  };
}

function GroupHeader({ group, path }: { group: ConditionGroup; path: tree.Path }): JSX.Element {
  const { edit, focus, problems } = useBuilder();
  const problem = problems.get(pathText(path));
  const header = useRef<HTMLDivElement>(null);
  const place = useNode(header, group, path);
  const make = useNewCondition(group);
  const isRoot = path.length === 0;
  const add = (node: tree.Node | null) => {
    if (node === null) return;
    const first = isGroup(node) ? (node.conditions[0] ?? node) : node;
    focus.current = { key: tree.keyOf(first), on: isGroup(first) ? 'handle' : 'field' };
    edit((root) => tree.addTo(root, path, node));
  };
  return (
    <div ref={header} className={`pp-qb-header${place ? ' pp-qb-drop-into' : ''}`}>
      {isRoot ? null : <DragHandle node={group} path={path} label="Group" />}
      {group.negate ? (
        <button
          type="button"
          className="pp-qb-not"
          title={`${problem ?? negatedWords(group)}. Click to remove “not”`}
          aria-invalid={problem !== undefined}
          onClick={() => edit((root) => tree.toggleNegate(root, path))}
        >
          Not
        </button>
      ) : null}
      <Segmented
        compact
        accent
        label="Match"
        options={OPERATORS}
        value={group.operator}
        onChange={(operator) => edit((root) => tree.setGroupOperator(root, path, operator))}
      />
      {group.label ? <span className="pp-small pp-t3 pp-ellipsis">{group.label}</span> : null}
      <span className="pp-spacer" />
      <Button
        size="small"
        variant="minimal"
        icon={<Plus size={14} />}
        text={QUERY.addCondition.text}
        data-add="condition"
        data-first-focus={isRoot || undefined}
        onClick={() => add(make())}
      />
      <Button
        size="small"
        variant="minimal"
        icon={<AddToArtifact size={14} />}
        text={QUERY.addGroup.text}
        data-add="group"
        onClick={() => {
          const condition = make();
          add({
            operator: group.operator === 'and' ? 'or' : 'and',
            conditions: condition ? [condition] : [],
          });
        }}
      />
      {group.disabled ? (
        <IconButton
          small
          icon={<EyeOff size={12} />}
          label="Disabled. Enable"
          onClick={() => edit((root) => tree.toggleDisabled(root, path))}
        />
      ) : null}
      {isRoot ? null : (
        <IconButton
          small
          icon={<Cross size={14} />}
          label="Remove group"
          onClick={() => edit((root) => tree.removeAt(root, path))}
        />
      )}
    </div>
  );
}

/** A group with its bracket (grey All, stone Any), its conditions and the groups inside it. */
function GroupEditor(props: { group: ConditionGroup; path: tree.Path; none: string }): JSX.Element {
  const { group, path, none } = props;
  return (
    <fieldset
      className={`pp-bracket${group.operator === 'or' ? ' pp-bracket-any' : ''} pp-qb-group${group.disabled ? ' pp-qb-off' : ''}`}
      data-node={tree.keyOf(group)}
      data-path={pathText(path)}
      aria-label={`${group.negate ? 'Not ' : ''}${group.operator === 'and' ? 'all of' : 'any of'}`}
    >
      <GroupHeader group={group} path={path} />
      {group.conditions.map((node, index) =>
        isGroup(node) ? (
          <GroupEditor key={tree.keyOf(node)} group={node} path={[...path, index]} none={none} />
        ) : (
          <ConditionRow key={tree.keyOf(node)} condition={node} path={[...path, index]} />
        ),
      )}
      {group.conditions.length === 0 ? (
        <p className="pp-qb-none pp-t3">{path.length === 0 ? none : 'An empty group is ignored.'}</p>
      ) : null}
    </fieldset>
  );
}

/** The builder's rows for a condition tree: of a draft, a report, or a filter of rows. */
export function TreeEditor(props: {
  config: QueryConfig;
  tree: ConditionGroup;
  problems: readonly Problem[];
  /** Shown while there are no conditions. */
  none?: string;
  /** `merge` identifies the edited field, so that typing becomes a single undo step. */
  onEdit: (change: (tree: ConditionGroup) => ConditionGroup, merge?: string) => void;
}): JSX.Element {
  const { config, tree, problems, none = 'No conditions: everything matches.', onEdit } = props;
  const dragged = useRef<BuilderValue['dragged']['current']>(null);
  const focus = useRef<BuilderValue['focus']['current']>(null);
  const latest = useRef(onEdit);
  latest.current = onEdit;
  const value = useMemo<BuilderValue>(
    () => ({
      config,
      fields: fieldsById(config),
      operators: new Map(config.operators.map((operator) => [operator.id, operator])),
      problems: new Map(problems.map((problem) => [pathText(problem.path), problem.message])),
      edit: (change, merge) => latest.current(change, merge),
      dragged,
      focus,
    }),
    [config, problems],
  );
  return (
    <BuilderContext value={value}>
      <div className="pp-qb">
        <GroupEditor group={tree} path={[]} none={none} />
      </div>
    </BuilderContext>
  );
}
