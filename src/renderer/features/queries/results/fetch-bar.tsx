import { Button, ProgressBar } from '@blueprintjs/core';
import { Download, Pause, Play, Stop } from '@blueprintjs/icons';
import { type JSX, useId, useRef, useState } from 'react';
import { Select } from '#renderer/ui/form/field.tsx';
import { GlyphSuspicious } from '#renderer/ui/glyphs.tsx';
import { timeLeft } from '#renderer/ui/time-left.ts';
import { useNow } from '#renderer/ui/use-now.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { fetchNotes, progressText } from '../labels.ts';
import type { FillAction } from './use-run.ts';

const PAGE_SIZES = [100, 250, 500, 1000, 2500, 5000, 10_000];

function Notes({ notes }: { notes: readonly string[] }): JSX.Element | null {
  if (notes.length === 0) return null;
  return (
    <span className="pp-fetch-notes pp-t2 pp-ellipsis" title={`${notes.join('.\n')}.`}>
      {notes.join('. ')}.
    </span>
  );
}

function PageSize(props: { value: number | null; onChange: (size: number | null) => void }): JSX.Element {
  const id = useId();
  const { value } = props;
  const sizes = value === null || PAGE_SIZES.includes(value) ? PAGE_SIZES : [value, ...PAGE_SIZES];
  return (
    <span className="pp-fetch-size">
      <label htmlFor={id} className="pp-t3">
        Page size
      </label>
      <Select
        id={id}
        value={value === null ? '' : String(value)}
        options={[
          { value: '', label: 'Automatic' },
          ...sizes.map((size) => ({ value: String(size), label: exact(size) })),
        ]}
        onChange={(size) => props.onChange(size === '' ? null : Number(size))}
      />
    </span>
  );
}

/** Whether there is anything to show: nothing for a complete result without incidents. */
export const hasFetchBar = (result: ResultSet): boolean =>
  result.state !== 'complete' || result.reason !== null || fetchNotes(result).length > 0;

/** States without a cursor to resume from: the fetch starts over. */
const RESTARTS: ReadonlySet<ResultSet['stop']> = new Set(['short', 'moved', 'uncounted', 'evidence']);

function Waiting({ until, cause }: { until: number; cause: string | null }): JSX.Element {
  const now = useNow('second');
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  return (
    <span className="pp-caution" title={cause ?? undefined}>
      {' '}
      · {visibleText(cause ?? 'Waiting for the service.')} Continues in {exact(seconds)} s
    </span>
  );
}

/** How much of a result is on this machine, and controls to fetch the rest. */
export function FetchBar(props: {
  result: ResultSet;
  offline: boolean;
  onFill: (action: FillAction, pageSize?: number | null) => void;
}): JSX.Element {
  const { result, offline, onFill } = props;
  const { state, loaded, total, reason, stop } = result;
  const [size, setSize] = useState(result.pageSize);
  const notes = fetchNotes(result);
  const rest = Math.max(0, total - loaded);
  const partial = state === 'partial';
  const fills = state === 'filling';
  const going = useRef<HTMLButtonElement>(null);
  const restarts = RESTARTS.has(stop);
  const waits = result.waitingUntil !== null && !offline;
  const runs = state === 'filling' && !waits && !offline;
  const all = (
    <Button
      size="small"
      icon={<Download size={12} />}
      text={
        restarts
          ? 'Fetch all again'
          : loaded === 0 || result.atLeast
            ? 'Fetch all'
            : `Fetch remaining ${exact(rest)}`
      }
      disabled={offline}
      title={offline ? 'Offline: go online to fetch more' : undefined}
      onClick={() => onFill('all', size)}
    />
  );
  return (
    <section
      className={`pp-fetch-bar${partial ? ' pp-fetch-partial' : ''}`}
      aria-label="Fetch"
      data-fetch={state}
    >
      {partial ? (
        <b className="pp-caution pp-word">
          <GlyphSuspicious size={14} />
          PARTIAL
        </b>
      ) : null}
      {state === 'complete' || result.atLeast ? null : (
        <ProgressBar
          className="pp-fetch-progress"
          value={total === 0 ? 0 : loaded / total}
          animate={false}
          stripes={false}
          aria-label="Rows on this machine"
        />
      )}
      {state === 'complete' ? null : (
        <span className="pp-fetch-count">
          <b>{progressText(result)}</b>
          {/* The banner above reports being offline; the previous rate no longer applies. */}
          {waits ? <Waiting until={result.waitingUntil ?? 0} cause={result.waitingFor ?? null} /> : null}
          {runs && result.rate !== null ? ` · ${exact(Math.round(result.rate))} rows/s` : ''}
          {runs && timeLeft(result.secondsLeft) !== null ? ` · ${timeLeft(result.secondsLeft)}` : ''}
          {state === 'paused' ? ' loaded' : state === 'filling' && offline ? ' · stopped while offline' : ''}
        </span>
      )}
      {reason !== null && state !== 'filling' ? (
        <span className={`pp-ellipsis pp-fetch-reason${partial ? '' : ' pp-t2'}`} title={reason}>
          {reason}
        </span>
      ) : null}
      <Notes notes={notes} />
      <span className="pp-spacer" />
      {fills || state === 'paused' || partial ? (
        <PageSize
          value={size}
          onChange={(next) => {
            setSize(next);
            if (fills) onFill('resume', next);
          }}
        />
      ) : null}
      {fills || ((partial || stop === 'paused') && !restarts) ? (
        // One element in both states, which keeps the focus.
        <Button
          ref={going}
          size="small"
          icon={fills ? <Pause size={12} /> : <Play size={12} />}
          text={fills ? 'Pause' : 'Resume'}
          disabled={!fills && offline}
          onClick={() => (fills ? onFill('pause') : onFill('resume', size))}
        />
      ) : null}
      {fills ? (
        <Button
          size="small"
          icon={<Stop size={12} />}
          text="Cancel"
          onClick={() => {
            // This button goes; "Resume" takes its place, not the button that fetches all.
            going.current?.focus();
            onFill('cancel');
          }}
        />
      ) : state === 'paused' || partial ? (
        all
      ) : null}
    </section>
  );
}
