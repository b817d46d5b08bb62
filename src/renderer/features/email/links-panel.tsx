import { MenuItem } from '@blueprintjs/core';
import { Clipboard, Refresh } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { panelState } from '#renderer/entity/panel-state.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import { ListGrid } from '#renderer/ui/data-grid.tsx';
import { GlyphSuspicious } from '#renderer/ui/glyphs.tsx';
import type { GridColumn } from '#renderer/ui/grid-columns.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { dictionary } from '#shared/dictionary.ts';
import { defang, defangText } from '#shared/model/defang.ts';
import type { EmailProfile } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { readLink } from '#shared/model/link-reading.ts';
import { linkReplacementLabel, parseLinkReplacement } from '#shared/model/link-replacement.ts';
import { isCounted } from './labels.ts';
import type { EmailReads } from './use-email.ts';

type Link = NonNullable<EmailProfile['links']>[number] & {
  at: number;
  /** The real target, as a browser would resolve it; the service's value if it cannot be parsed. */
  real: string | null;
  /** The text names a different host than the link leads to; null: unknown. */
  differs: boolean | null;
  /** Scheme of a link without a host: `javascript`, `data`, `file`. */
  scheme: string | null;
  /** null: not tracked. */
  clicks: number | null;
};

const COLUMNS: readonly GridColumn<Link>[] = [
  {
    id: 'url',
    label: 'Destination',
    type: 'url',
    value: (row) => row.url,
    sortId: 'url',
    flex: 3,
    minWidth: 240,
    entity: (row) => ({ kind: 'url', value: row.url }),
  },
  {
    id: 'host',
    label: 'Destination host',
    type: 'domain',
    value: (row) => (row.real ? defang(row.real) : row.real),
    sortId: 'host',
    flex: 2,
    minWidth: 160,
    entity: (row) => (row.real ? { kind: 'domain', value: row.real, field: 'link_domains' } : null),
    notApplicable: (row) => row.real === null,
  },
  {
    id: 'text',
    label: 'Link text',
    value: (row) => (row.text ? defangText(row.text) : row.text),
    sortId: 'text',
    flex: 2,
    minWidth: 160,
  },
  {
    id: 'mismatch',
    label: 'Host mismatch',
    value: (row) => row.differs,
    sortId: 'mismatch',
    width: 150,
    render: (row) =>
      row.differs ? (
        <span className="pp-word pp-caution">
          <GlyphSuspicious />
          {row.scheme === null ? 'Yes' : `Yes, ${row.scheme}:`}
        </span>
      ) : row.differs === false ? (
        'No'
      ) : (
        <span className="pp-unknown">Unknown</span>
      ),
  },
  {
    id: 'status',
    label: 'Replacement',
    value: (row) => (row.status ? linkReplacementLabel(row.status) : null),
    sortId: 'status',
    width: 140,
  },
  { id: 'clicks', label: 'Clicks', type: 'count', value: (row) => row.clicks, sortId: 'clicks', width: 80 },
];

const SOURCES: Readonly<Record<string, string>> = dictionary({
  html: 'Link',
  text: 'Text',
  header: 'Header',
});

/** The part of the mail it is in: many mail programs also turn plain-text addresses into links. */
const SOURCE_COLUMN: GridColumn<Link> = {
  id: 'source',
  label: 'Source',
  value: (row) => (row.source ? (SOURCES[row.source] ?? row.source) : null),
  sortId: 'source',
  width: 92,
};

/** Derived from the link's own text and address; from the service if these are inconclusive. */
function reading(
  link: NonNullable<EmailProfile['links']>[number],
): Pick<Link, 'real' | 'scheme' | 'differs'> {
  const { host, scheme, says, differs } = readLink(link.url, link.text ?? '');
  const word = link.mismatched ?? null;
  return {
    // Schemes such as data: have no host, whatever follows their slashes.
    real: scheme === null ? (host ?? link.host ?? null) : null,
    scheme,
    differs: differs || word === true ? true : says !== null ? false : word,
  };
}

const identify = (row: Link) => String(row.at);

/** "40 · Links replaced: 35 replaced, 5 not". */
function linkWords(rows: readonly Link[], whole: string | null | undefined): string {
  const states = rows.map(({ status }) => parseLinkReplacement(status));
  const replaced = states.filter((state) => state?.replaced === true).length;
  const not = states.filter((state) => state?.replaced === false).length;
  const unknown = rows.length - replaced - not;
  const parts = [
    `${exact(replaced)} replaced`,
    `${exact(not)} not`,
    unknown > 0 ? `${exact(unknown)} unknown` : null,
  ].filter((part) => part !== null);
  if (rows.length === 0) return '0';
  return `${exact(rows.length)} · ${whole ? linkReplacementLabel(whole) : 'Replacement not recorded'}: ${parts.join(', ')}`;
}

/** Every link of the mail, defanged, with its real target, replacement and clicks. */
export function LinksPanel({ email }: { email: EmailReads }): JSX.Element {
  const { profile } = email;
  const links = profile.data?.links;
  const clicks = email.clicks.data;
  const whole = profile.data?.link_replacement;
  const rows = useMemo(() => {
    const counts = new Map<string, number>();
    for (const { url } of clicks?.rows ?? []) counts.set(url, (counts.get(url) ?? 0) + 1);
    return (
      links?.map((link, at) => ({
        ...link,
        at,
        ...reading(link),
        clicks: counts.get(link.url) ?? (isCounted(link.status, whole, clicks) ? 0 : null),
      })) ?? null
    );
  }, [links, clicks, whole]);
  const copy = (raw: boolean) =>
    void copyText(
      (links ?? []).map(({ url }) => (raw ? url : visibleText(defang(url)))).join('\n'),
      `${exact(links?.length ?? 0)} links copied${raw ? ', raw' : ', defanged'}`,
    );
  return (
    <Panel
      title="Links"
      {...(rows ? { count: linkWords(rows, whole) } : {})}
      {...panelState(profile)}
      rows={6}
      noScroll
      className="en-fill"
      shownInstead="Showing an older list."
      notKnown="Links are unknown."
      menu={
        <>
          <MenuItem text="Refresh" icon={<Refresh size={14} />} onClick={profile.refresh} />
          <MenuItem
            text="Copy all, defanged"
            icon={<Clipboard size={14} />}
            disabled={!rows?.length}
            onClick={() => copy(false)}
          />
          <MenuItem
            text="Copy all, raw"
            icon={<Clipboard size={14} />}
            disabled={!rows?.length}
            onClick={() => copy(true)}
          />
        </>
      }
      empty={
        profile.data && !rows
          ? {
              title: 'Links not recorded',
              reason: 'The service does not list links for this email. The body may contain some.',
            }
          : rows?.length === 0
            ? { title: 'No links', reason: 'The service reports none for this email.' }
            : null
      }
    >
      {rows && rows.length > 0 ? (
        <ListGrid
          label="Links"
          columns={rows.some(({ source }) => source) ? [...COLUMNS, SOURCE_COLUMN] : COLUMNS}
          rows={rows}
          rowId={identify}
          selectable={false}
          layoutKey="email-links"
        />
      ) : null}
    </Panel>
  );
}
