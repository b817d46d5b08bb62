/** The service's actions on one user or group: the same as on its row, with the same preview, reason and journal. */

import { Flash } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { type Command, CommandButton, menuOf, useCommands } from '#renderer/commands/command.tsx';
import { PERSON } from '#renderer/commands/keys.ts';
import { openAction } from '#renderer/state/action-order.ts';
import { useRoleRefusal } from '#renderer/state/caller.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { conditionFor } from '#renderer/state/entity-actions.ts';
import { sendRefusal } from '#renderer/state/respond.ts';
import { showFailure } from '#renderer/state/show-failure.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import type { ActionConfig, NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { actionsOf, resultColumns, runPayload, wantedColumns } from '../queries/query-run.ts';
import { byRole } from '../queries/results/act-menu.tsx';
import { useQueryConfig } from '../queries/use-config.ts';

interface PersonToActOn {
  kind: 'user' | 'group';
  entityId: string;
  email: string | null;
  saas: string | null;
}

/** Asks for the row of the person, as actions are sent to rows of a result. Rejects if there is none. */
async function openPersonAction(
  { kind, entityId, email, saas }: PersonToActOn,
  connectionId: string,
  config: QueryConfig,
  action: ActionConfig,
): Promise<void> {
  const address = conditionFor(config, { kind: 'email', value: email ?? '', field: 'email' });
  if (address === null) throw new Error(`The service can’t be asked for one ${kind}.`);
  const name = email ?? entityId;
  const query: NewQuery = {
    type: 'query',
    domain: kind,
    entityType: kind,
    name,
    saas,
    columns: [],
    filter: { operator: 'and', conditions: [address] },
  };
  const columns = wantedColumns(query, config, null);
  const result = await windowBridge().call('results.open', {
    connectionId,
    payload: runPayload({ query }, columns, []),
    columns: resultColumns(columns, config, query),
    refresh: true,
    label: name.slice(0, 300),
  });
  const { rows } = await windowBridge().call('results.rows', { resultId: result.id, entityIds: [entityId] });
  if (rows.length === 0) throw new Error(`The service no longer lists this ${kind}.`);
  openAction({
    action,
    resultId: result.id,
    queryId: null,
    queryLabel: name,
    domain: kind,
    config,
    choices: [{ label: `This ${kind}`, count: 1, scope: { kind: 'selected', entityIds: [entityId] } }],
  });
}

export function PersonActMenu({ person }: { person: PersonToActOn }): JSX.Element {
  const { kind, email, saas } = person;
  const { reach, connection } = useConnection();
  const roleRefusal = useRoleRefusal();
  const { data: config, error } = useQueryConfig(kind, saas);
  const [open, setOpen] = useState(false);
  const { permitted, why: notMine } = byRole(config ? actionsOf({}, config) : [], (action) =>
    roleRefusal('query.action', { action }),
  );
  const why =
    sendRefusal(reach, connection?.kind) ??
    (email === null ? 'The address is unknown.' : null) ??
    (config ? null : (error?.message ?? 'Actions not loaded.')) ??
    (permitted.length === 0 ? (notMine ?? `The service offers no actions on a ${kind}.`) : null);
  const text = `Act on the ${kind}`;
  const act: Command = {
    ...PERSON.act,
    text,
    label: 'Act',
    title: text,
    icon: Flash,
    why,
    run: () => setOpen(true),
  };
  useCommands([act]);
  const start = (action: ActionConfig) => {
    if (!config || !connection) return;
    openPersonAction(person, connection.id, config, action).catch((reason: unknown) =>
      showFailure(`${action.label}: not started`, reason),
    );
  };
  return (
    <MenuPopover
      isOpen={open}
      onInteraction={setOpen}
      disabled={why !== null}
      placement="bottom-end"
      content={menuOf(
        'Actions',
        permitted.map(({ action }) => ({
          text: `${action.label}…`,
          isDanger: action.danger ?? false,
          run: () => start(action),
        })),
      )}
    >
      <CommandButton command={act} />
    </MenuPopover>
  );
}
