import { Button } from '@blueprintjs/core';
import { FloppyDisk } from '@blueprintjs/icons';
import { type JSX, useEffect, useMemo, useState } from 'react';
import { useActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useAct } from '#renderer/bridge/use-call.ts';
import { useRead } from '#renderer/bridge/use-read.ts';
import { useClearFilesOff } from '#renderer/state/app-info.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { bytesOfBase64 } from '#renderer/ui/base64.ts';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { scrollStop } from '#renderer/ui/grid/scroll-stop.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { bytes, exact } from '#shared/model/format.ts';
import { CodeView } from './code-view.tsx';
import { messageText } from './message-bytes.ts';
import type { EmailReads } from './use-email.ts';

/** Bytes loaded at first and with each "Show more". */
const PIECE = 1_048_576;
/** Maximum amount of text kept in the window; larger messages must be saved and read elsewhere. */
const MOST_PIECES = 16;

/** Only evidence has the raw message; a service returns headers and bodies. */
export const hasMessage = ({ profile }: EmailReads): boolean => profile.data?.provenance !== undefined;

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let start = 0;
  for (const piece of pieces) {
    all.set(piece, start);
    start += piece.length;
  }
  return all;
}

/** The pieces loaded so far, one request at a time. */
function useMessage(entityId: string) {
  const [pieces, setPieces] = useState<readonly Uint8Array[]>([]);
  const [count, setCount] = useState(1);
  const from = pieces.length * PIECE;
  const request = useMemo(
    () => ({ query: { entity_id: entityId, message_from: from, message_bytes: PIECE } }),
    [entityId, from],
  );
  const read = useRead('email.body', pieces.length < count ? request : null);
  const [total, setTotal] = useState<number | null>(null);
  const piece = read.data?.message ?? null;
  useEffect(() => {
    if (piece === null || piece.from !== from) return;
    setTotal(piece.bytes);
    setPieces((now) => (now.length * PIECE === piece.from ? [...now, bytesOfBase64(piece.base64)] : now));
  }, [piece, from]);
  const all = useMemo(() => joined(pieces), [pieces]);
  return {
    all,
    total,
    error: read.error,
    retry: read.refresh,
    asked: count,
    more: () => setCount(count + 1),
  };
}

/** The complete raw message; invisible characters are named. */
export function WholeMessage({ email }: { email: EmailReads }): JSX.Element {
  const bridge = useBridge();
  const connectionId = useActiveConnectionId() ?? '';
  const { entityId } = email;
  const { all, total, error, retry, asked, more } = useMessage(entityId);
  const unsaved = useClearFilesOff();
  const isWhole = total !== null && all.length >= total;
  const { text, as } = useMemo(() => messageText(all, isWhole), [all, isWhole]);
  const { run: save, pending } = useAct(() =>
    attempt('The message was not saved', async () => {
      const suggestedName = `${(email.profile.data?.subject || 'message').slice(0, 100)}.eml`;
      const grant = await bridge.call('dialogs.save', { suggestedName, kind: 'any' });
      if (grant === null) return;
      const saved = await bridge.call('matched-file.save', {
        connectionId,
        entityType: 'email',
        entityId,
        grantId: grant.grantId,
        name: suggestedName,
        zip: null,
      });
      showToast({ intent: 'success', title: `Saved ${saved.name}`, detail: `SHA-256 ${saved.sha256}` });
    }),
  );
  const words = [
    total === null
      ? 'Reading the message'
      : isWhole
        ? `Complete message, ${exact(total)} bytes`
        : `Showing ${bytes(all.length)} of ${bytes(total)}`,
    as === 'bytes' ? 'Not UTF-8: each byte is shown as one character' : null,
  ].filter((part) => part !== null);
  return (
    <>
      <div className="em-note-bar" role="status">
        <span ref={scrollStop} className="em-blocked-text">
          {words.map((part) => (
            <span key={part}>{part}</span>
          ))}
          {!isWhole && total !== null && asked >= MOST_PIECES ? (
            <span>Too large to show in full: save the file to read the rest</span>
          ) : null}
        </span>
        {!isWhole && total !== null && asked < MOST_PIECES ? (
          <Button variant="minimal" size="small" text="Show more" onClick={more} />
        ) : null}
        <Button
          variant="minimal"
          size="small"
          icon={<FloppyDisk size={12} />}
          text="Save .eml"
          loading={pending}
          disabled={unsaved !== null}
          title={unsaved ?? undefined}
          onClick={() => void save()}
        />
      </div>
      {error ? (
        <ErrorBar
          error={error}
          notKnown="Headers and the other views show data read earlier."
          onRetry={retry}
        />
      ) : null}
      <CodeView
        label="Whole message"
        text={text}
        copied={isWhole ? 'Message copied' : 'Copied the part shown; the message is longer'}
      />
    </>
  );
}
