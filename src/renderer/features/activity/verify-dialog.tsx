import { Button } from '@blueprintjs/core';
import { Endorsed } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { useAct } from '#renderer/bridge/use-call.ts';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { ConfirmDialog } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { Field, TextField } from '#renderer/ui/form/field.tsx';
import { GlyphClean, GlyphError } from '#renderer/ui/glyphs.tsx';
import type { Job, OutputOf } from '#shared/bridge/operations.ts';
import { visibleText } from '#shared/model/format.ts';

type Verdict = OutputOf<'files.verify'>;
type Chosen = { grantId: string; name: string };

function Findings({ verdict }: { verdict: Verdict }): JSX.Element {
  return (
    <section aria-label="Result" role="status">
      <p className={verdict.holds ? 'pp-v-clean' : 'pp-danger'}>
        <b>
          {visibleText(verdict.file)}{' '}
          {verdict.holds ? 'matches its manifest.' : 'does not match its manifest.'}
        </b>
      </p>
      <ul className="pp-verify-lines">
        {verdict.lines.map(({ holds, text }) => (
          <li key={text}>
            {holds === null ? null : holds ? (
              <span className="pp-v-clean">
                <GlyphClean size={12} label="Matches" />
              </span>
            ) : (
              <span className="pp-danger">
                <GlyphError size={12} label="Does not match" />
              </span>
            )}
            <span className="pp-wrap-anywhere">{visibleText(text)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/**
 * The chosen file and manifest, and verifying them. `jobId` is the job whose stored manifest is used without a chosen
 * one.
 */
function useVerification(jobId: string | null) {
  const [file, setFile] = useState<Chosen | null>(null);
  const [manifest, setManifest] = useState<Chosen | null>(null);
  const [password, setPassword] = useState('');
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const choosing = useAct(async (kind: 'verify-file' | 'verify-manifest') => {
    const chosen = await windowBridge().call('dialogs.open', { kind });
    if (chosen === null) return;
    verifying.reset();
    setVerdict(null);
    if (kind === 'verify-file') setFile(chosen);
    else setManifest(chosen);
  });
  const verifying = useAct(async ({ grantId }: Chosen) => {
    try {
      setVerdict(
        await windowBridge().call('files.verify', {
          grantId,
          ...(manifest !== null ? { manifestGrantId: manifest.grantId } : jobId === null ? {} : { jobId }),
          ...(password === '' ? {} : { password }),
        }),
      );
    } finally {
      // A grant is single-use: verifying again requires choosing the file again.
      setFile(null);
      setManifest(null);
    }
  });
  return {
    file,
    chooseFile: () => void choosing.run('verify-file'),
    manifest,
    chooseManifest: () => void choosing.run('verify-manifest'),
    password,
    setPassword,
    busy: verifying.pending,
    verdict,
    error: choosing.error ?? verifying.error,
    verify: () => {
      if (file === null || verifying.pending) return;
      choosing.reset();
      void verifying.run(file);
    },
  };
}

/** Verifies a file against its manifest: the one beside it, a chosen one, or the one stored with its job. */
export function VerifyDialog({ job, onClose }: { job: Job | null; onClose: () => void }): JSX.Element {
  const jobId = job?.outcome?.['manifest'] == null ? null : job.id;
  const { file, manifest, verdict, error, ...form } = useVerification(jobId);
  // A browser gives access to the chosen file only, never to its folder.
  const inBrowser = useAppInfo()?.host === 'browser';
  const place = inBrowser ? 'Picked with the file, or inside the zip' : 'Beside the file, or inside the zip';
  const besides = jobId === null ? place : 'Stored by Parapet with this export';
  return (
    <ConfirmDialog
      title="Verify a file"
      icon={<Endorsed size={14} />}
      onClose={onClose}
      onConfirm={form.verify}
      footNote="The file is not changed."
      confirm={{ text: 'Verify', loading: form.busy, disabled: file === null }}
      closeText="Close"
    >
      {error ? <ErrorBar error={error} /> : null}
      <Field label="File">
        {(id) => (
          <div className="pp-row">
            <Button
              id={id}
              autoFocus
              // The accessible name is the button's own text instead of the field's label.
              aria-label="Choose file…"
              text="Choose file…"
              onClick={form.chooseFile}
            />
            <span className="pp-ellipsis">{file === null ? 'No file chosen' : visibleText(file.name)}</span>
          </div>
        )}
      </Field>
      <Field label="Manifest">
        {(id) => (
          <div className="pp-row">
            <Button
              id={id}
              aria-label="Choose manifest…"
              text="Choose manifest…"
              onClick={form.chooseManifest}
            />
            <span className="pp-ellipsis">{manifest === null ? besides : visibleText(manifest.name)}</span>
          </div>
        )}
      </Field>
      <TextField
        label="Password"
        note="For a password-protected zip. Without it the contents aren’t checked."
        type="password"
        autoComplete="off"
        maxLength={256}
        value={form.password}
        onValueChange={form.setPassword}
      />
      {verdict ? <Findings verdict={verdict} /> : null}
    </ConfirmDialog>
  );
}
