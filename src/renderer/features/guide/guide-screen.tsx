import type { JSX } from 'react';
import { GUIDE_PAGES, type GuidePageId } from '#renderer/state/guide.ts';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { setTabPart, useTabPart } from '#renderer/state/tabs.ts';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { TabsStrip } from '#renderer/ui/tabs-strip.tsx';
import { GuideBlocks } from './guide-blocks.tsx';
import type { GuidePage } from './page.ts';
import './guide.css';

const modules = import.meta.glob<GuidePage>('../../../../docs/guide/*.md', {
  eager: true,
  import: 'default',
});
const pageOf = (id: string): GuidePage | undefined => modules[`../../../../docs/guide/${id}.md`];
const IDS = GUIDE_PAGES.map(({ id }) => id) as [GuidePageId, ...GuidePageId[]];

/** The page that a path of docs/guide names, or undefined. */
const idOf = (path: string) => IDS.find((id) => path === `${id}.md`);

/** The user guide: the pages of docs/guide, with the window and without the network. */
export default function GuideScreen({ tabId }: ScreenProps<'guide'>): JSX.Element {
  const selected = useTabPart(tabId, IDS);
  const select = (id: GuidePageId) => setTabPart(tabId, id);
  const page = pageOf(selected);
  return (
    <>
      <PageHeader title="Guide" />
      <TabsStrip
        label="Pages of the guide"
        idPrefix="guide"
        tabs={GUIDE_PAGES}
        selected={selected}
        onSelect={select}
      />
      <div
        // Every page starts at its top.
        key={selected}
        className="pp-guide"
        tabIndex={0}
        role="tabpanel"
        id={`guide-panel-${selected}`}
        aria-labelledby={`guide-tab-${selected}`}
      >
        <h2>{page?.title}</h2>
        <GuideBlocks
          blocks={page?.blocks ?? []}
          leadsTo={(path) => idOf(path) !== undefined}
          follow={(path) => {
            const id = idOf(path);
            if (id !== undefined) select(id);
          }}
        />
      </div>
    </>
  );
}
