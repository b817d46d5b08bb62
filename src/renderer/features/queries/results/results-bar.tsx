import { Button, PopupKind } from '@blueprintjs/core';
import { Filter, TwoColumns } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { type Command, CommandButton } from '#renderer/commands/command.tsx';
import { SearchBox } from '#renderer/ui/form/search-box.tsx';
import { SearchCap } from '#renderer/ui/form/search-cap.tsx';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { GlyphArc, GlyphClean, GlyphSuspicious } from '#renderer/ui/glyphs.tsx';
import { IconButton, type PopoverState } from '#renderer/ui/icon-button.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { type ResultSet, SEARCH_MOST } from '#shared/bridge/operations.ts';
import { exact } from '#shared/model/format.ts';
import { progressText, totalText } from '../labels.ts';
import { CopyMenu } from './copy-menu.tsx';
import { ExceptionsButton } from './exceptions-button.tsx';
import { SaveAttachments } from './save-attachments.tsx';
import { SelectMenu, type SelectWhat } from './select-menu.tsx';
import type { Browse } from './use-browse.ts';

interface StateWord {
  className: string;
  title: string;
  icon: JSX.Element | null;
  text: string;
}

function stateWord(result: ResultSet, outdated: boolean): StateWord {
  const progress = `${progressText(result)} are on this machine`;
  const caution = { className: 'pp-caution', icon: <GlyphSuspicious size={14} /> };
  if (outdated)
    return { ...caution, title: `${progress}, as they were before your last action`, text: 'Outdated' };
  switch (result.state) {
    case 'complete':
      return {
        className: 'pp-v-clean',
        title: result.reason ?? `All ${exact(result.total)} rows are on this machine`,
        icon: <GlyphClean size={14} />,
        text: 'Complete',
      };
    case 'filling':
      return {
        className: 'pp-t2',
        title: progress,
        icon: (
          <span className="pp-fresh-loading pp-fresh">
            <GlyphArc />
          </span>
        ),
        text: 'Fetching',
      };
    case 'paused':
      return { className: 'pp-t2', title: progress, icon: null, text: `${exact(result.loaded)} loaded` };
    case 'partial':
      return { ...caution, title: result.reason ?? progress, text: 'Partial' };
  }
}

/**
 * One word for how complete the rows are; the fetch bar under the rows has the figures. Announced like the count, which
 * otherwise sounds as if these were all the rows.
 */
export function FillState({ result, outdated }: { result: ResultSet; outdated: boolean }): JSX.Element {
  const { className, title, icon, text } = stateWord(result, outdated);
  const isFilling = !outdated && result.state === 'filling';
  return (
    <span
      className={`pp-word ${className}`}
      role="status"
      title={title}
      {...(isFilling ? { 'data-fill': 'filling' } : {})}
    >
      {icon}
      {text}
    </span>
  );
}

/** The button of a popover, with its words if there is room, else with a tooltip. */
export function BarButton(props: { icon: JSX.Element; text: string } & PopoverState): JSX.Element {
  const { wide } = useBreakpoint();
  const { icon, text, 'aria-haspopup': hasPopup, 'aria-expanded': isExpanded } = props;
  const shared = { icon, 'aria-haspopup': hasPopup, 'aria-expanded': isExpanded };
  return wide ? (
    <Button {...shared} size="small" text={text} />
  ) : (
    <IconButton {...shared} small outlined label={text} />
  );
}

function ResultsCount({
  browse,
  lead,
  running,
}: {
  browse: Browse;
  lead: boolean;
  running: boolean;
}): JSX.Element {
  const { result, rows, filtering } = browse;
  const { count } = rows;
  return (
    <span
      className="pp-strong pp-results-count"
      role="status"
      aria-atomic
      // Announced once the count has settled.
      aria-busy={running || (filtering && count === null)}
      data-total={result.total}
      data-loaded={result.loaded}
      data-matching={count ?? ''}
    >
      {filtering ? `${count === null ? 'counting…' : exact(count)} of ` : ''}
      {totalText(result)} {lead ? 'rows' : result.total === 1 ? 'result' : 'results'}
    </span>
  );
}

function LocalOrder({ askService }: { askService: (() => void) | null }): JSX.Element {
  return (
    <span className="pp-small pp-caution">
      Sorted among loaded rows
      {askService ? (
        <>
          {' '}
          <LinkButton onClick={askService}>Sort on the service</LinkButton>
        </>
      ) : null}
    </span>
  );
}

interface ResultsBarProps {
  browse: Browse;
  /** Replaces the count and state in a comparison. */
  lead?: JSX.Element;
  running: boolean;
  offline: boolean;
  changed: boolean;
  /** An action has changed these rows since they were fetched. */
  outdated?: boolean;
  /** All matching rows are being fetched in order to select them. */
  waiting: boolean;
  onSelect: (what: SelectWhat) => void;
  onRefresh?: () => void;
  exportRows: Command;
  compare?: JSX.Element;
  act?: JSX.Element;
  /** Starts exceptions that the service derives from the selected rows. */
  onByService?: (() => void) | undefined;
  /** Rows can be shown as groups. */
  groups?: { isOpen: boolean; command: Command };
  chooser: JSX.Element;
}

export function ResultsBar(props: ResultsBarProps): JSX.Element {
  const { browse, lead, running, offline, changed, waiting, onSelect, onRefresh, exportRows } = props;
  const { result, rows, filtering, filter, order, selection, selected } = browse;
  const drawnAs = { small: true, isBare: !useBreakpoint().wide };
  const conditions = filter.conditions > 0 ? ` ${exact(filter.conditions)}` : '';
  return (
    <div className="pp-results-bar">
      {lead}
      <ResultsCount browse={browse} lead={lead !== undefined} running={running} />
      {lead ? null : <FillState result={result} outdated={props.outdated ?? false} />}
      {onRefresh ? (
        <button type="button" className="pp-results-age" title="Run again" onClick={onRefresh}>
          <FreshnessMark freshness={{ ...result.freshness, offline }} loading={running} />
        </button>
      ) : null}
      {changed ? <span className="pp-small pp-results-changed">Changed since this run</span> : null}
      {order.isLocal && result.state !== 'complete' ? <LocalOrder askService={order.askService} /> : null}
      <span className="pp-divider" />
      <SelectMenu
        result={result}
        matching={rows.count}
        filtering={filtering}
        offline={offline}
        selected={selected}
        hidden={selection.hidden}
        isAll={selection.grid.box === 'all'}
        waiting={waiting}
        onSelect={onSelect}
      />
      {selected > 0 ? <CopyMenu browse={browse} /> : null}
      <SaveAttachments browse={browse} />
      {selected > 0 && !offline ? <ExceptionsButton browse={browse} onByService={props.onByService} /> : null}
      {props.act}
      <span className="pp-spacer" />
      <SearchBox
        className="pp-results-search"
        inputRef={browse.searchBox}
        label="Search results"
        placeholder="Search results"
        text={filter.typed}
        onText={filter.setTyped}
      />
      <SearchCap text={filter.typed} most={SEARCH_MOST} />
      <CommandButton
        {...drawnAs}
        active={filter.isOpen || filter.conditions > 0}
        command={{
          text: `Filter${conditions}`,
          title: filter.isOpen ? 'Hide filter' : `Filter these rows${conditions}`,
          icon: Filter,
          run: () => filter.setOpen(!filter.isOpen),
        }}
      />
      {props.groups ? (
        <CommandButton {...drawnAs} active={props.groups.isOpen} command={props.groups.command} />
      ) : null}
      {props.compare}
      <CommandButton {...drawnAs} command={exportRows} />
      <MenuPopover content={props.chooser} popupKind={PopupKind.DIALOG} placement="bottom-end">
        <BarButton icon={<TwoColumns size={14} />} text="Columns" />
      </MenuPopover>
    </div>
  );
}
