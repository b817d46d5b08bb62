import { Button } from '@blueprintjs/core';
import { WarningSign } from '@blueprintjs/icons';
import { type JSX, useEffect, useRef, useState } from 'react';
import { useActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useClearFilesOff } from '#renderer/state/app-info.ts';
import { ConfirmButton, Dialog } from '#renderer/ui/dialog.tsx';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { FileName } from '#renderer/ui/file-name.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { GlyphArc, GlyphClean } from '#renderer/ui/glyphs.tsx';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import type { MatchedFileProbe, SavedFile, SavedFiles } from '#shared/bridge/operations.ts';
import { DOWNLOAD_RETRIES } from '#shared/model/constants.ts';
import { bytes, exact, form, plural, visibleText } from '#shared/model/format.ts';
import { fitsZip } from '#shared/model/password-strength.ts';
import { entryName, matchedName } from './labels.ts';
import { NotSaved, PasswordNote, SealedPassword, useSealedSave } from './sealed-save.tsx';
import './entity.css';

interface DownloadDialogProps {
  /** "file"; "email" for an attachment. */
  entityType: string;
  entityId: string;
  name: string;
  /** Further files to include in the same zip. */
  others?: readonly { entityId: string; name: string }[];
  /** No tool matched the file; the analyst asked to save it. */
  unmatched?: boolean;
  onClose: () => void;
}

const HOW = [
  { value: 'zip', label: 'Password-protected zip' },
  { value: 'as-is', label: 'Original file' },
] as const;
type How = (typeof HOW)[number]['value'];

function Refused({ probe }: { probe: MatchedFileProbe }): JSX.Element {
  const attemptsText = form(
    probe.attempts,
    'The service was asked once.',
    `The service was asked ${probe.attempts} times.`,
  );
  return (
    <div className="pp-caution-bar" role="alert">
      <WarningSign size={14} className="pp-caution" />
      <span>
        <b>
          {probe.forbidden ? 'You don’t have permission to download it.' : 'The file is not available now.'}
        </b>{' '}
        {attemptsText} {probe.reason ? visibleText(probe.reason) : 'No reason given.'}
      </span>
    </div>
  );
}

function Saved({ saved }: { saved: SavedFile }): JSX.Element {
  return (
    <div className="en-saved">
      <p>
        <GlyphClean size={14} /> Saved {visibleText(saved.name)}, {bytes(saved.bytes)}.
      </p>
      <p className="pp-wrap-anywhere">
        <span className="pp-t3">SHA-256</span>{' '}
        <EntityValue entity={{ kind: 'hash', value: saved.sha256, field: 'sha256' }} />
      </p>
      {saved.asTold === false ? (
        <p className="pp-caution">The SHA-256 doesn’t match the one the service reported.</p>
      ) : null}
      {saved.asTold === true ? (
        <p className="pp-t3">The SHA-256 matches the one the service reported.</p>
      ) : null}
    </div>
  );
}

/** How many missing files are listed by name; the rest are counted. */
const NAMED = 10;

export function SavedAll({ saved }: { saved: SavedFiles }): JSX.Element {
  const { missing } = saved;
  return (
    <div className="en-saved">
      <p>
        <GlyphClean size={14} /> Saved {visibleText(saved.name)}: {plural(saved.files, 'file')},{' '}
        {bytes(saved.bytes)}. Its manifest.json lists each with its SHA-256.
      </p>
      {missing.length > 0 ? (
        <div className="pp-caution" role="alert">
          Some files were not saved:
          {missing.slice(0, NAMED).map(({ name, reason }) => (
            <p key={`${name}\n${reason}`} className="pp-wrap-anywhere">
              {visibleText(name)}: {visibleText(reason)}
            </p>
          ))}
          {missing.length > NAMED ? <p>and {exact(missing.length - NAMED)} more</p> : null}
        </div>
      ) : null}
    </div>
  );
}

export function Warning({ how, isMatched }: { how: How; isMatched: boolean }): JSX.Element {
  return (
    <div className="pp-caution-bar" role="note">
      <WarningSign size={14} className="pp-caution" />
      <span>
        {isMatched ? 'A tool matched this file: it may be malware.' : 'An attachment may be malware.'} Open it
        only in a safe environment.
        {how === 'as-is'
          ? ' Unzipped, it is saved with the extension .suspect so that nothing opens it; antivirus software may remove it.'
          : ' An AES-256 zip keeps scanners from opening it.'}
      </span>
    </div>
  );
}

type Target = Pick<DownloadDialogProps, 'entityType' | 'entityId'> & { connectionId: string };

function useProbe({ connectionId, entityType, entityId }: Target) {
  const bridge = useBridge();
  const { last, error, isAsking, again } = useAnswer([connectionId, entityType, entityId], (signal) =>
    bridge.call('matched-file.probe', { connectionId, entityType, entityId }, { signal }),
  );
  return { probe: error === null ? last : null, asking: isAsking, askError: error, check: again };
}

/** A zip with a password, or the file as it is where the policy allows that. */
function FormatChoice({ how, onChange }: { how: How; onChange: (how: How) => void }): JSX.Element {
  const onlySealed = useClearFilesOff();
  return (
    <div className="pp-row">
      <Segmented
        label="Format"
        options={HOW.map((option) => ({
          ...option,
          disabled: option.value === 'as-is' && onlySealed !== null,
        }))}
        value={how}
        onChange={onChange}
      />
      {onlySealed === null ? null : <small className="pp-t2 pp-wrap-anywhere">{onlySealed}</small>}
    </div>
  );
}

/** Asks whether the file is available (three times), warns, and saves it where the analyst says. */
export function DownloadDialog({
  entityType,
  entityId,
  name,
  others = [],
  unmatched = false,
  onClose,
}: DownloadDialogProps): JSX.Element {
  const count = others.length + 1;
  const connectionId = useActiveConnectionId() ?? '';
  const { probe, asking, askError, check } = useProbe({ connectionId, entityType, entityId });
  const [how, setHow] = useState<How>('zip');
  const { password, setPassword, isSaving, failure, saved, save } = useSealedSave<SavedFile | SavedFiles>();

  // The focused button has been removed: without a new focus no key would reach the dialog.
  const closeButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (saved !== null) closeButton.current?.focus();
  }, [saved]);

  const ready = probe?.success === true && !asking;
  const noPassword = how === 'zip' && (password === '' || !fitsZip(password));
  const isSealed = how === 'zip';
  const confirm = () => {
    if (!ready || noPassword) return;
    const suggestedName = matchedName(count > 1 ? 'attachments' : name, isSealed);
    void save({ suggestedName, kind: isSealed ? 'zip' : 'any' }, (bridge, grantId) => {
      const target = { connectionId, entityType, grantId };
      return count > 1
        ? bridge.call('matched-file.save-all', {
            ...target,
            files: [{ entityId, name }, ...others].map((other) => ({
              ...other,
              name: entryName(other.name),
            })),
            password,
          })
        : bridge.call('matched-file.save', {
            ...target,
            entityId,
            name: entryName(name),
            zip: isSealed ? { password } : null,
          });
    });
  };
  const waiting = asking || (probe === null && askError === null);
  return (
    <Dialog
      title={unmatched ? `Save ${plural(count, 'attachment')}` : 'Download 1 matched file'}
      onClose={onClose}
      onConfirm={confirm}
      footNote={ready && isSealed ? <PasswordNote /> : null}
      actions={
        saved ? (
          <Button ref={closeButton} text="Close" onClick={onClose} />
        ) : (
          <>
            <Button text="Cancel" onClick={onClose} />
            {probe?.success === false || askError ? (
              <Button text="Try again" loading={asking} onClick={check} />
            ) : (
              <ConfirmButton
                intent={how === 'as-is' ? 'danger' : 'primary'}
                text={how === 'as-is' ? 'Save without zip…' : 'Save as zip…'}
                disabled={!ready || noPassword}
                loading={isSaving}
                onClick={confirm}
              />
            )}
          </>
        )
      }
    >
      <p className="pp-strong pp-wrap-anywhere">
        {count === 1 ? <FileName name={name} /> : `All ${exact(count)} attachments of the email`}
      </p>
      {waiting ? (
        <p className="pp-fresh pp-fresh-loading" role="status">
          <GlyphArc /> checking whether it is available, up to {exact(DOWNLOAD_RETRIES)} attempts
        </p>
      ) : null}
      {askError && !asking ? <ErrorBar error={askError} /> : null}
      {probe?.success === false && !asking ? <Refused probe={probe} /> : null}
      <NotSaved failure={failure} />
      {saved === null ? null : 'files' in saved ? <SavedAll saved={saved} /> : <Saved saved={saved} />}
      {ready && saved === null ? (
        <>
          <Warning how={how} isMatched={!unmatched} />
          {count === 1 ? <FormatChoice how={how} onChange={setHow} /> : null}
          {isSealed ? (
            <SealedPassword
              password={password}
              problem="Enter a password, or save without zip."
              onChange={setPassword}
            />
          ) : null}
        </>
      ) : null}
    </Dialog>
  );
}
