import { InputGroup } from '@blueprintjs/core';
import { Cross, Search } from '@blueprintjs/icons';
import { type Dispatch, type JSX, memo, type SetStateAction } from 'react';
import type { LoginFilter } from '#shared/logins/login-filter.ts';
import { chipsOf } from './filter-state.ts';

interface MapSearchProps {
  filter: LoginFilter;
  onFilter: Dispatch<SetStateAction<LoginFilter>>;
}

/** A brush changes nothing here: the field measures itself each time it is drawn. */
const looksSame = (a: MapSearchProps, b: MapSearchProps) =>
  a.onFilter === b.onFilter &&
  (Object.keys({ ...a.filter, ...b.filter }) as (keyof LoginFilter)[]).every(
    (part) => part === 'time' || a.filter[part] === b.filter[part],
  );

/** Words of the filter, and its values as chips that go away by a click. */
export const MapSearch = memo(function MapSearch({ filter, onFilter }: MapSearchProps): JSX.Element {
  return (
    <div className="pp-map-search">
      <InputGroup
        type="search"
        data-search
        leftIcon={<Search size={14} />}
        placeholder="User, address or country"
        aria-label="Search logins"
        value={filter.text ?? ''}
        onChange={({ currentTarget: { value } }) => onFilter((now) => ({ ...now, text: value }))}
      />
      {chipsOf(filter).map(({ id, text, rest }) => (
        <button
          type="button"
          className="pp-map-chip"
          key={id}
          aria-label={`Remove ${text}`}
          title={text}
          onClick={() => onFilter(({ time }) => ({ ...rest, time }))}
        >
          <span className="pp-ellipsis">{text}</span>
          <Cross size={12} />
        </button>
      ))}
    </div>
  );
}, looksSame);
