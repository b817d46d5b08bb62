import { MenuItem } from '@blueprintjs/core';
import { BlockedPerson, Flash, Lock, Repeat } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { type Command, CommandButton, menuOf, useCommands } from '#renderer/commands/command.tsx';
import { RESULTS } from '#renderer/commands/keys.ts';
import { type ActionChoice, type ActionOrder, openAction } from '#renderer/state/action-order.ts';
import { useRoleRefusal, useSendRefusal } from '#renderer/state/caller.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { sendRefusal } from '#renderer/state/respond.ts';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { ActionConfig, QueryConfig } from '#shared/model/entities.ts';
import { SECURITY_TOOLS } from '#shared/model/enums.ts';
import { exact } from '#shared/model/format.ts';
import { SERVICE_EXCEPTIONS } from '#shared/model/responses.ts';
import { type Branding, expandProduct, toolLabel } from '#shared/model/white-label.ts';
import { isMissingRows, NEW_QUERY } from '../labels.ts';
import { actionsOf, type OfferedAction } from '../query-run.ts';
import { blockSenders } from './exceptions-button.tsx';
import { pivotItems, usePivotKeys } from './pivots.tsx';
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
const startAction = (
  action: ActionConfig,
  { browse, draft, config }: ActOn,
  more: (now: Browse) => Partial<ActionOrder> = () => ({}),
): void =>
  browse.whenChosen((now) =>
    openAction({
      action,
      resultId: now.result.id,
      queryId: draft.savedId,
      queryLabel: draft.query.name || NEW_QUERY,
      domain: draft.query.domain,
      config,
      choices: actionChoices(now),
      ...more(now),
    }),
  );

/** Exceptions that the service derives from the selected rows. The dialog offers only what the call carries. */
export const startServiceExceptions = (on: ActOn, { product, name }: Branding): void =>
  startAction(
    {
      ...SERVICE_EXCEPTIONS,
      params: SERVICE_EXCEPTIONS.params.map((param) => ({
        ...param,
        allowedValues: SECURITY_TOOLS.map((tool) => ({
          value: expandProduct(tool, product),
          label: toolLabel(tool, { product, name }),
        })),
      })),
    },
    on,
    ({ selection: { selection }, filtering, rows, selected }) => ({
      call: 'exceptions.create',
      caution:
        'Only the items and the tool are sent. Which list they land in, and by which value, is decided by the service; what else they will match is unknown. Exceptions can’t be deleted, so this can’t be undone.',
      // The service is sent the ids of exactly these rows, whatever conditions it takes.
      choices: [
        {
          label: 'Selected',
          count: selected,
          scope:
            selection.mode === 'some'
              ? { kind: 'selected', entityIds: [...selection.ids] }
              : {
                  kind: 'loaded',
                  ...(filtering ? { filter: rows.filter } : {}),
                  except: [...selection.ids],
                },
        },
      ],
    }),
  );

const DIRECT = [
  { id: 'quarantine', spec: RESULTS.quarantine, icon: Lock },
  { id: 'rescan', spec: RESULTS.rescan, icon: Repeat },
] as const;
/** For the list of shortcuts. */
const ofWhat = (label: string) => ({ label, text: `${label}: the selection or the row`, isCommand: true });

/** Actions that the role may take, and those it may not, which are only named. */
export function byRole(
  offered: readonly OfferedAction[],
  refusal: (action: string) => string | null,
): { permitted: OfferedAction[]; refused: OfferedAction[]; why: string | null } {
  const refused = offered.filter(({ action }) => refusal(action.id) !== null);
  return {
    permitted: offered.filter((action) => !refused.includes(action)),
    refused,
    why: refused[0] ? refusal(refused[0].action.id) : null,
  };
}

/** The most frequent actions, each with a button and a key: quarantine, rescan, block sender. */
export function DirectActions(on: ActOn): JSX.Element {
  const { browse, draft, config } = on;
  const { wide } = useBreakpoint();
  const roleRefusal = useRoleRefusal();
  const { permitted: offered } = byRole(actionsOf(draft.query, config), (action) =>
    roleRefusal('query.action', { action }),
  );
  const bridge = useBridge();
  const refusal = useSendRefusal();
  const isEvidence = useConnection().connection?.kind === 'evidence';
  const hasSender = !isEvidence && browse.domain === 'email' && browse.columns.index.has('from_email');
  const commands: Command[] = (isEvidence ? [] : DIRECT).flatMap(({ id, spec, icon }) => {
    const action = offered.find((offer) => offer.action.id === id && !offer.missing)?.action;
    if (!action) return [];
    const why = refusal('query.action', { action: id });
    return [{ ...spec, ...ofWhat(action.label), icon, why, run: () => startAction(action, on) }];
  });
  if (hasSender && roleRefusal('exceptions.create-external') === null)
    commands.push({
      ...RESULTS.blockSender,
      ...ofWhat(RESULTS.blockSender.text),
      icon: BlockedPerson,
      why: refusal('exceptions.create-external'),
      run: () => browse.whenChosen((now) => void blockSenders(now, bridge)),
    });
  usePivotKeys(browse);
  useCommands(commands);
  return (
    <>
      {commands.map((command) => (
        <CommandButton key={command.text} small isBare={!wide} command={command} />
      ))}
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
    permitted: offered,
    refused,
    why: notMine,
  } = byRole(all, (action) => roleRefusal('query.action', { action }));
  // A folder of mail can do nothing to what is in it.
  const usable = all.length > 0 && connection?.kind !== 'evidence';
  const why =
    sendRefusal(reach, connection?.kind) ??
    (result.total === 0 ? 'No rows to act on.' : offered.length === 0 ? notMine : null);
  const act: Command = {
    ...RESULTS.act,
    label: selected > 0 ? `Act on ${exact(selected)}` : 'Act',
    title: `On the selection, the row, or all ${exact(total)}`,
    icon: Flash,
    why,
    run: () => setOpen(true),
  };
  useCommands([act], usable);
  if (!usable) return null;
  const commandOf = ({ action, missing }: OfferedAction): Command => ({
    text: `${action.label}…`,
    isDanger: action.danger ?? false,
    why: missing ? 'The service no longer offers this action.' : null,
    run: () => startAction(action, on),
  });
  const danger = offered.filter(({ action }) => action.danger === true);
  const others = offered.filter(({ action }) => action.danger !== true);
  const notAllowed = (
    <MenuItem
      disabled
      multiline
      text={`Not allowed for your role: ${refused.map(({ action }) => action.label).join(', ')}`}
      title={notMine ?? undefined}
    />
  );
  return (
    <MenuPopover
      isOpen={open}
      onInteraction={setOpen}
      disabled={why !== null}
      // Menu items open dialogs, which take the focus.
      placement="bottom-start"
      content={menuOf(
        'Actions',
        danger.map(commandOf),
        others.map(commandOf),
        [refused.length > 0 && notAllowed],
        pivotItems(browse),
      )}
    >
      <CommandButton small command={act} />
    </MenuPopover>
  );
}
