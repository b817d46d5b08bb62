import { Button, InputGroup } from '@blueprintjs/core';
import { Archive } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { CUSTOM_PASSWORD, SavedAll, Warning } from '#renderer/entity/download-dialog.tsx';
import { matchedName } from '#renderer/entity/labels.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { Field } from '#renderer/ui/field.tsx';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import { type InputOf, MAX_EMAILS_AT_ONCE, type SavedFiles } from '#shared/bridge/operations.ts';
import { exact, plural } from '#shared/model/format.ts';
import { EVERY_APP } from '../query-run.ts';
import { namedRows } from './selection.ts';
import type { Browse } from './use-browse.ts';

type Emails = InputOf<'matched-file.save-of'>['emails'];

/** The first emails of the selection, in its order. */
async function chosenEmails({ result, selection, filtering, rows }: Browse): Promise<Emails> {
  const bridge = windowBridge();
  const { selectionId } = await bridge.call('results.matching', {
    resultId: result.id,
    ...(selection.selection.mode === 'all' && filtering ? { filter: rows.filter } : {}),
    ...namedRows(selection.selection),
  });
  try {
    const page = await bridge.call('results.selection', { selectionId, start: 0, end: MAX_EMAILS_AT_ONCE });
    const entityIds = page.entityIds.filter((id) => id !== null);
    const answer = await bridge.call('results.rows', { resultId: result.id, entityIds });
    return answer.rows.map((row) => ({
      saas: String(row['saas'] ?? EVERY_APP),
      entityId: String(row['entity_id']),
      subject: String(row['subject'] ?? '').slice(0, 1_000),
    }));
  } finally {
    void bridge.call('results.release', { selectionId }).catch(() => undefined);
  }
}

function SaveDialog({ browse, onClose }: { browse: Browse; onClose: () => void }): JSX.Element {
  const bridge = useBridge();
  const { result, selected } = browse;
  const [password, setPassword] = useState(CUSTOM_PASSWORD);
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<BridgeError | null>(null);
  const [saved, setSaved] = useState<SavedFiles | null>(null);
  const count = Math.min(selected, MAX_EMAILS_AT_ONCE);
  const save = async () => {
    if (password === '' || saving || saved !== null) return;
    setFailure(null);
    setSaving(true);
    try {
      const emails = await chosenEmails(browse);
      const suggestedName = matchedName('attachments', true);
      const grant = await bridge.call('dialogs.save', { suggestedName, kind: 'zip' });
      if (grant === null) return;
      const { connectionId } = result;
      setSaved(await bridge.call('matched-file.save-of', { connectionId, emails, ...grant, password }));
    } catch (error) {
      setFailure(toBridgeError(error));
    } finally {
      setSaving(false);
    }
  };
  return (
    <Dialog
      isOpen
      title={`Save attachments of ${plural(count, 'email')}`}
      onClose={onClose}
      onConfirm={() => void save()}
      footNote={saved === null ? <span className="pp-t3 pp-small">The password is not stored.</span> : null}
      actions={
        saved === null ? (
          <>
            <Button text="Cancel" onClick={onClose} />
            <Button
              intent="primary"
              text="Save as zip…"
              disabled={password === ''}
              loading={saving}
              onClick={() => void save()}
            />
          </>
        ) : (
          <Button autoFocus text="Close" onClick={onClose} />
        )
      }
    >
      {selected > count ? (
        <p className="pp-caution">
          The first {exact(count)} of {exact(selected)} selected: a zip holds no more emails.
        </p>
      ) : null}
      {failure ? (
        <ErrorBar error={failure} notKnown="Nothing was left behind under the chosen name." />
      ) : null}
      {saved === null ? (
        <>
          <Warning how="zip" isMatched={false} />
          <Field
            label="Password"
            note="“infected” is the usual convention."
            problem={password === '' ? 'Enter a password.' : null}
          >
            {(id) => (
              <InputGroup
                id={id}
                value={password}
                maxLength={256}
                autoComplete="off"
                spellCheck={false}
                onValueChange={setPassword}
              />
            )}
          </Field>
        </>
      ) : (
        <SavedAll saved={saved} />
      )}
    </Dialog>
  );
}

/** Saves the attachments of the selected emails in one sealed zip: of evidence, whose mails are here whole. */
export function SaveAttachments({ browse }: { browse: Browse }): JSX.Element | null {
  const { connection } = useConnection();
  const [open, setOpen] = useState(false);
  if (connection?.kind !== 'evidence' || !browse.isEmail) return null;
  return (
    <>
      <Button
        size="small"
        icon={<Archive size={14} />}
        text="Save attachments"
        title="Of the selected emails, in a zip with a password"
        onClick={() => setOpen(true)}
      />
      {open ? <SaveDialog browse={browse} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
