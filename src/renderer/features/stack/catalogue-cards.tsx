import type { DragEvent, JSX, KeyboardEvent } from 'react';
import { AppStateMark } from '#renderer/ui/app-state.tsx';
import { visibleText } from '#shared/model/format.ts';
import type { Item } from './catalogue.ts';
import { Figures } from './figures.tsx';
import { ItemMark } from './item-mark.tsx';
import type { Catalogue } from './use-catalogue.ts';

export interface CatalogueViewProps {
  catalogue: Catalogue;
  chosen: string | null;
  onChoose: (name: string) => void;
}

const DRAGGED = 'application/x-parapet-tool';

/** What makes an entry of the stack movable: by dragging, and with Alt and the arrows. Nothing in the store. */
export function movable({ order, dropBefore, step }: Catalogue, { app }: Item) {
  if (order !== 'stack') return {};
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.setData(DRAGGED, app.name);
      event.dataTransfer.effectAllowed = 'move';
    },
    onDragOver: (event: DragEvent) => {
      if (event.dataTransfer.types.includes(DRAGGED)) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      const name = event.dataTransfer.getData(DRAGGED);
      if (name === '' || name === app.name) return;
      event.preventDefault();
      dropBefore(name, app.name);
    },
    onKeyDown: (event: KeyboardEvent) => {
      const back = event.key === 'ArrowUp' || event.key === 'ArrowLeft';
      if (!event.altKey || !(back || event.key === 'ArrowDown' || event.key === 'ArrowRight')) return;
      event.preventDefault();
      event.stopPropagation();
      step(app.name, back ? -1 : 1);
    },
  };
}

const categoryWords = ({ app }: Item) =>
  [app.category, app.is_saas ? app.family : null]
    .filter(Boolean)
    .map((word) => visibleText(String(word)))
    .join(' · ') || 'Category not recorded';

/** What is not simply paid for is worth a word; what has lapsed, a warning. */
function Licence({ item }: { item: Item }): JSX.Element | null {
  const { value, label } = item.words.licence;
  if (value === '' || value === 'paid') return null;
  return (
    <span className={`pp-stack-licence ${value === 'demo' ? '' : 'pp-caution'}`}>{visibleText(label)}</span>
  );
}

/** One card per app or tool. */
export function CatalogueCards({ catalogue, chosen, onChoose }: CatalogueViewProps): JSX.Element {
  return (
    <ul className="pp-stack-cards">
      {catalogue.items.map((item) => (
        <li key={item.app.name} {...movable(catalogue, item)}>
          <button
            type="button"
            className={`pp-stack-card${item.app.state === 'disabled' ? ' pp-stack-off' : ''}`}
            aria-pressed={chosen === item.app.name}
            data-item={item.app.name}
            onClick={() => onChoose(item.app.name)}
          >
            <span className="pp-stack-head">
              <ItemMark item={item} product={catalogue.product} />
              <AppStateMark state={item.app.state} />
            </span>
            <span className="pp-stack-head pp-small pp-t3">
              <span className="pp-ellipsis">{categoryWords(item)}</span>
              <Licence item={item} />
            </span>
            <Figures counts={catalogue.counts.get(item.app.name)} label={item.label} />
          </button>
        </li>
      ))}
    </ul>
  );
}
