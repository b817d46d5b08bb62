import { Disable } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { menuOf } from '#renderer/commands/command.tsx';
import { useSendRefusal } from '#renderer/state/caller.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { type ExceptionSelection, openWith } from '#renderer/state/tab-payload.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { FIELD_OF_QUERY } from '#shared/exceptions/from-query.ts';
import type { Cell } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import type { Selection } from './selection.ts';
import type { Browse } from './use-browse.ts';

const CHUNK = 5000;
/** Rows whose values fill a dialog. */
const MOST = 10_000;

function* texts(value: Cell | undefined): Generator<string> {
  if (typeof value === 'string') {
    if (value !== '') yield value;
  } else if (Array.isArray(value)) for (const entry of value) yield* texts(entry);
}

/** The rows' entities, and the values of the columns that an exception can be about. */
async function collect(bridge: Bridge, browse: Browse, chosen: Selection): Promise<ExceptionSelection> {
  const { result, rows, domain } = browse;
  const indexes = result.columns.flatMap(({ id }, index) =>
    Object.hasOwn(FIELD_OF_QUERY, id) ? [{ id, index }] : [],
  );
  const values = new Map(indexes.map(({ id }) => [id, new Set<string>()]));
  const ids = new Set<string>();
  const take = (
    entityId: Cell | undefined,
    cellOf: (column: (typeof indexes)[number]) => Cell | undefined,
  ) => {
    if (typeof entityId === 'string') ids.add(entityId);
    for (const column of indexes) for (const text of texts(cellOf(column))) values.get(column.id)?.add(text);
  };
  if (chosen.mode === 'some') {
    const named = [...chosen.ids].slice(0, MOST);
    for (let start = 0; start < named.length; start += CHUNK) {
      const entityIds = named.slice(start, start + CHUNK);
      const answer = await bridge.call('results.rows', { resultId: result.id, entityIds });
      for (const row of answer.rows) take(row['entity_id'], ({ id }) => row[id]);
    }
  } else {
    for (let start = 0; start < MOST; start += CHUNK) {
      const page = await bridge.call('results.page', {
        resultId: result.id,
        start,
        end: start + CHUNK,
        filter: rows.filter,
      });
      for (const row of page.rows)
        if (!chosen.ids.has(String(row[0]))) take(row[0], ({ index }) => row[index + 1]);
      if (page.rows.length < CHUNK) break;
    }
  }
  return {
    entityType: domain === 'email' || domain === 'file' ? domain : null,
    entityIds: [...ids],
    values: Object.fromEntries(
      [...values].flatMap(([id, texts]) => (texts.size === 0 ? [] : [[id, [...texts]]])),
    ),
  };
}

/** Opens the exceptions screen with the values of the rows; a toast reports unreadable or omitted rows. */
const withSelection = (
  browse: Browse,
  bridge: Bridge,
  open: (selection: ExceptionSelection) => void,
): Promise<unknown> =>
  attempt('Rows could not be read', async () => {
    open(await collect(bridge, browse, browse.chosen()));
    if (browse.selected > MOST)
      showToast({ intent: 'caution', title: `Only the first ${exact(MOST)} rows are included` });
  });

const LABEL = 'Exceptions for selected rows';
const SENDER = 'from_email';

/** A block entry for the senders of the chosen rows: the editor for one, the paste dialog for several. */
export const blockSenders = (browse: Browse, bridge: Bridge): Promise<unknown> =>
  withSelection(browse, bridge, ({ values, ...rows }) => {
    const [sender, ...others] = values[SENDER] ?? [];
    if (sender === undefined) showToast({ intent: 'caution', title: 'No sender in the chosen rows' });
    else if (others.length === 0)
      openWith('exceptions', {
        prefill: { value: { kind: 'email', value: sender, field: SENDER }, from: null },
      });
    else openWith('exceptions', { selection: { ...rows, values: { [SENDER]: [sender, ...others] } } });
  });

/**
 * Exceptions for selected rows: from their values, or chosen by the service for each row. `onByService`: undefined:
 * the service derives none from such rows.
 */
export function ExceptionsButton(props: {
  browse: Browse;
  onByService: (() => void) | undefined;
}): JSX.Element {
  const { browse, onByService } = props;
  const bridge = useBridge();
  const refusal = useSendRefusal()('exceptions.create');
  const [reading, setReading] = useState(false);
  const open = async () => {
    if (reading) return;
    setReading(true);
    await withSelection(browse, bridge, (selection) => openWith('exceptions', { selection }));
    setReading(false);
  };
  const button = { small: true, outlined: true, icon: <Disable size={14} />, label: LABEL };
  if (onByService === undefined) return <IconButton {...button} onClick={() => void open()} />;
  return (
    <MenuPopover
      placement="bottom-start"
      content={menuOf(LABEL, [
        { text: 'From values of the rows…', run: open },
        { text: 'Chosen by the service…', why: refusal, run: onByService },
      ])}
    >
      <IconButton {...button} />
    </MenuPopover>
  );
}
