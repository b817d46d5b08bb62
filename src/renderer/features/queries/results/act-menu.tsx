import { Button, Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { Flash } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { type ActionChoice, openAction } from '#renderer/state/action-order.ts';
import { useRoleRefusal } from '#renderer/state/caller.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import { sendRefusal } from '#renderer/state/respond.ts';
import { MenuPopover } from '#renderer/ui/menu-popover.tsx';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { ActionConfig, QueryConfig } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { isMissingRows, NEW_QUERY } from '../labels.ts';
import type { Browse } from './use-browse.ts';

/** The scopes of an action: the selection or focused row, all loaded, all matching. */
export function actionChoices(browse: Browse): ActionChoice[] {
  const { result, rows, filtering, selection, selected, total, grid } = browse;
  const filter = filtering ? { filter: rows.filter } : {};
  const missing = isMissingRows(result);
  const here = filtering ? total : result.loaded;
  const chosen = selection.selection;
  const focused = grid.current?.focusedRow();
  const out: ActionChoice[] = [];
  if (chosen.mode === 'some' && selected > 0)
    out.push({
      label: 'Selected',
      count: selected,
      scope: { kind: 'selected', entityIds: [...chosen.ids] },
    });
  else if (chosen.mode === 'some' && focused)
    out.push({ label: 'This row', count: 1, scope: { kind: 'selected', entityIds: [focused.id] } });
  if (chosen.mode === 'all' && chosen.ids.size > 0)
    out.push({
      label: 'Selected',
      count: selected,
      scope: { kind: 'loaded', ...filter, except: [...chosen.ids] },
    });
  if (missing) out.push({ label: 'All loaded', count: here, scope: { kind: 'loaded', ...filter } });
  out.push({
    label: filtering ? 'All matching the filter' : 'All matching',
    count: missing && (filtering || result.atLeast) ? null : missing ? result.total : here,
    scope: missing || !filtering ? { kind: 'matching', ...filter } : { kind: 'loaded', ...filter },
  });
  return out.filter(({ count }) => count !== 0);
}

/** Menu of the query config's actions on these rows; a disabled button gives the reason. */
export function ActMenu({
  browse,
  draft,
  config,
}: {
  browse: Browse;
  draft: Draft;
  config: QueryConfig;
}): JSX.Element | null {
  const { reach, connection } = useConnection();
  const roleRefusal = useRoleRefusal();
  const [open, setOpen] = useState(false);
  const { result, selected, total } = browse;
  const why = sendRefusal(reach, connection?.kind) ?? (result.total === 0 ? 'No rows to act on.' : null);
  const usable = config.actions.length > 0;
  useHotkeys(
    [
      {
        keys: ['A'],
        text: 'Act on the selection or the row',
        group: 'Results',
        run: () => (why === null ? setOpen(true) : false),
      },
    ],
    usable,
  );
  if (!usable) return null;
  const start = (action: ActionConfig) =>
    openAction({
      action,
      resultId: result.id,
      queryId: draft.savedId,
      queryLabel: draft.query.name || NEW_QUERY,
      domain: draft.query.domain,
      config,
      choices: actionChoices(browse),
    });
  const item = (action: ActionConfig) => {
    const refusal = roleRefusal('query.action', { action: action.id });
    return (
      <MenuItem
        key={action.id}
        text={`${action.label}…`}
        {...(action.danger ? { intent: 'danger' as const } : {})}
        disabled={refusal !== null}
        title={refusal ?? undefined}
        onClick={() => start(action)}
      />
    );
  };
  const danger = config.actions.filter((action) => action.danger === true);
  const others = config.actions.filter((action) => action.danger !== true);
  return (
    <MenuPopover
      isOpen={open}
      onInteraction={setOpen}
      disabled={why !== null}
      // Menu items open dialogs, which take the focus.
      placement="bottom-start"
      content={
        <Menu aria-label="Actions">
          {danger.map(item)}
          {danger.length > 0 && others.length > 0 ? <MenuDivider /> : null}
          {others.map(item)}
        </Menu>
      }
    >
      <Button
        size="small"
        icon={<Flash size={14} />}
        text={selected > 0 ? `Act on ${exact(selected)}` : 'Act'}
        aria-haspopup="menu"
        disabled={why !== null}
        title={why ?? `On the selection, the row, or all ${exact(total)} (A)`}
      />
    </MenuPopover>
  );
}
