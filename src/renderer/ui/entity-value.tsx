import type { JSX, KeyboardEvent, MouseEvent, ReactNode } from 'react';
import { createContext, useContext } from 'react';
import { defang } from '#shared/model/defang.ts';
import { visibleText } from '#shared/model/format.ts';
import { chordOf } from './chord.ts';

/** A value with actions: an address, domain, IP, hash, URL or another entity. */
export interface EntityRef {
  kind: 'email' | 'domain' | 'ip' | 'url' | 'hash' | 'text' | (string & {});
  value: string;
  /** Display name if the value is an identifier of a tool or an app; copying uses the name. */
  called?: string;
  /** The query field for Filter for and Filter out. */
  field?: string;
  /** The id for Open, if it differs from the value. */
  id?: string;
}

/** Value actions supplied by the shell or a feature. Omitted ones are not offered. */
export interface EntityActions {
  filterFor?: (entity: EntityRef) => void;
  filterOut?: (entity: EntityRef) => void;
  open?: (entity: EntityRef) => void;
  canOpen?: (entity: EntityRef) => boolean;
  /** Shows the logins of a user or an address. */
  map?: (entity: EntityRef) => void;
  canMap?: (entity: EntityRef) => boolean;
  /** Lists who clicked a link, or links to a host. */
  clicked?: (entity: EntityRef) => void;
  canClicked?: (entity: EntityRef) => boolean;
  except?: (entity: EntityRef) => void;
  canExcept?: (entity: EntityRef) => boolean;
  copy: (entity: EntityRef) => void;
  copyDefanged: (entity: EntityRef) => void;
}

const plainCopy = (text: string) => void navigator.clipboard?.writeText(text);

export const DEFAULT_ENTITY_ACTIONS: EntityActions = {
  copy: (entity) => plainCopy(entity.called ?? entity.value),
  copyDefanged: (entity) => plainCopy(entity.called ?? defang(entity.value)),
};

/** Supplied by the app; a feature can nest its own provider to add filtering. */
export const EntityActionsContext = createContext<EntityActions>(DEFAULT_ENTITY_ACTIONS);

/** Where the menu opens: below a rectangle, or at the pointer (an empty rectangle). */
export interface MenuAnchor {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export type OpenEntityMenu = (anchor: MenuAnchor, entity: EntityRef, actions: EntityActions) => void;

/** Opens the entity menu, which EntityMenuHost renders. */
export const EntityMenuContext = createContext<OpenEntityMenu>(() => undefined);

export const pointAnchor = (x: number, y: number): MenuAnchor => ({ left: x, top: y, right: x, bottom: y });

interface EntityValueProps {
  entity: EntityRef;
  /** Text shown in place of the value, e.g. a shortened hash. URLs are always shown defanged. */
  text?: string;
  /** Positions (UTF-16, `[start, end)`) of look-alike characters, marked amber. */
  marks?: readonly (readonly [number, number])[];
  /** One line with an ellipsis instead of wrapping. Profiles wrap. */
  truncate?: boolean;
  /** UI font instead of mono: names. */
  plain?: boolean;
  /** Shown in place of the value: a grid's cell. */
  children?: ReactNode;
}

/** These kinds wrap after @, a dot or a hyphen, so that labels of a name are not split. */
const WRAPS_AT_MARKS: ReadonlySet<string> = new Set(['email', 'domain', 'message-id']);

function wrapping(text: string): JSX.Element {
  const parts: (JSX.Element | string)[] = [];
  let position = 0;
  for (const piece of visibleText(text).split(/(?<=[@.-])/)) {
    if (position > 0) parts.push(<wbr key={position} />);
    parts.push(piece);
    position += piece.length;
  }
  return <>{parts}</>;
}

function marked(text: string, marks: EntityValueProps['marks'], wraps: boolean): JSX.Element | string {
  const draw = wraps ? wrapping : visibleText;
  if (!marks?.length) return draw(text);
  const parts: JSX.Element[] = [];
  let position = 0;
  for (const [start, end] of [...marks].sort((a, b) => a[0] - b[0])) {
    if (start < position || end > text.length) continue;
    parts.push(<span key={`t${position}`}>{draw(text.slice(position, start))}</span>);
    parts.push(
      <mark key={`m${start}`} className="pp-lookalike" title="A look-alike character">
        {draw(text.slice(start, end))}
      </mark>,
    );
    position = end;
  }
  parts.push(<span key={`t${position}`}>{draw(text.slice(position))}</span>);
  return <>{parts}</>;
}

/** A value in mono with its menu: click, right-click or Enter; F and Shift F filter, C copies defanged, Shift C raw. */
export function EntityValue(props: EntityValueProps): JSX.Element {
  const { entity, marks, truncate, plain } = props;
  const actions = useContext(EntityActionsContext);
  const openMenu = useContext(EntityMenuContext);
  const shown = entity.kind === 'url' ? defang(entity.value) : (props.text ?? entity.value);
  const open = (target: HTMLElement, anchor?: MenuAnchor) =>
    openMenu(anchor ?? target.getBoundingClientRect(), entity, actions);
  const onContextMenu = (event: MouseEvent<HTMLElement>) => {
    event.preventDefault();
    open(event.currentTarget, event.clientX ? pointAnchor(event.clientX, event.clientY) : undefined);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const act = {
      F: actions.filterFor,
      'Shift+F': actions.filterOut,
      C: actions.copyDefanged,
      'Shift+C': actions.copy,
    }[chordOf(event.nativeEvent)];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act(entity);
  };
  return (
    <button
      type="button"
      className={`pp-entity${plain ? '' : ' pp-entity-mono'}${truncate ? ' pp-entity-truncate' : ''}`}
      aria-haspopup="menu"
      title={truncate ? visibleText(shown) : undefined}
      onClick={(event) => open(event.currentTarget)}
      onContextMenu={onContextMenu}
      onKeyDown={onKeyDown}
    >
      {props.children ??
        marked(
          shown,
          entity.kind === 'url' ? undefined : marks,
          !truncate && WRAPS_AT_MARKS.has(entity.kind),
        )}
    </button>
  );
}
