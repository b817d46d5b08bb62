import type { JSX, ReactNode } from 'react';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import { useTab } from '#renderer/state/tab-context.ts';
import { setTabPart } from '#renderer/state/tabs.ts';
import { usePrintsWhole, WholeContext } from '#renderer/ui/printing.ts';
import { type TabInfo, TabsStrip } from '#renderer/ui/tabs-strip.tsx';
import './entity.css';

interface EntityPartsProps<P extends string> {
  noun: string;
  tabId: string;
  parts: readonly TabInfo<P>[];
  /** The selected part, stored with the tab. */
  part: P;
  /** Renders one part. */
  render: (part: P) => ReactNode;
}

/** Frequently used parts have a key of their own; [ and ] go to the neighbouring ones. */
function usePartKeys<P extends string>({ tabId, parts, part }: EntityPartsProps<P>): void {
  const go = (to: number) => {
    const next = parts[(to + parts.length) % parts.length];
    if (next) setTabPart(tabId, next.id);
    return next !== undefined;
  };
  const at = parts.findIndex(({ id }) => id === part);
  useHotkeys([
    { keys: ['['], text: 'Previous part', group: GROUP, run: () => go(at - 1) },
    { keys: [']'], text: 'Next part', group: GROUP, run: () => go(at + 1) },
    ...parts.flatMap(({ label, shortcut }, index) =>
      shortcut === undefined ? [] : [{ keys: [shortcut], text: label, group: GROUP, run: () => go(index) }],
    ),
  ]);
}

const GROUP = 'Parts of the profile';

/** The parts of a profile as a tabs strip, and the selected part. */
export function EntityParts<P extends string>(props: EntityPartsProps<P>): JSX.Element {
  const { noun, tabId, parts, part, render } = props;
  usePartKeys(props);
  const prefix = `${noun}-${tabId}`;
  const whole = usePrintsWhole(useTab().isActive);
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
        data-whole={whole ? '' : undefined}
      >
        <WholeContext value={whole}>
          {render(part)}
          {whole
            ? parts.flatMap(({ id, label }) =>
                id === part
                  ? []
                  : [
                      <section key={id} className="en-print-part" aria-label={label}>
                        {render(id)}
                      </section>,
                    ],
              )
            : null}
        </WholeContext>
      </div>
    </>
  );
}
