import { Button } from '@blueprintjs/core';
import { Archive } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { type Command, CommandButton, useCommands } from '#renderer/commands/command.tsx';
import { RESULTS } from '#renderer/commands/keys.ts';
import { SavedAll, Warning } from '#renderer/entity/download-dialog.tsx';
import { matchedName } from '#renderer/entity/labels.ts';
import { NotSaved, PasswordNote, SealedPassword, useSealedSave } from '#renderer/entity/sealed-save.tsx';
import { useConnection } from '#renderer/state/connection.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { ConfirmButton, Dialog } from '#renderer/ui/dialog.tsx';
import { MAX_EMAILS_AT_ONCE, type SavedFiles } from '#shared/bridge/operations.ts';
import { exact, plural } from '#shared/model/format.ts';
import { fitsZip } from '#shared/model/password-strength.ts';
import { type ChosenEmails, chosenEmails } from './chosen-emails.ts';
import type { Browse } from './use-browse.ts';

/** Lists the chosen emails that the zip will not contain. */
function LeftOut({ emails, left: { noId, gone, beyond } }: ChosenEmails): JSX.Element | null {
  if (noId + gone + beyond === 0) return null;
  const chosen = emails.length + noId + gone + beyond;
  return (
    <div className="pp-caution" role="note">
      Only {exact(emails.length)} of the {exact(chosen)} chosen emails are included:
      {beyond > 0 ? (
        <p>
          {exact(beyond)} left out: a zip can hold the attachments of {exact(MAX_EMAILS_AT_ONCE)} emails.
        </p>
      ) : null}
      {noId > 0 ? <p>{exact(noId)} have no ID, so their attachments can’t be requested.</p> : null}
      {gone > 0 ? <p>{exact(gone)} are no longer in the results on this machine.</p> : null}
    </div>
  );
}

export function SaveDialog(props: {
  connectionId: string;
  chosen: ChosenEmails;
  onClose: () => void;
}): JSX.Element {
  const { connectionId, chosen, onClose } = props;
  const { password, setPassword, isSaving, failure, saved, save } = useSealedSave<SavedFiles>();
  const isReady = password !== '' && fitsZip(password) && chosen.emails.length > 0;
  const confirm = () => {
    if (isReady)
      void save({ suggestedName: matchedName('attachments', true), kind: 'zip' }, (bridge, grantId) =>
        bridge.call('matched-file.save-of', { connectionId, ...chosen, grantId, password }),
      );
  };
  return (
    <Dialog
      title={`Save attachments of ${plural(chosen.emails.length, 'email')}`}
      onClose={onClose}
      onConfirm={confirm}
      footNote={saved === null ? <PasswordNote /> : null}
      actions={
        saved === null ? (
          <>
            <Button text="Cancel" onClick={onClose} />
            <ConfirmButton text="Save as zip…" disabled={!isReady} loading={isSaving} onClick={confirm} />
          </>
        ) : (
          <Button autoFocus text="Close" onClick={onClose} />
        )
      }
    >
      <NotSaved failure={failure} />
      {saved === null ? (
        <>
          <LeftOut {...chosen} />
          <Warning how="zip" isMatched={false} />
          <SealedPassword password={password} problem="Enter a password." onChange={setPassword} />
        </>
      ) : (
        <SavedAll saved={saved} />
      )}
    </Dialog>
  );
}

function OfEvidence({ browse }: { browse: Browse }): JSX.Element {
  const [order, setOrder] = useState<{ connectionId: string; chosen: ChosenEmails } | null>(null);
  const start = async (now: Browse) => {
    if (now.chosen().mode === 'some' && now.chosen().ids.size === 0) return;
    await attempt('Rows could not be read', async () => {
      const chosen = await chosenEmails(windowBridge(), now);
      setOrder({ connectionId: now.result.connectionId, chosen });
    });
  };
  const command: Command = {
    ...RESULTS.saveAttachments,
    label: 'Save attachments',
    title: 'Of the selected emails, in a zip with a password',
    icon: Archive,
    run: () => browse.whenChosen((now) => void start(now)),
  };
  useCommands([command]);
  return (
    <>
      {browse.selected > 0 ? <CommandButton small command={command} /> : null}
      {order ? <SaveDialog {...order} onClose={() => setOrder(null)} /> : null}
    </>
  );
}

/**
 * Saves the attachments of the chosen emails in one sealed zip; for evidence only, whose mails are complete on this
 * machine.
 */
export function SaveAttachments({ browse }: { browse: Browse }): JSX.Element | null {
  const { connection } = useConnection();
  return connection?.kind === 'evidence' && browse.isEmail ? <OfEvidence browse={browse} /> : null;
}
