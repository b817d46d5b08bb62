import { Classes } from '@blueprintjs/core';
import { Search } from '@blueprintjs/icons';
import type { JSX, Ref } from 'react';
import { focusFound } from '../focus.ts';
import { Kbd } from '../kbd.tsx';

/**
 * The search box of a list: "/" focuses it, Enter or arrow down moves to the results. Uses Blueprint's classes only,
 * because its component measures the elements beside an input when rendered, which forces a layout of the whole window.
 */
export function SearchBox(props: {
  className: string;
  label: string;
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  inputRef?: Ref<HTMLInputElement>;
}): JSX.Element {
  const { className, label, placeholder, text, onText, inputRef } = props;
  return (
    <div className={`${Classes.INPUT_GROUP} ${className}`}>
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
