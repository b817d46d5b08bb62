import { Button, InputGroup, Menu, MenuItem, PopoverNext } from '@blueprintjs/core';
import { Clipboard, Cross, Export, Pause, Search, TwoColumns } from '@blueprintjs/icons';
import type { JSX, RefObject } from 'react';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { GlyphArc, GlyphClean, GlyphSuspicious } from '#renderer/ui/glyphs.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import { exact } from '#shared/model/format.ts';

function FillState({
  result,
  onFill,
}: {
  result: ResultSet;
  onFill: (action: 'resume' | 'pause' | 'all') => void;
}): JSX.Element {
  const progress = `${exact(result.loaded)} of ${exact(result.total)}`;
  if (result.state === 'complete')
    return (
      <span
        className="pp-word pp-v-clean"
        title={result.reason ?? `All ${exact(result.total)} rows are on this machine`}
      >
        <GlyphClean size={14} />
        Complete
      </span>
    );
  if (result.state === 'filling')
    return (
      <span className="pp-word" data-fill="filling">
        <span className="pp-fresh-loading pp-fresh">
          <GlyphArc />
        </span>
        <span className="pp-t2">{progress}</span>
        <IconButton small icon={<Pause size={12} />} label="Pause fetching" onClick={() => onFill('pause')} />
      </span>
    );
  if (result.state === 'paused')
    return (
      <span
        className="pp-word"
        title={result.reason ?? 'The rest is fetched when you scroll there or export'}
      >
        <span className="pp-t2">{progress} here</span>
        <Button size="small" variant="minimal" text="Fetch all" onClick={() => onFill('all')} />
      </span>
    );
  return (
    <span className="pp-word" title={result.reason ?? undefined}>
      <span className="pp-caution pp-stack-cell">
        <GlyphSuspicious size={14} />
      </span>
      <span className="pp-caution">Partial</span>
      <span className="pp-t2 pp-ellipsis pp-results-reason">
        {progress}
        {result.reason ? `: ${result.reason}` : ''}
      </span>
      <Button size="small" text="Resume" onClick={() => onFill('resume')} />
    </span>
  );
}

/** Counts, state, selection and what can be done with the rows. */
export function ResultsBar(props: {
  result: ResultSet;
  /** Rows that match the local filter; null while counting. */
  count: number | null;
  filtering: boolean;
  running: boolean;
  offline: boolean;
  changed: boolean;
  /** Sorted here, among the loaded rows only. */
  localOrder: boolean;
  selected: number;
  allSelected: boolean;
  onSelect: (what: 'page' | 'all' | 'none') => void;
  onCopyIocs: () => void;
  onFill: (action: 'resume' | 'pause' | 'all') => void;
  onRefresh: () => void;
  search: string;
  onSearch: (text: string) => void;
  searchRef: RefObject<HTMLInputElement | null>;
  onExport: () => void;
  chooser: JSX.Element;
  onClearFilter: () => void;
}): JSX.Element {
  const { result, count, filtering, selected, allSelected, onSelect } = props;
  const { wide } = useBreakpoint();
  const noun = (one: number) => (one === 1 ? 'result' : 'results');
  const rows = count ?? result.total;
  const selectMenu = (
    <Menu aria-label="Select rows">
      <MenuItem text="Rows on screen" onClick={() => onSelect('page')} />
      <MenuItem
        text={
          filtering
            ? `All ${exact(rows)} that match the filter`
            : `All ${exact(result.loaded)} on this machine`
        }
        onClick={() => onSelect('all')}
      />
      {!filtering && result.loaded < result.total ? (
        <MenuItem
          disabled
          text={`All ${exact(result.total)} matching: ${exact(result.total - result.loaded)} are not fetched yet`}
        />
      ) : null}
      <MenuItem text="None" disabled={selected === 0} onClick={() => onSelect('none')} />
    </Menu>
  );
  return (
    <div className="pp-results-bar">
      <span className="pp-strong pp-results-count" data-total={result.total} data-loaded={result.loaded}>
        {filtering ? `${count === null ? '…' : exact(count)} of ${exact(result.total)}` : exact(result.total)}{' '}
        {noun(result.total)}
      </span>
      {filtering ? (
        <Button
          size="small"
          variant="minimal"
          icon={<Cross size={12} />}
          text="Clear filter"
          onClick={props.onClearFilter}
        />
      ) : null}
      <FillState result={result} onFill={props.onFill} />
      <button type="button" className="pp-results-age" title="Run again" onClick={props.onRefresh}>
        <FreshnessMark freshness={{ ...result.freshness, offline: props.offline }} loading={props.running} />
      </button>
      {props.changed ? <span className="pp-small pp-results-changed">Changed since this run</span> : null}
      {props.localOrder ? <span className="pp-small pp-caution">Sorted among the loaded rows</span> : null}
      <span className="pp-divider" />
      <PopoverNext content={selectMenu} placement="bottom-start" animation="minimal" arrow={false}>
        <Button
          size="small"
          variant="minimal"
          className="pp-results-selected"
          text={selected === 0 ? 'Select' : `${exact(selected)} selected`}
        />
      </PopoverNext>
      {selected > 0 && !allSelected ? (
        <button type="button" className="pp-link" onClick={() => onSelect('all')}>
          all {exact(filtering ? rows : result.loaded)}{' '}
          {filtering || result.loaded === result.total ? 'matching' : 'loaded'}
        </button>
      ) : null}
      {selected > 0 ? (
        <Button size="small" icon={<Clipboard size={14} />} text="Copy IOCs" onClick={props.onCopyIocs} />
      ) : null}
      <span className="pp-spacer" />
      <InputGroup
        className="pp-results-search"
        inputRef={props.searchRef}
        leftIcon={<Search size={14} />}
        rightElement={<Kbd keys="/" />}
        aria-label="Search in results"
        placeholder="Search in results"
        value={props.search}
        onValueChange={props.onSearch}
      />
      {wide ? (
        <Button size="small" icon={<Export size={14} />} text="Export" onClick={props.onExport} />
      ) : (
        <IconButton
          small
          outlined
          icon={<Export size={14} />}
          label="Export results"
          onClick={props.onExport}
        />
      )}
      <PopoverNext content={props.chooser} placement="bottom-end" animation="minimal" arrow={false}>
        {wide ? (
          <Button size="small" icon={<TwoColumns size={14} />} text="Columns" />
        ) : (
          <IconButton small outlined icon={<TwoColumns size={14} />} label="Columns" />
        )}
      </PopoverNext>
    </div>
  );
}
