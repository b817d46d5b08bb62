import { Media } from '@blueprintjs/icons';
import type { JSX, RefObject } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { savePng } from '#renderer/bridge/save-file.ts';
import { appInfo, useClearFilesOff } from '#renderer/state/app-info.ts';
import { useSaving } from '#renderer/state/saving.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { pictureOf, windowOf } from './body-picture.ts';
import { PICTURE, pictureWords } from './labels.ts';

interface SavePictureProps {
  /** The safe document that the frame draws. */
  safe: string;
  subject: string;
  /** Facts for the picture's manifest. */
  facts: { isTruncated: boolean; remoteShown: number };
  /** Around the frame. */
  box: RefObject<HTMLElement | null>;
}

/** Saves the whole body as it is drawn, in a PNG. */
export function SavePicture({ safe, subject, facts, box }: SavePictureProps): JSX.Element {
  const bridge = useBridge();
  const off = useClearFilesOff();
  const { busy, save } = useSaving('No picture was saved');
  const picture = async () => {
    const frame = box.current?.querySelector<HTMLIFrameElement>('.em-frame');
    const name = `${(subject || 'message').slice(0, 100)}, body`;
    const { blob, opened } = await pictureOf(
      safe,
      windowOf(frame),
      appInfo()?.host === 'electron' ? bridge : null,
    );
    return savePng(bridge, name, blob, { what: pictureWords({ ...facts, opened }) });
  };
  return (
    <IconButton
      small
      icon={<Media size={14} />}
      label={PICTURE}
      why={off}
      disabled={off !== null || busy}
      onClick={() => void save(picture)}
    />
  );
}
