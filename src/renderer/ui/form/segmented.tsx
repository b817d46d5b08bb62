import type { JSX } from 'react';
import { useId } from 'react';

interface SegmentedProps<T extends string> {
  label: string;
  options: readonly { value: T; label: string; disabled?: boolean }[];
  value: T;
  onChange: (value: T) => void;
  /** 20 px high, for condition groups. */
  compact?: boolean;
  /** Accent tint on the chosen one instead of a raised key. */
  accent?: boolean;
}

/** A choice of a few options side by side. Uses native radios, so that arrows, Tab and screen readers work. */
export function Segmented<T extends string>(props: SegmentedProps<T>): JSX.Element {
  const name = useId();
  return (
    <fieldset
      className={`pp-segmented${props.compact ? ' pp-compact' : ''}${props.accent ? ' pp-accent' : ''}`}
    >
      <legend className="pp-visually-hidden">{props.label}</legend>
      {props.options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            className="pp-visually-hidden"
            name={name}
            value={option.value}
            checked={option.value === props.value}
            disabled={option.disabled}
            onChange={() => props.onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
