import { Button, Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { BlockedPerson, Flash, Lock, Repeat } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { type ActionChoice, openAction } from '#renderer/state/action-order.ts';
import { useRoleRefusal, useSendRefusal } from '#renderer/state/caller.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import { sendRefusal } from '#renderer/state/respond.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { MenuPopover } from '#renderer/ui/menu-popover.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { ActionConfig, QueryConfig } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { isMissingRows, NEW_QUERY } from '../labels.ts';
import { actionsOf, type OfferedAction } from '../query-run.ts';
import { blockSenders } from './exceptions-button.tsx';
import { PivotItems, usePivotKeys } from './pivots.tsx';
import type { Browse } from './use-browse.ts';

interface ActOn {
  browse: Browse;
  draft: Draft;
  config: QueryConfig;
}

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

/** Starts an action on the rows; its dialog asks for scope and reason. */
const startAction = (action: ActionConfig, { browse, draft, config }: ActOn): void =>
  browse.whenChosen((now) =>
    openAction({
      action,
      resultId: now.result.id,
      queryId: draft.savedId,
      queryLabel: draft.query.name || NEW_QUERY,
      domain: draft.query.domain,
      config,
      choices: actionChoices(now),
    }),
  );

const DIRECT = [
  { id: 'quarantine', keys: 'Q', icon: <Lock size={14} /> },
  { id: 'rescan', keys: 'Shift+R', icon: <Repeat size={14} /> },
] as const;

/** Actions that the role may take, and those it may not, which are only named. */
export function byRole(
  offered: readonly OfferedAction[],
  refusal: (action: string) => string | null,
): { own: OfferedAction[]; refused: OfferedAction[]; why: string | null } {
  const refused = offered.filter(({ action }) => refusal(action.id) !== null);
  return {
    own: offered.filter((one) => !refused.includes(one)),
    refused,
    why: refused[0] ? refusal(refused[0].action.id) : null,
  };
}

/** The most frequent actions, each with a button and a key: quarantine, rescan, block sender. */
export function DirectActions(on: ActOn): JSX.Element {
  const { browse, draft, config } = on;
  const { wide } = useBreakpoint();
  const roleRefusal = useRoleRefusal();
  const { own: offered } = byRole(actionsOf(draft.query, config), (action) =>
    roleRefusal('query.action', { action }),
  );
  const bridge = useBridge();
  const refusal = useSendRefusal();
  const hasSender = browse.domain === 'email' && browse.columns.index.has('from_email');
  const run = (why: string | null, act: () => void) => (why === null ? act() : false);
  const buttons = [
    ...DIRECT.flatMap(({ id, keys, icon }) => {
      const found = offered.find(({ action, missing }) => action.id === id && !missing);
      if (!found) return [];
      const { action } = found;
      const why = refusal('query.action', { action: id });
      return [{ id, label: action.label, keys, icon, why, act: () => startAction(action, on) }];
    }),
    ...(hasSender && roleRefusal('exceptions.create') === null
      ? [
          {
            id: 'block',
            label: 'Block sender',
            keys: 'Shift+B',
            icon: <BlockedPerson size={14} />,
            why: refusal('exceptions.create'),
            act: () => browse.whenChosen((now) => void blockSenders(now, bridge)),
          },
        ]
      : []),
  ];
  usePivotKeys(browse);
  useHotkeys(
    buttons.map(({ label, keys, why, act }) => ({
      keys: [keys],
      text: `${label}: the selection or the row`,
      group: 'Results',
      isCommand: why === null,
      run: () => run(why, act),
    })),
  );
  return (
    <>
      {buttons.map(({ id, label, keys, icon, why, act }) =>
        wide ? (
          <Button
            key={id}
            size="small"
            icon={icon}
            text={label}
            title={why ?? `${label} (${keys.replace('+', ' ')})`}
            disabled={why !== null}
            onClick={act}
          />
        ) : (
          <IconButton
            key={id}
            small
            outlined
            icon={icon}
            label={label}
            why={why}
            shortcut={keys.replace('+', ' ')}
            disabled={why !== null}
            onClick={act}
          />
        ),
      )}
    </>
  );
}

/** Menu of the query config's actions on these rows; a disabled button gives the reason. */
export function ActMenu(on: ActOn): JSX.Element | null {
  const { browse, config } = on;
  const { reach, connection } = useConnection();
  const roleRefusal = useRoleRefusal();
  const [open, setOpen] = useState(false);
  const { result, selected, total } = browse;
  const all = actionsOf(on.draft.query, config);
  const {
    own: offered,
    refused,
    why: notMine,
  } = byRole(all, (action) => roleRefusal('query.action', { action }));
  const usable = all.length > 0;
  const why =
    sendRefusal(reach, connection?.kind) ??
    (result.total === 0 ? 'No rows to act on.' : offered.length === 0 ? notMine : null);
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
  const item = ({ action, missing }: OfferedAction) => {
    const refusal = missing ? 'The service no longer offers this action.' : null;
    return (
      <MenuItem
        key={action.id}
        text={`${action.label}…`}
        {...(action.danger ? { intent: 'danger' as const } : {})}
        disabled={refusal !== null}
        title={refusal ?? undefined}
        onClick={() => startAction(action, on)}
      />
    );
  };
  const danger = offered.filter(({ action }) => action.danger === true);
  const others = offered.filter(({ action }) => action.danger !== true);
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
          {refused.length > 0 ? (
            <>
              <MenuDivider />
              <MenuItem
                disabled
                multiline
                text={`Not allowed for your role: ${refused.map(({ action }) => action.label).join(', ')}`}
                title={notMine ?? undefined}
              />
            </>
          ) : null}
          <PivotItems browse={browse} />
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
