import type { JSX } from 'react';
import { dictionary } from '#shared/dictionary.ts';
import { GlyphDisabled, GlyphEnabled, GlyphEye, GlyphUnknown } from './glyphs.tsx';

const STATES: Readonly<Record<string, { word: string; Glyph: typeof GlyphEye }>> = dictionary({
  enabled: { word: 'Enabled', Glyph: GlyphEnabled },
  disabled: { word: 'Disabled', Glyph: GlyphDisabled },
  display_only: { word: 'Display only', Glyph: GlyphEye },
});

/** An app's state; a word we do not know is shown as sent. */
export function AppStateMark({ state }: { state: string }): JSX.Element {
  const known = STATES[state];
  const Glyph = known?.Glyph ?? GlyphUnknown;
  return (
    <span className={`pp-word pp-state-${known ? state : 'unknown'}`}>
      <Glyph size={12} />
      <span className="pp-t2">{known?.word ?? (state || 'Unknown')}</span>
    </span>
  );
}
