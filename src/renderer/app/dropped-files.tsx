import { Import } from '@blueprintjs/icons';
import { type JSX, useEffect, useState } from 'react';
import { handOver } from '#renderer/bridge/host-dialogs.ts';
import {
  comparingDialog,
  type LibraryDialog,
  LibraryDialogs,
} from '#renderer/features/queries/library/library-dialogs.tsx';
import { inspectQueryFile } from '#renderer/features/queries/query-files.ts';
import { unlessRefused, useRoleRefusal } from '#renderer/state/caller.ts';
import { openEvidence } from '#renderer/state/connection-actions.ts';
import { endOffer, offerImport, useOffer } from '#renderer/state/dropped-files.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { ConfirmDialog } from '#renderer/ui/dialog.tsx';
import { plural, visibleText } from '#shared/model/format.ts';
import { OFFER_WORDS, offerKind } from '#shared/model/offer.ts';
import { DROP } from './labels.ts';

/** Offers the dropped item for opening. A desktop window learns its path through the preload; a web page never does. */
function takeDrop({ items, files }: DataTransfer): void {
  const [file] = files;
  const refuse = (name: string, reason: string) => offerImport({ kind: 'refused', name, reason });
  const entry = [...items].find(({ kind }) => kind === 'file')?.webkitGetAsEntry();
  const kind = offerKind(file?.name ?? '', entry?.isDirectory ?? false);
  if (file === undefined) return;
  if (files.length > 1) refuse(plural(files.length, 'file'), OFFER_WORDS.several);
  else if (kind === null) refuse(file.name, OFFER_WORDS.notOurs);
  else if (globalThis.parapetWire === undefined) offerImport({ kind, name: file.name, file });
  else globalThis.parapetWire.drop(file);
}

const isTextField = (target: EventTarget | null) =>
  target instanceof Element && target.matches('input, textarea, [contenteditable="true"]');
const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;

/**
 * Handles every drop that no other element handles, so that the browser never opens the file. Text may be dropped
 * into a field. Returns whether files are being dragged over the window.
 */
function useDropTarget(): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const take = (event: DragEvent) => {
      const { type, dataTransfer } = event;
      const files = hasFiles(event);
      if (type === 'dragenter' && files) setOver(true);
      if (type === 'drop') setOver(false);
      if (event.defaultPrevented || dataTransfer === null || (!files && isTextField(event.target))) return;
      event.preventDefault();
      dataTransfer.dropEffect = files ? 'copy' : 'none';
      if (type === 'drop' && files) takeDrop(dataTransfer);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const types = ['dragenter', 'dragover', 'drop'] as const;
    for (const type of types) window.addEventListener(type, take);
    window.addEventListener('dragleave', leave);
    return () => {
      for (const type of types) window.removeEventListener(type, take);
      window.removeEventListener('dragleave', leave);
    };
  }, []);
  return isOver;
}

/**
 * The drop target, and the dialog that asks what to do with the files. The dialog also serves files Parapet was opened
 * with.
 */
export function OfferLayer(): JSX.Element {
  const isOver = useDropTarget();
  const { offer } = useOffer();
  const [importing, setImporting] = useState<LibraryDialog | null>(null);
  const refusal = useRoleRefusal()('query.import');
  useEffect(() => {
    if (offer === null) return;
    const { kind, name, grantId, file } = offer;
    const grant = grantId === undefined ? undefined : { grantId, name };
    const withFile = <T,>(work: () => Promise<T>) => {
      handOver(grant === undefined ? { name, file: file ?? null } : null);
      return work().finally(() => handOver(null));
    };
    if (kind === 'query-file') {
      endOffer();
      // Comparing sends nothing, so the import plan itself serves as the confirmation.
      unlessRefused(refusal, () => {
        const compare = () =>
          inspectQueryFile((comparing) => setImporting(comparingDialog(comparing)), grant);
        void withFile(compare).then((plan) => {
          if (plan) setImporting({ dialog: 'plan', plan });
        });
      });
    } else if (grant === undefined) {
      endOffer();
      // The browser host asks for the path, which serves as the confirmation.
      const what = kind === 'mail-folder' ? 'evidence-folder' : 'evidence-file';
      void withFile(() => openEvidence(windowBridge(), what));
    }
  }, [offer, refusal]);
  const open = () => {
    endOffer();
    if (offer?.grantId === undefined) return;
    void openEvidence(windowBridge(), 'evidence-file', { grantId: offer.grantId, name: offer.name });
  };
  const asks = offer !== null && offer.kind !== 'query-file' && offer.grantId !== undefined;
  return (
    <>
      {isOver ? (
        <div className="pp-drop" role="status">
          <div>
            <strong className="pp-heading">{DROP.title}</strong>
            <span>{DROP.what}</span>
            <span className="pp-small pp-t2">{DROP.notOpened}</span>
          </div>
        </div>
      ) : null}
      <ConfirmDialog
        isOpen={asks}
        size="narrow"
        title={offer?.kind === 'mail-folder' ? DROP.openFolder : DROP.openFile}
        icon={<Import size={14} />}
        onClose={endOffer}
        onConfirm={open}
        confirm={{ text: DROP.open }}
      >
        <p className="pp-flat pp-mono pp-wrap-anywhere">{visibleText(offer?.name ?? '')}</p>
        {offer?.folder === undefined ? null : (
          <p className="pp-flat pp-small pp-t2 pp-wrap-anywhere">
            {DROP.inFolder(visibleText(offer.folder))}
          </p>
        )}
        <p className="pp-small pp-t2">{DROP.readInPlace}</p>
      </ConfirmDialog>
      <LibraryDialogs open={importing} templates={[]} onOpen={setImporting} />
    </>
  );
}
