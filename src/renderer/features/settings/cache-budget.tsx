import { Button, InputGroup } from '@blueprintjs/core';
import { type JSX, useId, useState } from 'react';
import { Meter } from '#renderer/ui/charts/sparkbars.tsx';
import { bytes } from '#shared/model/format.ts';
import { typedNumber } from '#shared/query/values.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
/** Steps of the slider; any other amount can be typed. */
const STEPS = [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256].map((gib) => gib * GIB);
const LEAST = 512 * MIB;
const MOST = 1024 * GIB;

const nearest = (size: number): number =>
  STEPS.reduce((best, step, index) => {
    const other = STEPS[best] ?? 0;
    return Math.abs(Math.log(step / size)) < Math.abs(Math.log(other / size)) ? index : best;
  }, 0);

const asGib = (value: number): string => String(Math.round((value / GIB) * 100) / 100);

/** Used and available space; the slider or number takes effect when applied. */
export function CacheBudget(props: {
  used: number;
  budget: number;
  pending: boolean;
  /** Why the budget cannot be changed here, or null if it can. */
  managed: string | null;
  onApply: (budget: number) => void;
}): JSX.Element {
  const { used, budget, pending, managed, onApply } = props;
  const slider = useId();
  const number = useId();
  const [text, setText] = useState<string | null>(null);
  const typed = text === null ? budget : (typedNumber(text) ?? Number.NaN) * GIB;
  const isValid = Number.isFinite(typed) && typed >= LEAST && typed <= MOST;
  const size = isValid ? Math.round(typed) : budget;
  const apply = () => {
    if (!isValid) return;
    onApply(size);
    setText(null);
  };
  return (
    <div className="pp-cache-budget">
      <Meter
        label={`${bytes(used)} of ${bytes(size)} used`}
        parts={[{ tone: 'accent', value: Math.min(used, size) }]}
        whole={size}
      />
      <div className="pp-row pp-small pp-t2">
        <span className="pp-spacer">
          {bytes(used)} of {bytes(size)} used
        </span>
        {text !== null && isValid && size < used ? (
          <span className="pp-caution">The least recently used data is removed first; pinned data stays</span>
        ) : null}
      </div>
      <div className="pp-row">
        <label htmlFor={slider} className="pp-t2">
          Budget
        </label>
        <input
          id={slider}
          type="range"
          className="pp-cache-slider"
          min={0}
          max={STEPS.length - 1}
          step={1}
          disabled={managed !== null}
          value={nearest(size)}
          aria-valuetext={bytes(size)}
          onChange={({ currentTarget }) => setText(asGib(STEPS[Number(currentTarget.value)] ?? budget))}
        />
        <label htmlFor={number} className="pp-visually-hidden">
          Budget in gibibytes
        </label>
        <InputGroup
          id={number}
          className="pp-cache-gib"
          inputMode="decimal"
          disabled={managed !== null}
          intent={isValid ? 'none' : 'danger'}
          value={text ?? asGib(budget)}
          onValueChange={setText}
          onKeyDown={({ key }) => {
            if (key === 'Enter') apply();
          }}
        />
        <span className="pp-t3">GB</span>
        <Button
          size="small"
          text="Apply"
          disabled={pending || managed !== null || !isValid || size === budget}
          onClick={apply}
        />
      </div>
      {managed === null ? null : <small className="pp-t2 pp-wrap-anywhere">{managed}</small>}
      {isValid ? null : (
        <small className="pp-danger" role="alert">
          A number from {asGib(LEAST)} to {asGib(MOST)}, such as 2.5.
        </small>
      )}
    </div>
  );
}
