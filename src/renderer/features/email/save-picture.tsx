import { Media } from '@blueprintjs/icons';
import { type JSX, type RefObject, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { savePng } from '#renderer/bridge/save-file.ts';
import { useClearFilesOff } from '#renderer/state/app-info.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { bytes } from '#shared/model/format.ts';
import { pictureOf, widthIn } from './body-picture.ts';
import { PICTURE, pictureWords } from './labels.ts';

interface SavePictureProps {
  /** The safe document that the frame draws. */
  safe: string;
  subject: string;
  /** What the picture must say of itself. */
  facts: { isTruncated: boolean; remoteShown: number };
  /** Around the frame. */
  box: RefObject<HTMLElement | null>;
}

/** Saves the whole body as it is drawn, in a PNG. */
export function SavePicture({ safe, subject, facts, box }: SavePictureProps): JSX.Element {
  const bridge = useBridge();
  const off = useClearFilesOff();
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      const across = widthIn(box.current?.querySelector<HTMLIFrameElement>('.em-frame'));
      const picture = await pictureOf(safe, across);
      const name = `${(subject || 'message').slice(0, 100)}, body`;
      const file = await savePng(bridge, name, picture, pictureWords(facts));
      if (file === null) return;
      const detail = `${bytes(file.bytes)}, SHA-256 ${file.sha256.slice(0, 16)}…`;
      showToast({ intent: 'success', title: `Saved ${file.name}`, detail });
    } catch (error) {
      showToast({ intent: 'error', title: 'No picture was saved', detail: toBridgeError(error).message });
    } finally {
      setSaving(false);
    }
  };
  return (
    <IconButton
      small
      icon={<Media size={14} />}
      label={PICTURE}
      why={off}
      disabled={off !== null || isSaving}
      onClick={() => void save()}
    />
  );
}
