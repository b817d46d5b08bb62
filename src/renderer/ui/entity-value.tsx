import type { JSX, KeyboardEvent, MouseEvent } from 'react';
import { createContext, useContext } from 'react';
import { defang } from '#shared/model/defang.ts';
import { visibleText } from '#shared/model/format.ts';

/** A value an analyst acts on: an address, domain, IP, hash, URL or another entity. */
export interface EntityRef {
  kind: 'email' | 'domain' | 'ip' | 'url' | 'hash' | 'text' | (string & {});
  value: string;
  /** The query field it fills, for Filter for and Filter out. */
  field?: string;
  /** The id Open needs when it is not the value itself. */
  id?: string;
}

/** What the shell or a feature does with a value. An action left away is not offered. */
export interface EntityActions {
  filterFor?: (entity: EntityRef) => void;
  filterOut?: (entity: EntityRef) => void;
  open?: (entity: EntityRef) => void;
  canOpen?: (entity: EntityRef) => boolean;
  /** Shows where a user or an address signed in from. */
  map?: (entity: EntityRef) => void;
  canMap?: (entity: EntityRef) => boolean;
  /** Begins an exception of the value. */
  except?: (entity: EntityRef) => void;
  canExcept?: (entity: EntityRef) => boolean;
  copy: (entity: EntityRef) => void;
  copyDefanged: (entity: EntityRef) => void;
}

const plainCopy = (text: string) => void navigator.clipboard?.writeText(text);

export const DEFAULT_ENTITY_ACTIONS: EntityActions = {
  copy: (entity) => plainCopy(entity.value),
  copyDefanged: (entity) => plainCopy(defang(entity.value)),
};

/** Behaviour, supplied by the app; a feature may nest its own to add filtering. */
export const EntityActionsContext = createContext<EntityActions>(DEFAULT_ENTITY_ACTIONS);

/** Where the menu opens: below a rectangle, or at a pointer (a rectangle of no size). */
export interface MenuAnchor {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export type OpenEntityMenu = (
  anchor: MenuAnchor,
  entity: EntityRef,
  actions: EntityActions,
  from?: HTMLElement,
) => void;

/** Opens the one entity menu; the host is EntityMenuHost. */
export const EntityMenuContext = createContext<OpenEntityMenu>(() => undefined);

export const pointAnchor = (x: number, y: number): MenuAnchor => ({ left: x, top: y, right: x, bottom: y });

interface EntityValueProps {
  entity: EntityRef;
  /** Text in place of the value, e.g. a shortened hash. URLs are shown defanged whatever is passed. */
  text?: string;
  /** Positions (UTF-16, `[start, end)`) of look-alike characters, marked amber. */
  marks?: readonly (readonly [number, number])[];
  /** One line with an ellipsis instead of wrapping. Profiles wrap. */
  truncate?: boolean;
  /** UI font instead of mono: names. */
  plain?: boolean;
}

function marked(text: string, marks: EntityValueProps['marks']): JSX.Element | string {
  if (!marks?.length) return visibleText(text);
  const parts: JSX.Element[] = [];
  let at = 0;
  for (const [start, end] of [...marks].sort((a, b) => a[0] - b[0])) {
    if (start < at || end > text.length) continue;
    parts.push(<span key={`t${at}`}>{visibleText(text.slice(at, start))}</span>);
    parts.push(
      <mark key={`m${start}`} className="pp-lookalike" title="A look-alike character">
        {visibleText(text.slice(start, end))}
      </mark>,
    );
    at = end;
  }
  parts.push(<span key={`t${at}`}>{visibleText(text.slice(at))}</span>);
  return <>{parts}</>;
}

/** A value in mono with its menu: click, right-click or Enter; F, Shift F, C and Shift C act directly. */
export function EntityValue(props: EntityValueProps): JSX.Element {
  const { entity, marks, truncate, plain } = props;
  const actions = useContext(EntityActionsContext);
  const openMenu = useContext(EntityMenuContext);
  const shown = entity.kind === 'url' ? defang(entity.value) : (props.text ?? entity.value);
  const open = (target: HTMLElement, anchor?: MenuAnchor) =>
    openMenu(anchor ?? target.getBoundingClientRect(), entity, actions, target);
  const onContextMenu = (event: MouseEvent<HTMLElement>) => {
    event.preventDefault();
    open(event.currentTarget, event.clientX ? pointAnchor(event.clientX, event.clientY) : undefined);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    const act =
      key === 'f'
        ? event.shiftKey
          ? actions.filterOut
          : actions.filterFor
        : key === 'c'
          ? event.shiftKey
            ? actions.copyDefanged
            : actions.copy
          : undefined;
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
      {marked(shown, entity.kind === 'url' ? undefined : marks)}
    </button>
  );
}
