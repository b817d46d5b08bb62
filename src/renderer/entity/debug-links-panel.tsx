import { Button, Checkbox, InputGroup } from '@blueprintjs/core';
import { Clipboard, Search } from '@blueprintjs/icons';
import { type JSX, useDeferredValue, useMemo, useState } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import { type TableColumn, VirtualTable } from '#renderer/ui/grid/virtual-table.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { DEBUG_LINKS_MAX } from '#shared/model/constants.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { type DebugLink, linkList, linkSearch, linkVerdict } from './debug-links.ts';
import { panelState } from './panel-state.ts';
import { useBranding } from './use-entity-stack.ts';
import './entity.css';

const unknown = <span className="pp-unknown">Unknown</span>;
const number = (value: number | null | undefined) => (typeof value === 'number' ? exact(value) : unknown);

const COLUMNS: readonly TableColumn<DebugLink>[] = [
  {
    id: 'verdict',
    label: 'Verdict',
    width: 136,
    render: (link) => (
      <VerdictChip
        compact
        verdict={linkVerdict(link)}
        {...(link.verdict ? { word: visibleText(link.verdict) } : {})}
      />
    ),
  },
  {
    id: 'url',
    label: 'URL',
    render: ({ url }) => <EntityValue truncate entity={{ kind: 'url', value: url }} />,
  },
  {
    id: 'kind',
    label: 'Kind',
    width: 88,
    render: ({ kind }) => (kind ? visibleText(kind) : unknown),
  },
  { id: 'depth', label: 'Depth', width: 64, numeric: true, render: ({ depth }) => number(depth) },
  { id: 'status', label: 'Status', width: 64, numeric: true, render: ({ status }) => number(status) },
  { id: 'score', label: 'Score', width: 64, numeric: true, render: ({ score }) => number(score) },
];

/** Every link that the anti-phishing tool checked, in a virtual list that is searched on this machine. */
export function DebugLinksPanel({ entityId, noun }: { entityId: string; noun: string }): JSX.Element {
  const { product } = useBranding();
  const read = useRead(
    'scan.debug-links',
    useMemo(
      () => (product === '' ? null : { params: { product }, query: { entity_id: entityId } }),
      [product, entityId],
    ),
  );
  const [text, setText] = useState('');
  const [notClean, setNotClean] = useState(false);
  const links = read.data?.rows;
  const search = useMemo(() => linkSearch(links ?? []), [links]);
  const filter = useDeferredValue(text);
  const shown = useMemo(() => search({ text: filter, notClean }), [search, filter, notClean]);
  const total = links?.length ?? 0;
  const narrowed = shown.length !== total;
  return (
    <Panel
      title="Debug links"
      {...(links ? { count: narrowed ? `${exact(shown.length)} of ${exact(total)}` : exact(total) } : {})}
      {...panelState(read)}
      rows={12}
      noScroll
      className="en-fill"
      shownInstead="Showing older links."
      notKnown="The scanned links are unknown."
      actions={
        <>
          <Checkbox
            className="en-check"
            label="Not clean"
            checked={notClean}
            onChange={() => setNotClean(!notClean)}
          />
          <InputGroup
            size="small"
            aria-label="Search links"
            placeholder="Search links"
            leftIcon={<Search size={12} className="en-search-icon" />}
            value={text}
            onValueChange={setText}
          />
          <Button
            size="small"
            variant="minimal"
            icon={<Clipboard size={12} />}
            text="Copy, defanged"
            disabled={shown.length === 0}
            onClick={() => void copyText(linkList(shown), `${plural(shown.length, 'link')} copied, defanged`)}
          />
        </>
      }
      empty={
        product === ''
          ? {
              title: 'Not requested',
              reason: 'This connection has no product ID. Enter it in the connection’s settings.',
            }
          : links && total === 0
            ? {
                title: 'No debug links recorded',
                reason: `The anti-phishing tool found no links or didn’t scan this ${noun}.`,
              }
            : links && shown.length === 0
              ? {
                  title: 'No matching links',
                  reason: `0 of ${exact(total)} links.`,
                  action: (
                    <Button
                      text="Show all"
                      onClick={() => {
                        setText('');
                        setNotClean(false);
                      }}
                    />
                  ),
                }
              : null
      }
    >
      {shown.length > 0 ? (
        <div className="en-links">
          {total >= DEBUG_LINKS_MAX ? (
            <p className="en-note">{exact(DEBUG_LINKS_MAX)} is the request limit: there may be more.</p>
          ) : null}
          <VirtualTable label="Debug links" columns={COLUMNS} rows={shown} />
        </div>
      ) : null}
    </Panel>
  );
}
