import { Button } from '@blueprintjs/core';
import { type JSX, useEffect, useState } from 'react';
import { menuOf } from '#renderer/commands/command.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import { exact } from '#shared/model/format.ts';
import { isMissingRows, progressText, totalText } from '../labels.ts';
import type { Browse } from './use-browse.ts';
import type { Run } from './use-run.ts';

/**
 * Whether "all matching" can be selected now. `begun`: the fetch it needs has started, so `state` is that of the fetch.
 */
export const selectable = ({ state }: Pick<ResultSet, 'state'>, begun: boolean): 'wait' | 'all' | 'here' =>
  !begun || state === 'filling' || state === 'paused' ? 'wait' : state === 'complete' ? 'all' : 'here';

/** Selects the rows on screen, all loaded or all matching; the last fetches the remaining rows first. */
export function useSelect(
  browse: Browse,
  run: Run | null,
): { waiting: boolean; select: (what: SelectWhat) => void } {
  const { result, selection } = browse;
  const [waitingFor, setWaitingFor] = useState<{ id: string; begun: boolean } | null>(null);
  const waiting = waitingFor?.id === result.id;
  const now = waitingFor?.id === result.id ? selectable(result, waitingFor.begun) : 'wait';
  useEffect(() => {
    if (now === 'wait') return;
    setWaitingFor(null);
    selection.select('all');
    if (now === 'here')
      showToast({
        intent: 'caution',
        stays: true,
        title: `Not all matching rows selected: ${progressText(result)} loaded`,
        detail: `Only loaded rows are selected. ${result.reason ?? 'The fetch stopped early.'}`,
      });
  }, [now, result, selection]);
  return {
    waiting,
    select(what) {
      const request = { id: result.id, begun: false };
      setWaitingFor(what === 'matching' ? request : null);
      if (what === 'matching')
        void run
          ?.fill('all')
          .then(() =>
            setWaitingFor((current) => (current === request ? { ...request, begun: true } : current)),
          );
      else if (what === 'page') browse.selectPage();
      else selection.select(what === 'loaded' ? 'all' : what);
    },
  };
}

export type SelectWhat = 'page' | 'loaded' | 'matching' | 'none';

interface SelectMenuProps {
  result: Pick<ResultSet, 'loaded' | 'total' | 'atLeast'>;
  /** Rows that match the filter on this machine; null while counting. */
  matching: number | null;
  filtering: boolean;
  offline: boolean;
  selected: number;
  /** Selected rows that the filter hides, or null if not known. */
  hidden: number | null;
  isAll: boolean;
  /** Rows are being fetched so that all can be selected. */
  waiting: boolean;
  onSelect: (what: SelectWhat) => void;
}

const hiddenWords = (hidden: number | null): string =>
  hidden === 0 ? '' : hidden === null ? ', some may be hidden' : `, ${exact(hidden)} hidden by the filter`;

/** Honest select-all: this page, all loaded or all matching, each with its exact count (product.md section 3). */
export function SelectMenu(props: SelectMenuProps): JSX.Element {
  const { result, matching, filtering, offline, selected, hidden, isAll, waiting, onSelect } = props;
  const { loaded } = result;
  const missing = isMissingRows(result);
  const rest = result.atLeast ? 'the rest' : exact(result.total - loaded);
  const all = result.atLeast ? '' : `${exact(result.total)} `;
  const here = filtering ? (matching ?? 0) : loaded;
  const what = filtering ? 'matching the filter' : 'matching';
  const menu = menuOf('Select rows', [
    { text: 'Rows on screen', run: () => onSelect('page') },
    {
      text: missing
        ? `All ${exact(here)} loaded${filtering ? ' matching the filter' : ''}`
        : `All ${exact(here)} ${what}`,
      isOff: filtering && matching === null,
      run: () => onSelect('loaded'),
    },
    missing && {
      text: filtering ? 'All matching the filter, once all rows are loaded' : `All ${all}matching`,
      note: offline ? 'offline' : `fetches ${rest} first`,
      isOff: offline,
      run: () => onSelect('matching'),
    },
    { text: 'Clear selection', isOff: selected === 0, run: () => onSelect('none') },
  ]);
  return (
    <>
      <MenuPopover content={menu} placement="bottom-start">
        <Button
          size="small"
          variant="minimal"
          className="pp-results-selected"
          text={
            waiting
              ? `Selecting all ${filtering ? 'matching' : totalText(result)}…`
              : selected === 0
                ? 'Select'
                : `${exact(selected)} selected${hiddenWords(hidden)}`
          }
        />
      </MenuPopover>
      {selected > 0 && !isAll ? (
        <LinkButton onClick={() => onSelect('loaded')}>
          all {exact(here)} {missing ? 'loaded' : 'matching'}
        </LinkButton>
      ) : null}
    </>
  );
}
