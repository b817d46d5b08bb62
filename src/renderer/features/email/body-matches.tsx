import { ChevronDown, ChevronUp } from '@blueprintjs/icons';
import { type JSX, type ReactNode, useEffect, useRef, useState } from 'react';
import { type TermRanges, termSpans, textRanges } from '#renderer/ui/highlights.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { useStable } from '#renderer/ui/use-stable.ts';
import { MOST_SOUGHT } from './body-text.ts';
import { matchWords } from './labels.ts';
import { phraseSpans } from './phrase-spans.ts';

/** Maximum number of matches to highlight and navigate; the count covers all. */
const MOST_MARKED = 4000;

/** The document with the view's text, the frame's or the window's, or null while it is not loaded. */
function viewIn(box: HTMLElement): { root: Element; of: Window & typeof globalThis } | null {
  const frame = box.querySelector<HTMLIFrameElement>('.em-frame');
  if (frame === null) {
    const root = box.querySelector('.em-text-body');
    return root && { root, of: window };
  }
  const of = frame.contentWindow as (Window & typeof globalThis) | null;
  // A frame contains an empty document until it has loaded.
  if (of?.location.href !== 'about:srcdoc') return null;
  // Named elements of a mail can shadow properties of its document, but not those read through the prototype.
  const root = Object.getOwnPropertyDescriptor(Document.prototype, 'documentElement')?.get?.call(of.document);
  return root ? { root, of } : null;
}

interface Marks extends TermRanges {
  /** Highlights one match as the current one. */
  point: (range: Range) => void;
  remove: () => void;
}

/** Highlights ranges in the view's own document, under names that a mail's style sheet cannot know. */
function mark(
  { root, of }: NonNullable<ReturnType<typeof viewIn>>,
  find: (text: string) => [number, number][],
): Marks {
  const matches = textRanges(root, find, { ranges: MOST_MARKED, characters: MOST_SOUGHT });
  if (!('highlights' in of.CSS)) return { ...matches, point: () => {}, remove: () => {} };
  const all = `pp-${crypto.randomUUID()}`;
  const pointer = `${all}-one`;
  const { highlights } = of.CSS;
  highlights.set(all, new of.Highlight(...matches.ranges));
  const pointed = new of.Highlight();
  pointed.priority = 1;
  highlights.set(pointer, pointed);
  const sheet = new of.CSSStyleSheet();
  // Highlighter colours that work on a mail's white page and in both themes.
  sheet.replaceSync(
    `::highlight(${all}) { background-color: #ffe58f !important; color: #000 !important; }
     ::highlight(${pointer}) { background-color: #ff9d2e !important; color: #000 !important; }`,
  );
  const sheets = Object.getOwnPropertyDescriptor(Document.prototype, 'adoptedStyleSheets');
  const adopted = (): CSSStyleSheet[] => [...(sheets?.get?.call(of.document) ?? [])];
  sheets?.set?.call(of.document, [...adopted(), sheet]);
  return {
    ...matches,
    point: (range) => {
      pointed.clear();
      pointed.add(range);
      const { parentElement } = range.startContainer;
      if (parentElement) Element.prototype.scrollIntoView.call(parentElement, { block: 'center' });
      // A plain text is one element, however long.
      const scroller = of === window ? root.parentElement : null;
      if (scroller === null) return;
      const above = range.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
      scroller.scrollTop += above - scroller.clientHeight / 2;
    },
    remove: () => {
      highlights.delete(all);
      highlights.delete(pointer);
      sheets?.set?.call(
        of.document,
        adopted().filter((each) => each !== sheet),
      );
    },
  };
}

interface Found {
  marks: Marks;
  hidden: number;
}

const isShown = (range: Range): boolean => range.getClientRects().length > 0;

interface SoughtProps {
  /** The query's search terms, folded. */
  terms: readonly string[];
  /** A quotation that is sought instead of the terms; its first visible occurrence is scrolled to. */
  phrase?: string | undefined;
  /** Called when no occurrence of the quotation is visible in this view. */
  onUnseen?: (() => void) | undefined;
  children: ReactNode;
}

/**
 * A view of the body under a bar that counts what is sought, which is highlighted in the view. The count is outside of the
 * mail, so that a mail cannot imitate it.
 */
export function Sought({ terms, phrase = '', onUnseen, children }: SoughtProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [matches, setMatches] = useState<Found | null>(null);
  const [current, setAt] = useState(-1);
  const sought = useStable(terms);
  const unseen = useRef(onUnseen);
  unseen.current = onUnseen;
  useEffect(() => {
    const { current } = box;
    if (current === null || (sought.length === 0 && phrase === '')) return undefined;
    let marks: Marks | null = null;
    const look = () => {
      marks?.remove();
      const view = viewIn(current);
      marks =
        view && mark(view, (text) => (phrase === '' ? termSpans(text, sought) : phraseSpans(text, phrase)));
      const ranges = marks?.ranges ?? [];
      const shown = phrase === '' ? -1 : ranges.findIndex(isShown);
      setMatches(marks && { marks, hidden: ranges.filter((range) => !isShown(range)).length });
      setAt(shown);
      const first = ranges[shown];
      if (first) marks?.point(first);
      else if (phrase !== '' && marks) unseen.current?.();
    };
    const observer = new MutationObserver(look);
    observer.observe(current, { childList: true, subtree: true, characterData: true });
    // The load event of a frame does not bubble.
    current.addEventListener('load', look, true);
    look();
    return () => {
      observer.disconnect();
      current.removeEventListener('load', look, true);
      marks?.remove();
    };
  }, [sought, phrase]);
  const marked = matches?.marks.ranges.length ?? 0;
  const go = (step: number) => {
    const next = (Math.max(current, step > 0 ? -1 : 0) + step + marked) % marked;
    const range = matches?.marks.ranges[next];
    if (range === undefined) return;
    setAt(next);
    matches?.marks.point(range);
  };
  return (
    <>
      {matches === null ? null : (
        <div className="em-note-bar">
          <span role="status" className="em-sought-words">
            {matchWords({ ...matches.marks, marked, hidden: matches.hidden }, current)}
          </span>
          <IconButton
            small
            icon={<ChevronUp size={12} />}
            label="Previous match in the body"
            onClick={() => go(-1)}
            disabled={marked === 0}
          />
          <IconButton
            small
            icon={<ChevronDown size={12} />}
            label="Next match in the body"
            onClick={() => go(1)}
            disabled={marked === 0}
          />
        </div>
      )}
      <div ref={box} className="em-sought">
        {children}
      </div>
    </>
  );
}
