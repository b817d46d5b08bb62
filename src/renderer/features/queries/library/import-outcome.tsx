import { Button } from '@blueprintjs/core';
import { Import } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { GlyphClean, GlyphError } from '#renderer/ui/glyphs.tsx';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import type { ImportOutcome as Outcome } from '../query-files.ts';

function Done({ title, labels }: { title: string; labels: readonly string[] }): JSX.Element | null {
  if (labels.length === 0) return null;
  return (
    <section>
      <div className="pp-caption pp-t3">{title}</div>
      {[...new Set(labels)].map((label) => (
        <div key={label} className="pp-import-row">
          <span className="pp-v-clean">
            <GlyphClean size={14} label={title} />
          </span>
          <span className="pp-wrap-anywhere">{visibleText(label)}</span>
        </div>
      ))}
    </section>
  );
}

/** What came of an import: what is there now, what failed and why (specification section 8). */
export function ImportOutcome({ outcome, onClose }: { outcome: Outcome; onClose: () => void }): JSX.Element {
  const { imported, replaced, failed } = outcome;
  const done = imported.length + replaced.length;
  return (
    <Dialog
      isOpen
      title={
        failed.length === 0
          ? `Imported ${plural(done, 'query', 'queries')}`
          : `Imported ${exact(done)} of ${plural(done + failed.length, 'query', 'queries')}`
      }
      icon={<Import size={14} />}
      onClose={onClose}
      onConfirm={onClose}
      actions={<Button intent="primary" text="Close" onClick={onClose} />}
    >
      {failed.length > 0 ? (
        <section>
          <div className="pp-caption pp-t3">Failed</div>
          {failed.map(({ label, reason }) => (
            <div key={`${label} ${reason}`} className="pp-import-row">
              <span className="pp-danger">
                <GlyphError size={14} label="Failed" />
              </span>
              <span className="pp-wrap-anywhere">
                {visibleText(label)} <span className="pp-t2">{visibleText(reason)}</span>
              </span>
            </div>
          ))}
        </section>
      ) : null}
      <Done title="Replaced" labels={replaced} />
      <Done title="Imported" labels={imported} />
    </Dialog>
  );
}
