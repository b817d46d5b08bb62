import { createContext, useContext } from 'react';
import type { FieldConfig, OperatorConfig, QueryConfig } from '#shared/model/entities.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { Path } from '../tree-edit.ts';

export interface BuilderValue {
  config: QueryConfig;
  fields: ReadonlyMap<string, FieldConfig>;
  operators: ReadonlyMap<string, OperatorConfig>;
  /** Messages by path, as "1.0". */
  problems: ReadonlyMap<string, string>;
  edit: (change: (tree: ConditionGroup) => ConditionGroup, merge?: string) => void;
  /** The node being dragged; read when something is dropped. */
  dragged: { current: Path | null };
  /** The node that takes the focus once it is drawn: its handle after a move, its field when it is new. */
  focus: { current: { key: string; on: 'handle' | 'field' } | null };
}

export const BuilderContext = createContext<BuilderValue | null>(null);

export function useBuilder(): BuilderValue {
  const value = useContext(BuilderContext);
  if (value === null) throw new Error('useBuilder needs a Builder around it');
  return value;
}

export const pathText = (path: Path): string => path.join('.');
