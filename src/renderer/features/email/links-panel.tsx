import { type JSX, useEffect, useMemo, useRef } from 'react';
import { EntityList } from '#renderer/entity/entity-list.tsx';
import { copying, panelMenu } from '#renderer/entity/panel-menu.tsx';
import { panelState } from '#renderer/entity/panel-state.ts';
import { GlyphSuspicious } from '#renderer/ui/glyphs.tsx';
import { columnsFor, type GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import { dictionary } from '#shared/dictionary.ts';
import { LINK_SOURCE_LABELS } from '#shared/mail/links.ts';
import { defang, defangText } from '#shared/model/defang.ts';
import type { EmailProfile } from '#shared/model/entities.ts';
import { exact, visibleName, visibleText } from '#shared/model/format.ts';
import { readLink, rewrittenWords } from '#shared/model/link-reading.ts';
import { linkReplacementLabel, parseLinkReplacement } from '#shared/model/link-replacement.ts';
import { isCounted } from './labels.ts';
import type { Located } from './reasons.ts';
import type { EmailReads } from './use-email.ts';

type Link = NonNullable<EmailProfile['links']>[number] & {
  at: number;
  /** The original of a rewritten link, else the link itself. */
  goesTo: string;
  /** Who rewrote it, and the address in the mail, or null if nobody did. */
  rewritten: string | null;
  /** The real target, as a browser would resolve it; the service's value if it cannot be parsed. */
  real: string | null;
  /** The text names a different host than the link leads to, or null if that is unknown. */
  differs: boolean | null;
  /** Scheme of a link without a host: `javascript`, `data`, `file`. */
  scheme: string | null;
  /** Null if they are not tracked. */
  clicks: number | null;
};

const { sorted } = columnsFor<Link>();

const COLUMNS: readonly GridColumn<Link>[] = [
  sorted('url', 'Destination', 'url', [3, 240], (row) => row.goesTo, { menu: ['url'] }),
  sorted('host', 'Destination host', 'domain', [2, 160], (row) => row.real && defang(row.real), {
    entity: (row) => (row.real ? { kind: 'domain', value: row.real, field: 'link_domains' } : null),
    notApplicable: (row) => row.real === null,
  }),
  sorted('text', 'Link text', 'text', [2, 160], (row) => (row.text ? defangText(row.text) : row.text)),
  sorted('mismatch', 'Host mismatch', 'text', 150, (row) => row.differs, {
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
  }),
  sorted('status', 'Replacement', 'text', 140, (row) =>
    row.status ? linkReplacementLabel(row.status) : null,
  ),
  sorted('clicks', 'Clicks', 'count', 80, (row) => row.clicks),
];

const SOURCES: Readonly<Record<string, string>> = dictionary(LINK_SOURCE_LABELS);

/** "QR code in invoice.pdf". */
function sourceWords({ source, within }: Link): string | null {
  if (!source) return null;
  const words = SOURCES[source] ?? source;
  return within ? `${words} in ${visibleName(within)}` : words;
}

/** The part of the mail it is in: many mail programs also turn plain-text addresses into links. */
const SOURCE_COLUMN = sorted('source', 'Source', 'text', [1, 92], sourceWords);

/** The address that stands in the mail, where a gateway rewrote a link. */
const REWRITTEN_COLUMN = sorted('rewritten', 'Rewritten', 'text', [2, 160], (row) => row.rewritten);

/** Derived from the link's own text and address; from the service if these are inconclusive. */
function reading(
  link: NonNullable<EmailProfile['links']>[number],
): Pick<Link, 'real' | 'scheme' | 'differs' | 'goesTo' | 'rewritten'> {
  const written = link.rewritten_url ?? link.url;
  const { host, scheme, says, differs, original } = readLink(written, link.text ?? '');
  const word = link.mismatched ?? null;
  return {
    // Schemes such as data: have no host, whatever follows their slashes.
    real: scheme === null ? (host ?? link.host ?? null) : null,
    scheme,
    differs: differs || word === true ? true : says !== null ? differs : word,
    goesTo: original?.url ?? link.url,
    rewritten: original === null ? null : `${rewrittenWords(original)}: ${visibleText(defang(written))}`,
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

/** Focuses a row as soon as the grid has it. */
function useFocusedRow(id: string | null) {
  const handle = useRef<GridHandle<Link> | null>(null);
  useEffect(() => {
    if (id === null) return undefined;
    let frame = 0;
    const look = () => {
      const row = handle.current?.find(id);
      if (row) handle.current?.focusRow(row.index);
      else frame = requestAnimationFrame(look);
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, [id]);
  return handle;
}

interface LinksPanelProps {
  email: EmailReads;
  place?: Located | undefined;
}

/** Every link of the mail, defanged, with its real target, replacement and clicks. */
export function LinksPanel({ email, place }: LinksPanelProps): JSX.Element {
  const { profile } = email;
  const marked = place?.rows?.[0];
  const markedId = marked === undefined ? null : String(marked);
  const handle = useFocusedRow(markedId);
  const links = profile.data?.links;
  const clicks = email.clicks.data;
  const whole = profile.data?.link_replacement;
  const rows = useMemo(() => {
    const counts = new Map<string, number>();
    for (const { url } of clicks?.rows ?? []) counts.set(url, (counts.get(url) ?? 0) + 1);
    return (
      links?.map((link, index) => ({
        ...link,
        at: index,
        ...reading(link),
        clicks: counts.get(link.url) ?? (isCounted(link.status, whole, clicks) ? 0 : null),
      })) ?? null
    );
  }, [links, clicks, whole]);
  const urls = links?.map(({ url }) => url);
  const copied = `${exact(urls?.length ?? 0)} links copied`;
  return (
    <EntityList
      panel={{
        title: 'Links',
        ...(rows ? { count: linkWords(rows, whole) } : {}),
        ...panelState(profile),
        shownInstead: 'Showing an older list.',
        notKnown: 'Links are unknown.',
        menu: panelMenu(
          profile.refresh,
          copying(
            'Copy all, defanged',
            urls?.map((url) => visibleText(defang(url))),
            `${copied}, defanged`,
          ),
          copying('Copy all, raw', urls, `${copied}, raw`),
        ),
        empty:
          profile.data && !rows
            ? {
                title: 'Links not recorded',
                reason: 'The service does not list links for this email. The body may contain some.',
              }
            : rows?.length === 0
              ? {
                  title: 'No links',
                  reason: profile.data?.provenance
                    ? 'The email has none.'
                    : 'The service reports none for this email.',
                }
              : null,
      }}
      rows={rows}
      grid={{
        columns: [
          ...COLUMNS,
          ...(rows?.some(({ source }) => source) ? [SOURCE_COLUMN] : []),
          ...(rows?.some(({ rewritten }) => rewritten) ? [REWRITTEN_COLUMN] : []),
        ],
        rowId: identify,
        layoutKey: 'email-links',
        peekedId: markedId,
        handle,
      }}
    />
  );
}
