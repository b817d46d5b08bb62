import type { ComponentType, JSX } from 'react';
import { dictionary } from '#shared/dictionary.ts';
import {
  GlyphClean,
  GlyphDash,
  GlyphFound,
  GlyphFoundNoClick,
  GlyphNothingFound,
  GlyphNotScanned,
  GlyphSpam,
  GlyphSuspicious,
  GlyphUnknown,
} from './glyphs.tsx';

interface VerdictLook {
  word: string;
  compactWord?: string;
  Glyph: ComponentType<{ size?: number; label?: string; className?: string }>;
}

const LOOKS: Record<string, VerdictLook> = dictionary({
  found: { word: 'Found', Glyph: GlyphFound },
  suspicious: { word: 'Suspicious', Glyph: GlyphSuspicious },
  'found-no-click': { word: 'Found, no click', compactWord: 'No click', Glyph: GlyphFoundNoClick },
  spam: { word: 'Spam', Glyph: GlyphSpam },
  'not-scanned': { word: 'Not scanned', Glyph: GlyphNotScanned },
  'nothing-found': { word: 'Nothing found', Glyph: GlyphNothingFound },
  clean: { word: 'Clean', Glyph: GlyphClean },
  hidden: { word: 'Not applicable', compactWord: '–', Glyph: GlyphDash },
});

/** The style key of a verdict word: the word if known, else `unknown`. */
function verdictKey(verdict: string): string {
  return verdict in LOOKS ? verdict : 'unknown';
}

/** The word shown for a verdict; a word we do not know is shown as the server sent it. */
export function verdictWord(verdict: string, compact = false): string {
  const look = LOOKS[verdict];
  if (!look) return verdict === '' || verdict === 'unknown' ? 'Unknown' : verdict;
  return compact && look.compactWord ? look.compactWord : look.word;
}

export function VerdictGlyph(props: { verdict: string; size?: number; label?: string }): JSX.Element {
  const look = LOOKS[props.verdict];
  const Glyph = look?.Glyph ?? GlyphUnknown;
  return (
    <Glyph
      size={props.size}
      label={props.label}
      className={`pp-stack-cell pp-v-${verdictKey(props.verdict)}`}
    />
  );
}

interface VerdictChipProps {
  /** A word of VERDICTS; others are shown neutral with a question mark. */
  verdict: string;
  /** The service's raw code, shown in mono after the word. */
  code?: string | null;
  /** A tool failed: adds the orange badge (and never shows clean). */
  error?: boolean | string | null;
  /** Solid style, at most once per region (profile line, peek header); only affects `found`. */
  solid?: boolean;
  /** Shorter words and a bare `!` as error badge, for grids. */
  compact?: boolean;
  /** Replaces the verdict's own word, e.g. "Found: phishing". */
  word?: string;
}

export function VerdictChip(props: VerdictChipProps): JSX.Element {
  const { verdict, code, error, solid, compact } = props;
  const shown = error && verdict === 'clean' ? 'not-scanned' : verdict;
  const key = verdictKey(shown);
  const Glyph = (key === 'unknown' ? undefined : LOOKS[key]?.Glyph) ?? GlyphUnknown;
  const reason = typeof error === 'string' ? error : 'The tool answered with an error';
  return (
    <>
      <span className={`pp-verdict pp-verdict-${key}${solid ? ' pp-solid' : ''}`}>
        <Glyph />
        <span className="pp-verdict-word">{props.word ?? verdictWord(shown, compact)}</span>
        {code ? <span className="pp-verdict-code">{code}</span> : null}
      </span>
      {error ? (
        <span className="pp-error-badge" title={reason}>
          <b>!</b>
          {compact ? <span className="pp-visually-hidden">error</span> : 'error'}
        </span>
      ) : null}
    </>
  );
}
