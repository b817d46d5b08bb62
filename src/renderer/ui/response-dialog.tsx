import { Checkbox } from '@blueprintjs/core';
import { type JSX, type ReactNode, useState } from 'react';
import type { BridgeError } from '#shared/bridge/errors.ts';
import {
  REPORTS,
  RESPONSES,
  type ReportWord,
  type ResponseKind,
  type ResponseOrder,
  reportWords,
  responseTitle,
} from '#shared/model/responses.ts';
import { useClock } from './clock-context.ts';
import { ConfirmDialog } from './dialog.tsx';
import { ErrorBar } from './error-bar.tsx';
import { AreaField, TextField } from './form/field.tsx';
import { Segmented } from './form/segmented.tsx';
import { instantOfWall, NOW, type When, WhenField, whenProblem } from './form/when-field.tsx';

interface RescanTool {
  id: string;
  label: string;
  /** Its last verdict, in a word. */
  verdict: string;
}

interface ResponseDialogProps {
  kind: ResponseKind;
  /** "1 email". */
  noun: string;
  preview: ReactNode;
  warnings: readonly string[];
  /** The action or its target is dangerous; only then is the button red. */
  isDanger: boolean;
  /** Rescan: the tools that can scan again. */
  tools: readonly RescanTool[];
  /** Identify: the present identifier. */
  identifier: string;
  pending: boolean;
  error: BridgeError | null;
  onSend: (order: ResponseOrder) => void;
  onClose: () => void;
}

function Tools(props: {
  tools: readonly RescanTool[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}): JSX.Element {
  const { tools, chosen, onChange } = props;
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return (
    <fieldset className="pp-response-tools">
      <legend className="pp-field-legend">Tools</legend>
      <Checkbox
        label={`All ${tools.length}`}
        checked={chosen.size === tools.length}
        indeterminate={chosen.size > 0 && chosen.size < tools.length}
        onChange={() => onChange(new Set(chosen.size === tools.length ? [] : tools.map(({ id }) => id)))}
      />
      {tools.map(({ id, label, verdict }) => (
        <Checkbox key={id} checked={chosen.has(id)} onChange={() => toggle(id)}>
          {label} <span className="pp-t3">{verdict}</span>
        </Checkbox>
      ))}
    </fieldset>
  );
}

/** The dialog of a response: target, time, reason, and the error if sending failed. */
export function ResponseDialog(props: ResponseDialogProps): JSX.Element {
  const { kind, noun, tools, pending, error, onSend, onClose } = props;
  const spec = RESPONSES[kind];
  const clock = useClock();
  const [reason, setReason] = useState('');
  const [when, setWhen] = useState<When>(NOW);
  /** Null for all, also those that arrive while the dialog is open. */
  const [choice, setChoice] = useState<ReadonlySet<string> | null>(null);
  const chosen = choice ?? new Set(tools.map(({ id }) => id));
  const [report, setReport] = useState<ReportWord>('phishing');
  const [identifier, setIdentifier] = useState(props.identifier);
  const [tried, setTried] = useState(false);
  const timeProblem = spec.planned ? whenProblem(when, clock, Date.now()) : null;
  const reasonProblem =
    spec.reason === 'required' && reason.trim() === '' ? 'Enter a reason (logged).' : null;
  const toolProblem =
    kind === 'rescan' && tools.length > 0 && chosen.size === 0 ? 'Choose at least one tool.' : null;
  const nameProblem = kind === 'identify' && identifier.trim() === '' ? 'Enter an identifier.' : null;
  const problems = [timeProblem, reasonProblem, toolProblem, nameProblem].filter(Boolean);
  const send = () => {
    setTried(true);
    if (problems.length > 0 || pending) return;
    const instant = when.kind === 'later' ? instantOfWall(when.wall, clock) : null;
    onSend({
      reason,
      at: instant === null ? null : new Date(instant).toISOString(),
      // Named even if all are chosen: a service may read an empty list as none.
      tools: [...chosen],
      report,
      identifier,
    });
  };
  const later = spec.planned && when.kind === 'later';
  const title = responseTitle(kind, noun);
  return (
    <ConfirmDialog
      title={title}
      onClose={onClose}
      onConfirm={send}
      footNote={
        <span className="pp-t3 pp-small">
          {later
            ? 'Ordered now, done at that time by the service; logged in Activity.'
            : 'Sent immediately; logged in Activity.'}
        </span>
      }
      confirm={{
        intent: spec.danger && props.isDanger ? 'danger' : 'primary',
        loading: pending,
        disabled: tried && problems.length > 0,
        text: later
          ? `Schedule: ${title.charAt(0).toLowerCase()}${title.slice(1)}`
          : `${title}${reportWords(kind, report)}`,
      }}
    >
      <p className="pp-t2 pp-response-effect">{spec.effect}</p>
      {props.preview}
      {props.warnings.map((warning) => (
        <p key={warning} className="pp-caution">
          {warning}
        </p>
      ))}
      {error ? <ErrorBar error={error} /> : null}
      {kind === 'report' ? (
        <div className="pp-field">
          <span className="pp-field-legend">Report as</span>
          <Segmented label="Report as" options={REPORTS} value={report} onChange={setReport} />
        </div>
      ) : null}
      {kind === 'rescan' ? <Tools tools={tools} chosen={chosen} onChange={setChoice} /> : null}
      {kind === 'rescan' && tried && toolProblem ? <p className="pp-danger">{toolProblem}</p> : null}
      {kind === 'identify' ? (
        <TextField
          label="Identifier"
          problem={tried ? nameProblem : null}
          value={identifier}
          maxLength={200}
          onValueChange={setIdentifier}
        />
      ) : null}
      {spec.reason === 'none' ? null : (
        <AreaField
          label={spec.reason === 'required' ? 'Reason' : 'Comment (optional)'}
          problem={tried ? reasonProblem : null}
          rows={3}
          maxLength={2000}
          value={reason}
          onText={setReason}
        />
      )}
      {spec.planned ? (
        <WhenField when={when} problem={tried ? timeProblem : null} onChange={setWhen} />
      ) : null}
    </ConfirmDialog>
  );
}
