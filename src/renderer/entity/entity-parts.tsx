import type { JSX, ReactNode } from 'react';
import { useCommands } from '#renderer/commands/command.tsx';
import { PARTS } from '#renderer/commands/keys.ts';
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
  render: (part: P) => ReactNode;
}

/** [ and ] go to the neighbouring parts; parts that are used often have a key of their own. */
function usePartKeys<P extends string>({ tabId, parts, part }: EntityPartsProps<P>): void {
  const go = (to: number) => {
    const next = parts[(to + parts.length) % parts.length];
    if (next) setTabPart(tabId, next.id);
    return next !== undefined;
  };
  const position = parts.findIndex(({ id }) => id === part);
  useCommands([
    { ...PARTS.previous, run: () => go(position - 1) },
    { ...PARTS.next, run: () => go(position + 1) },
    ...parts.flatMap(({ label, shortcut }, index) =>
      shortcut === undefined
        ? []
        : [{ keys: [shortcut], text: label, group: PARTS.next.group, run: () => go(index) }],
    ),
  ]);
}

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
