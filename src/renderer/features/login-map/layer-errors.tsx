import { Button } from '@blueprintjs/core';
import type { JSX } from 'react';
import { GlyphError } from '#renderer/ui/glyphs.tsx';
import { outcomeWord } from './choices.ts';
import type { LayerRead } from './use-layers.ts';

/** One line per layer that failed: which one is empty, why, and Retry. */
export function LayerErrors(props: {
  layers: readonly LayerRead[];
  broken: (layer: LayerRead) => string | null;
  nameOf: (module: string) => string;
}): JSX.Element {
  return (
    <>
      {props.layers.map((layer) => {
        const reason = props.broken(layer) ?? layer.error?.message;
        if (!reason) return null;
        const isEmpty = layer.pages.length === 0 || props.broken(layer) !== null;
        const outcome =
          layer.failed === null ? 'logins of unknown outcome' : `${outcomeWord(layer.failed)} logins`;
        const which = `${props.nameOf(layer.module)}, ${outcome}`;
        return (
          <div
            className="pp-error-bar pp-map-error"
            role="alert"
            key={`${layer.module} ${layer.failed}`}
            title={reason}
          >
            <GlyphError size={14} />
            <span className="pp-error-text">
              {which}: {isEmpty ? 'layer is empty' : 'shown as saved'}. {reason}
            </span>
            <Button size="small" variant="minimal" text="Retry" onClick={layer.refresh} />
          </div>
        );
      })}
    </>
  );
}
