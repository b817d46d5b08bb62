import { Button, InputGroup } from '@blueprintjs/core';
import { ChevronDown, ChevronUp, Clipboard, Search } from '@blueprintjs/icons';
import { type JSX, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { copyText } from '#renderer/state/entity-actions.ts';
import { scrollStop, useScrollStop } from '#renderer/ui/grid/scroll-stop.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { WholeContext } from '#renderer/ui/printing.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { readableText, TEXT_STEP } from './body-text.ts';
import { codeRows, cutAtHits, findRows, rowsOf } from './code-lines.ts';

const ROW = 18;
const AROUND = 20;
const PRINTED_CHARACTERS = 100_000;

/** Tabs keep their width; all other invisible characters are named. */
const shown = (text: string) => visibleText(text.replaceAll('\t', '  '));

function Hits({ text, words }: { text: string; words: string }): JSX.Element {
  let start = 0;
  return (
    <>
      {cutAtHits(text, words).map((piece, index) => {
        const key = start;
        start += piece.length + 1;
        return index % 2 === 1 ? (
          <mark key={key}>{shown(piece)}</mark>
        ) : (
          <span key={key}>{shown(piece)}</span>
        );
      })}
    </>
  );
}

/** Only the rows in view are drawn, so that a source of several megabytes scrolls smoothly. */
function useWindow(count: number) {
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ from: 0, to: 80 });
  useEffect(() => {
    const node = box.current;
    if (!node) return undefined;
    const measure = () => {
      const from = Math.max(0, Math.floor(node.scrollTop / ROW) - AROUND);
      const to = Math.min(count, Math.ceil((node.scrollTop + node.clientHeight) / ROW) + AROUND);
      setRange((now) => (now.from === from && now.to === to ? now : { from, to }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    node.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      node.removeEventListener('scroll', measure);
    };
  }, [count]);
  return { box, range };
}

/** Which of the lines that match is shown, -1 before the first, and the buttons to the others. */
function MatchSteps(props: { at: number; count: number; onStep: (by: 1 | -1) => void }): JSX.Element {
  const { at, count, onStep } = props;
  const none = count === 0;
  return (
    <>
      <span className="pp-t3 pp-small en-nowrap" role="status">
        {none ? 'No matches' : `${at < 0 ? '' : `${exact(at + 1)} of `}${exact(count)} lines`}
      </span>
      <IconButton
        small
        icon={<ChevronUp size={12} />}
        label="Previous match"
        onClick={() => onStep(-1)}
        disabled={none}
      />
      <IconButton
        small
        icon={<ChevronDown size={12} />}
        label="Next match"
        onClick={() => onStep(1)}
        disabled={none}
      />
    </>
  );
}

interface CodeViewProps {
  label: string;
  text: string;
  /** What the toast says after Copy all, e.g. "Headers copied". */
  copied: string;
  /** Where the marked part of the text begins and ends; its rows are scrolled to. */
  marked?: readonly [start: number, end: number] | undefined;
}

/** Raw text with line numbers, search and copy; one line of the text is one row, nothing wraps. */
export function CodeView({ label, text, copied, marked }: CodeViewProps): JSX.Element {
  const rows = useMemo(() => codeRows(text), [text]);
  const [words, setWords] = useState('');
  const [hit, setHit] = useState(0);
  const hits = useMemo(() => findRows(rows, words), [rows, words]);
  const { box, range } = useWindow(rows.length);
  const scrolls = useScrollStop(box);
  const [start, end] = marked ?? [];
  const markedRows = useMemo(
    () => (start === undefined || end === undefined ? null : rowsOf(text, start, end)),
    [text, start, end],
  );
  useEffect(() => {
    if (markedRows) box.current?.scrollTo({ top: Math.max(0, markedRows.first * ROW - 80) });
  }, [markedRows, box]);
  const classOf = (row: number) =>
    [
      'em-code-row',
      hits[hit] === row ? 'em-code-hit' : '',
      markedRows && row >= markedRows.first && row <= markedRows.last ? 'em-code-marked' : '',
    ]
      .filter(Boolean)
      .join(' ');
  const whole = useContext(WholeContext);
  const go = (step: number) => {
    if (hits.length === 0) return;
    const next = (hit + step + hits.length) % hits.length;
    setHit(next);
    const row = hits[next] ?? 0;
    box.current?.scrollTo({ top: Math.max(0, row * ROW - 80) });
  };
  const longest = useMemo(() => rows.reduce((most, row) => Math.max(most, row.text.length), 0), [rows]);
  return (
    <div className="em-code">
      <div className="em-code-bar">
        <div data-search className="em-code-search">
          <InputGroup
            size="small"
            leftIcon={<Search size={12} />}
            placeholder={`Search in ${label.toLowerCase()}`}
            aria-label={`Search in ${label.toLowerCase()}`}
            value={words}
            onValueChange={(value) => {
              setWords(value);
              setHit(-1);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              go(event.shiftKey ? -1 : 1);
            }}
          />
        </div>
        {words === '' ? null : <MatchSteps at={hit} count={hits.length} onStep={go} />}
        <span className="pp-spacer" />
        <span className="pp-t3 pp-small en-nowrap">{exact(rows.at(-1)?.line || rows.length)} lines</span>
        <Button
          size="small"
          icon={<Clipboard size={12} />}
          text="Copy all"
          onClick={() => void copyText(text, copied)}
        />
      </div>
      <section ref={scrolls} className="em-code-rows pp-mono" aria-label={`${label}, line by line`}>
        <div
          style={{
            height: rows.length * ROW,
            minWidth: `${Math.min(longest, 2000) + 8}ch`,
            position: 'relative',
          }}
        >
          {rows.slice(range.from, range.to).map((row) => (
            <div key={row.at} className={classOf(row.at)} style={{ top: row.at * ROW }}>
              <span className="em-code-number">{row.line === 0 ? '' : row.line}</span>
              <Hits text={row.text} words={words} />
            </div>
          ))}
        </div>
      </section>
      {whole ? (
        <div className="pp-printed">
          <pre>{readableText(text.slice(0, PRINTED_CHARACTERS))}</pre>
          {text.length > PRINTED_CHARACTERS ? (
            <p>
              The first {exact(PRINTED_CHARACTERS)} of {exact(text.length)} characters.
            </p>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

export function TextView({ text, label }: { text: string; label: string }): JSX.Element {
  const [most, setMost] = useState(TEXT_STEP);
  const shown = useMemo(() => readableText(text.slice(0, most)), [text, most]);
  const rest = text.length - most;
  return (
    <section ref={scrollStop} className="em-text" aria-label={label}>
      <pre className="em-text-body">{shown}</pre>
      {rest > 0 ? (
        <LinkButton className="en-more" onClick={() => setMost(most + TEXT_STEP)}>
          The first {exact(most)} of {exact(text.length)} characters are shown. Show more
        </LinkButton>
      ) : null}
    </section>
  );
}
