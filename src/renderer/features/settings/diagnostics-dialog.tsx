import type { JSX } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useAct } from '#renderer/bridge/use-call.ts';
import { showDiagnostics, useOverlays } from '#renderer/state/overlays.ts';
import { ConfirmDialog } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import { bytes, plural } from '#shared/model/format.ts';
import { DIAGNOSTICS } from './labels.ts';

const close = () => showDiagnostics(false);

/** Previews what the zip would contain and omit before anything is written. */
function OpenDialog(): JSX.Element {
  const bridge = useBridge();
  const described = useAnswer([], () => bridge.call('diagnostics.describe', {}));
  const report = described.data;
  const {
    run,
    pending,
    error: notSaved,
  } = useAct(async () => {
    const grant = await bridge.call('dialogs.save', {
      suggestedName: 'parapet-diagnostics.zip',
      kind: 'zip',
    });
    if (grant === null) return;
    const written = await bridge.call('diagnostics.save', { grantId: grant.grantId });
    showToast({
      intent: 'success',
      title: DIAGNOSTICS.saved,
      detail: `${written.name}, ${bytes(written.bytes)}`,
    });
    close();
  });
  const error = described.error ?? notSaved;
  const save = () => {
    if (!pending && report !== null) void run();
  };
  return (
    <ConfirmDialog
      title={DIAGNOSTICS.title}
      onClose={close}
      onConfirm={save}
      footNote={report === null ? undefined : plural(report.entries.length, 'file')}
      confirm={{ text: DIAGNOSTICS.save, loading: pending, disabled: report === null }}
    >
      {error ? <ErrorBar error={error} /> : null}
      {report === null ? (
        error ? null : (
          <p>{DIAGNOSTICS.reading}</p>
        )
      ) : (
        <>
          <p className="pp-flat">{DIAGNOSTICS.intro}</p>
          <dl className="pp-diagnostics">
            {report.entries.map(({ name, what, bytes: size }) => (
              <div key={name}>
                <dt>
                  <span className="pp-mono">{name}</span> <span className="pp-t3">{bytes(size)}</span>
                </dt>
                <dd className="pp-t2">{what}</dd>
              </div>
            ))}
          </dl>
          <p className="pp-flat">{report.leftOut}</p>
        </>
      )}
    </ConfirmDialog>
  );
}

export function DiagnosticsDialog(): JSX.Element | null {
  return useOverlays((store) => store.diagnostics) ? <OpenDialog /> : null;
}
