import type { JSX } from 'react';
import { AppIcon } from '#renderer/ui/app-icon.tsx';
import { visibleText } from '#shared/model/format.ts';
import type { Item } from './catalogue.ts';

/** Icon and name of an app or tool. */
export function ItemMark({ item, product }: { item: Item; product: string }): JSX.Element {
  const name = visibleText(item.label);
  return (
    <span className="pp-row pp-stack-name">
      <span className="pp-t3 pp-stack-cell">
        <AppIcon app={item.app} product={product} />
      </span>
      <span className="pp-ellipsis" title={name}>
        {name}
      </span>
    </span>
  );
}
