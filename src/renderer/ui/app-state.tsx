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
  const style = STATES[state];
  const Glyph = style?.Glyph ?? GlyphUnknown;
  return (
    <span className={`pp-word pp-state-${style ? state : 'unknown'}`}>
      <Glyph size={12} />
      <span className="pp-t2">{style?.word ?? (state || 'Unknown')}</span>
    </span>
  );
}
