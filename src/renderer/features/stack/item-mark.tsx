import type { JSX } from 'react';
import { AppIcon } from '#renderer/ui/app-icon.tsx';
import { visibleText } from '#shared/model/format.ts';
import type { Item } from './catalogue.ts';

/** Icon, name and licence of an app or tool. */
export function ItemMark({ item, product }: { item: Item; product: string }): JSX.Element {
  const { value, label } = item.words.licence;
  const name = visibleText(item.label);
  return (
    <span className="pp-row pp-stack-name">
      <span className="pp-t3 pp-stack-cell">
        <AppIcon app={item.app} product={product} />
      </span>
      <span className="pp-ellipsis" title={name}>
        {name}
      </span>
      {value !== '' && value !== 'paid' ? (
        <span className={`pp-small pp-stack-licence ${value === 'demo' ? 'pp-t3' : 'pp-caution'}`}>
          {label}
        </span>
      ) : null}
    </span>
  );
}
