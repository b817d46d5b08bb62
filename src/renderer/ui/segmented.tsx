import type { JSX, KeyboardEvent } from 'react';
import { useRef } from 'react';

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

/** One choice of a few, as radio buttons side by side; arrows move, as radios do. */
export function Segmented<T extends string>(props: SegmentedProps<T>): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  const { options, value, onChange } = props;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const free = options.filter((option) => !option.disabled);
    const at = free.findIndex((option) => option.value === value);
    const next = free[(at + step + free.length) % free.length];
    if (!next) return;
    onChange(next.value);
    root.current?.querySelector<HTMLElement>(`[data-value="${CSS.escape(next.value)}"]`)?.focus();
  };
  return (
    <div
      ref={root}
      role="radiogroup"
      aria-label={props.label}
      className={`pp-segmented${props.compact ? ' pp-compact' : ''}${props.accent ? ' pp-accent' : ''}`}
      onKeyDown={onKeyDown}
    >
      {options.map((option) => (
        // A native radio cannot hold this look without a hidden input that loses the focus ring's shape.
        <button
          key={option.value}
          type="button"
          role="radio"
          data-value={option.value}
          aria-checked={option.value === value}
          tabIndex={option.value === value ? 0 : -1}
          disabled={option.disabled}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
