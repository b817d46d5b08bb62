import { type JSX, useMemo } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { QueryRows } from '../queries/query-rows.tsx';
import { useQueryConfig } from '../queries/use-config.ts';
import { LIST_WORDS, TAB_LABELS } from './labels.ts';
import { LISTS, type ListKind, listQuery } from './lists.ts';

interface ListPanelProps {
  kind: ListKind;
  /** Null if not known, or not yet. */
  email: string | null;
  /** The profile with the address; without an address, the profile's state is shown. */
  profile: Read<'entity.get'>;
}

/** The newest rows of one kind for an address. */
export function ListPanel({ kind, email, profile }: ListPanelProps): JSX.Element {
  const config = useQueryConfig(email === null ? null : LISTS[kind].domain, null);
  const query = useMemo(
    () => (config.data && email !== null ? listQuery(kind, email, config.data) : null),
    [kind, email, config.data],
  );
  const title = TAB_LABELS[kind];
  const lacks = email === null ? profile.data !== undefined : config.data !== undefined && query === null;
  return (
    <QueryRows
      title={title}
      first="newest"
      query={query}
      config={config}
      source={email === null ? profile : config}
      lacks={lacks ? { title, reason: email === null ? LIST_WORDS.noAddress : LIST_WORDS.noField } : null}
      layoutKey={`person-${kind}`}
    />
  );
}
