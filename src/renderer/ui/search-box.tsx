import { Classes } from '@blueprintjs/core';
import { Search } from '@blueprintjs/icons';
import type { JSX, Ref } from 'react';
import { focusFound } from './focus.ts';
import { Kbd } from './kbd.tsx';

/**
 * The search of a list, which "/" goes to, and Enter or the arrow down leaves for what was found. Blueprint's elements
 * by their classes: its own component measures what stands beside an input as it is drawn, for which the whole window
 * is laid out.
 */
export function SearchBox(props: {
  className: string;
  /** What is searched: the accessible name. */
  label: string;
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  inputRef?: Ref<HTMLInputElement>;
}): JSX.Element {
  const { className, label, placeholder, text, onText, inputRef } = props;
  return (
    <div className={`${Classes.INPUT_GROUP} pp-search-box ${className}`}>
      <Search size={14} />
      <input
        ref={inputRef}
        type="text"
        className={Classes.INPUT}
        data-search
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => onText(target.value)}
        onKeyDown={(event) => {
          if (
            event.nativeEvent.isComposing ||
            event.ctrlKey ||
            event.altKey ||
            event.metaKey ||
            event.shiftKey
          )
            return;
          if ((event.key === 'Enter' || event.key === 'ArrowDown') && focusFound()) event.preventDefault();
        }}
      />
      <span className={Classes.INPUT_ACTION}>
        <Kbd keys="/" />
      </span>
    </div>
  );
}
