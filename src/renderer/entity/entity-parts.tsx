import type { JSX, ReactNode } from 'react';
import { setTabPart } from '#renderer/state/tabs.ts';
import { type TabInfo, TabsStrip } from '#renderer/ui/tabs-strip.tsx';
import './entity.css';

interface EntityPartsProps<P extends string> {
  noun: string;
  tabId: string;
  parts: readonly TabInfo<P>[];
  /** The one on show; the tab remembers it. */
  part: P;
  children: ReactNode;
}

/** The parts of a profile as a strip, and the one on show. */
export function EntityParts<P extends string>(props: EntityPartsProps<P>): JSX.Element {
  const { noun, tabId, parts, part } = props;
  const prefix = `${noun}-${tabId}`;
  return (
    <>
      <TabsStrip
        label={`Parts of the ${noun}`}
        tabs={parts}
        selected={part}
        onSelect={(next) => setTabPart(tabId, next)}
        idPrefix={prefix}
      />
      <div
        className="en-part"
        role="tabpanel"
        id={`${prefix}-panel-${part}`}
        aria-labelledby={`${prefix}-tab-${part}`}
      >
        {props.children}
      </div>
    </>
  );
}
