import { InfoSign } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { copying, panelMenu } from '#renderer/entity/panel-menu.tsx';
import { panelState } from '#renderer/entity/panel-state.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import { GlyphClean, GlyphDash, GlyphFound, GlyphSuspicious } from '#renderer/ui/glyphs.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import type { HeaderAnalysis as Analysis, SummaryLine } from '#shared/mail/analysis.ts';
import type { Hop } from '#shared/mail/received.ts';
import { durationWords } from '#shared/mail/words.ts';
import { profileTime, timeOfDay } from '#shared/model/clock.ts';
import { plural, visibleText } from '#shared/model/format.ts';
import { type AuthBox, authBoxes } from './auth-boxes.ts';
import type { EmailReads } from './use-email.ts';

const GLYPHS = { good: GlyphClean, bad: GlyphFound, caution: GlyphSuspicious, none: GlyphDash } as const;

function Box({ box }: { box: AuthBox }): JSX.Element {
  const Glyph = GLYPHS[box.tone];
  return (
    <div className={`em-auth em-auth-${box.tone}`}>
      <div className="em-auth-head">
        <Glyph />
        <b>{box.name}</b> <span className="em-auth-result">{visibleText(box.result)}</span>
      </div>
      <div className="pp-t3 pp-wrap-anywhere pp-small">{visibleText(box.detail)}</div>
    </div>
  );
}

const RANK: Readonly<Record<SummaryLine['tone'], number>> = { bad: 0, warning: 1, good: 2, neutral: 3 };

/** The most important lines, in their original order. */
function weightiest(lines: readonly SummaryLine[], most: number): SummaryLine[] {
  const ranked = lines.map((line, index) => ({ line, index }));
  return ranked
    .toSorted((a, b) => RANK[a.line.tone] - RANK[b.line.tone] || a.index - b.index)
    .slice(0, most)
    .sort((a, b) => a.index - b.index)
    .map(({ line }) => line);
}

function Line({ line }: { line: SummaryLine }): JSX.Element {
  const glyph =
    line.tone === 'bad' ? (
      <GlyphFound />
    ) : line.tone === 'warning' ? (
      <GlyphSuspicious />
    ) : line.tone === 'good' ? (
      <GlyphClean />
    ) : (
      <InfoSign size={12} />
    );
  return (
    <li className={`em-line-${line.tone}`}>
      {glyph}
      <span className="pp-wrap-anywhere">{visibleText(line.text)}</span>
    </li>
  );
}

/** Hops slower than this are marked amber. */
const SLOW_MS = 60_000;

/** "+2s", "+4m 10s"; an earlier clock reads "−3s". */
function delayWords(ms: number): string {
  if (Math.abs(ms) < 1000) return '+0s';
  const words = durationWords(ms)
    .replace(/ min/, 'm')
    .replace(/ (?=[smhd]\b)/g, '');
  return `${ms < 0 ? '−' : '+'}${words}`;
}

/** "TLS1_3 TLS_AES_256" → "TLS 1.3"; other words as written. */
function tlsWords(detail: string | null): string {
  const version = /^(TLS|SSL)\s?v?(\d)(?:[._](\d))?/i.exec(detail ?? '');
  if (version === null) return detail ?? 'encrypted';
  return `${version[1]?.toUpperCase()} ${version[2]}.${version[3] ?? '0'}`;
}

/** `before` counts the hops that are older than the first one analysed. */
function HopRow({ hop, before }: { hop: Hop; before: number }): JSX.Element {
  const clock = useClock();
  const slow = hop.isImplausible || (hop.delay !== null && (hop.delay >= SLOW_MS || hop.skewed));
  const notes = [
    hop.tls === true ? tlsWords(hop.tlsDetail) : hop.tls === false ? 'not encrypted' : null,
    hop.skewed ? 'clock behind the previous hop' : null,
  ].filter((note) => note !== null);
  return (
    <li className={`em-hop${slow ? ' em-hop-slow' : ''}`}>
      <span className="em-hop-number">{hop.index + 1 + before}</span>
      <span className="em-hop-text">
        {hop.from ? (
          <EntityValue entity={{ kind: 'domain', value: hop.from, field: 'from_domain' }} />
        ) : (
          <span className="pp-unknown">No name given</span>
        )}{' '}
        {hop.ip ? (
          <span className="pp-t2">
            <EntityValue entity={{ kind: 'ip', value: hop.ip, field: 'client_ip' }} />
          </span>
        ) : null}{' '}
        {hop.by ? <span className="pp-t3 pp-small em-hop-by">to {visibleText(hop.by)}</span> : null}{' '}
        <span className={`pp-small ${hop.skewed ? 'pp-caution' : 'pp-t3'}`}>
          {visibleText(notes.join(' · '))}
        </span>
      </span>
      <span
        className={`pp-num en-nowrap ${slow ? 'pp-caution' : 'pp-t3'}`}
        title={hop.time === null ? 'No timestamp' : profileTime(hop.time, clock)}
      >
        {hop.isImplausible
          ? 'Implausible'
          : hop.index === 0 || hop.delay === null
            ? hop.time === null
              ? '–'
              : timeOfDay(hop.time, clock)
            : delayWords(hop.delay)}
      </span>
    </li>
  );
}

interface HeaderAnalysisProps {
  analysis: Analysis;
  lines: number;
  hops: number;
  onMore?: () => void;
}

/** How much is not shown; leads to it where there is a place that shows it. */
function More({ words, onMore }: { words: string; onMore: (() => void) | undefined }): JSX.Element {
  return onMore ? <LinkButton onClick={onMore}>{words}</LinkButton> : <span className="pp-t3">{words}</span>;
}

/** Authentication results as boxes and sentences, and the route of the mail. Makes no network lookups. */
export function HeaderAnalysisView({ analysis, lines, hops, onMore }: HeaderAnalysisProps): JSX.Element {
  const shown = analysis.hops.slice(0, hops);
  const hidden = analysis.hops.length - shown.length;
  const untold = analysis.summary.length - lines;
  return (
    <div className="em-analysis">
      <div className="em-auths">
        {authBoxes(analysis).map((box) => (
          <Box key={box.name} box={box} />
        ))}
      </div>
      <ul className="em-lines">
        {weightiest(analysis.summary, lines).map((line) => (
          <Line key={line.text} line={line} />
        ))}
        {untold > 0 ? (
          <li>
            <More words={plural(untold, 'more finding')} onMore={onMore} />
          </li>
        ) : null}
      </ul>
      {shown.length > 0 ? (
        <ol className="em-hops">
          {shown.map((hop) => (
            <HopRow key={hop.index} hop={hop} before={analysis.unreadHops} />
          ))}
        </ol>
      ) : null}
      {hidden > 0 ? (
        <p className="en-more">
          <More words={plural(hidden, 'more hop')} onMore={onMore} />
        </p>
      ) : null}
    </div>
  );
}

interface AnalysisPanelProps {
  email: EmailReads;
  /** Opens the raw headers; omitted on the tab that shows them. */
  onRaw?: () => void;
  full?: boolean;
}

export function AnalysisPanel({ email, onRaw, full = false }: AnalysisPanelProps): JSX.Element {
  const { headers, parsed } = email;
  const raw = headers.data?.raw;
  return (
    <Panel
      title="Header analysis"
      count="Analysed on this machine"
      {...panelState(headers)}
      rows={6}
      shownInstead="Showing an older analysis."
      notKnown="Sender authenticity is unknown."
      className={full ? 'en-fill' : ''}
      empty={
        parsed && parsed.headers.headers.length === 0
          ? { title: 'No headers', reason: 'The service returned no headers for this email.' }
          : null
      }
      actions={onRaw ? <LinkButton onClick={onRaw}>Raw headers</LinkButton> : null}
      menu={panelMenu(
        headers.refresh,
        copying(
          'Copy findings',
          parsed?.analysis.summary.map(({ text }) => text),
          'Findings copied',
        ),
        copying('Copy raw headers', raw === undefined ? [] : [raw], 'Headers copied'),
      )}
    >
      {parsed && parsed.headers.headers.length > 0 ? (
        <HeaderAnalysisView
          analysis={parsed.analysis}
          lines={full ? 200 : 2}
          hops={full ? 500 : 8}
          {...(onRaw ? { onMore: onRaw } : {})}
        />
      ) : null}
    </Panel>
  );
}
