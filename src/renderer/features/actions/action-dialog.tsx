import { Lock, Play, Trash } from '@blueprintjs/icons';
import { type JSX, type RefObject, useEffect, useRef, useState } from 'react';
import {
  type ActionOrder,
  closeAction,
  openActionOutcome,
  useActionOrder,
} from '#renderer/state/action-order.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { sendRefusal } from '#renderer/state/respond.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { ConfirmDialog } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { AreaField } from '#renderer/ui/form/field.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { InputOf, LeftOut } from '#shared/bridge/operations.ts';
import { dictionary } from '#shared/dictionary.ts';
import { countWords } from '#shared/model/responses.ts';
import { ActionFacts, ScopeChoice } from './action-facts.tsx';
import { ActionParams, type ParamValues, paramProblem, paramsToSend } from './action-params.tsx';
import { alreadyDone, leftOutWords, paramOf } from './labels.ts';
import { OutcomeDialog } from './outcome-dialog.tsx';
import { PrepareWait, usePrepared } from './prepared.tsx';
import { PreviewGrid } from './preview-grid.tsx';
import './actions.css';

export function ActionsLayer(): JSX.Element | null {
  const { order, outcome } = useActionOrder();
  if (order) return <ActionDialog key={`${order.resultId} ${order.action.id}`} order={order} />;
  if (outcome !== null) return <OutcomeDialog key={outcome} journalId={outcome} />;
  return null;
}

const ICONS: Readonly<Record<string, JSX.Element>> = dictionary({
  quarantine: <Lock size={14} />,
  delete: <Trash size={14} />,
});

interface Sending {
  pending: boolean;
  error: BridgeError | null;
}

/**
 * Sends the order to the main side, which logs it before anything else. The outcome replaces the dialog it was
 * confirmed in; when that was closed meanwhile, a toast reports it.
 */
async function order(
  input: InputOf<'actions.send'>,
  title: string,
  isShown: () => boolean,
): Promise<BridgeError | null> {
  try {
    const { journalId } = await windowBridge().call('actions.send', input);
    const action = { label: 'Outcome', run: () => openActionOutcome(journalId) };
    if (isShown()) openActionOutcome(journalId);
    else
      showToast({
        intent: 'info',
        title: `Sending: ${title}`,
        detail: 'It continues in the background.',
        action,
      });
    return null;
  } catch (reason) {
    const error = toBridgeError(reason);
    if (!isShown()) showToast({ intent: 'error', title: `Not sent: ${title}`, detail: error.message });
    return error;
  }
}

/** The first invalid parameter, else the missing reason. */
function focusMissing(reason: RefObject<HTMLTextAreaElement | null>): void {
  requestAnimationFrame(() => {
    const invalid = reason.current
      ?.closest('.pp-dialog-body')
      ?.querySelector<HTMLElement>('[aria-invalid="true"]');
    (invalid ?? reason.current)?.focus();
  });
}

function useActionForm(requestedOrder: ActionOrder) {
  const { action, choices, config, domain } = requestedOrder;
  const { reach, connection } = useConnection();
  const [chosen, setChosen] = useState(0);
  const [leaveOut, setLeaveOut] = useState<LeftOut[]>(() => alreadyDone(action, config));
  const [values, setValues] = useState<ParamValues>({});
  const [reason, setReason] = useState('');
  const reasonBox = useRef<HTMLTextAreaElement>(null);
  const [tried, setTried] = useState(false);
  const { resultId, queryId, queryLabel } = requestedOrder;
  const scope = choices[chosen]?.scope ?? { kind: 'loaded' as const };
  const { data: prepared, error, again } = usePrepared({ resultId, queryId, queryLabel, scope, leaveOut });
  const [sending, setSending] = useState<Sending>({ pending: false, error: null });
  const refusal = sendRefusal(reach, connection?.kind);
  const params = action.params ?? [];
  const problems = new Map<string, string>();
  for (const param of params) {
    const problem = paramProblem(param, values[param.id]);
    if (problem !== null) problems.set(param.id, problem);
  }
  const missing = problems.size > 0 || reason.trim() === '';
  const named = paramOf(sending.error?.data?.['field']);
  const shownProblems = new Map(tried ? problems : []);
  if (named !== null && sending.error) shownProblems.set(named, sending.error.message);
  const send = () => {
    setTried(true);
    if (missing) focusMissing(reasonBox);
    if (!prepared || missing || refusal !== null || sending.pending) return;
    const input = {
      preparedId: prepared.id,
      actionId: action.id,
      ...(requestedOrder.call ? { call: requestedOrder.call } : {}),
      params: paramsToSend(params, values),
      reason,
    };
    setSending({ pending: true, error: null });
    void order(input, verb, () => useActionOrder.getState().order === requestedOrder).then((error) =>
      setSending({ pending: false, error }),
    );
  };
  const choose = (next: number) => {
    setChosen(next);
    setLeaveOut(alreadyDone(action, config));
  };
  const verb = prepared ? `${action.label} ${countWords(prepared.count, domain)}` : action.label;
  return {
    verb,
    chosen,
    choose,
    scope,
    leaveOut,
    setLeaveOut,
    prepared,
    error,
    again,
    params,
    values,
    setValues,
    problems: shownProblems,
    reason,
    setReason,
    reasonBox,
    reasonProblem: tried && reason.trim() === '' ? 'Enter a reason (logged).' : null,
    sending,
    /** An error that no parameter shows. */
    failure: named === null ? sending.error : null,
    refusal,
    canSend: prepared !== null && refusal === null && !(tried && missing),
    send,
  };
}

/** Closes an order whose connection is no longer open: it would be confirmed under the name of another one. */
function useSameConnection({ action }: ActionOrder, isSent: boolean): void {
  const id = useConnection().connection?.id;
  const opened = useRef(id);
  const sent = useRef(isSent);
  sent.current = isSent;
  useEffect(() => {
    if (id === opened.current) return;
    closeAction();
    if (!sent.current)
      showToast({
        intent: 'info',
        stays: true,
        title: `Not sent: ${action.label}`,
        detail: 'Another connection was opened.',
      });
  }, [id, action]);
}

/** The dialog of an action of the query config: exact targets, parameters and reason. Sent once, as a job. */
function ActionDialog({ order: request }: { order: ActionOrder }): JSX.Element {
  const { action, choices, config, resultId } = request;
  const state = useActionForm(request);
  const { verb, leaveOut, setLeaveOut, prepared, error, again, reasonBox, refusal, failure, send } = state;
  useSameConnection(request, state.sending.pending);
  return (
    <ConfirmDialog
      size="wide"
      title={verb}
      icon={
        <span className={action.danger ? 'pp-danger' : 'pp-t3'}>
          {ICONS[action.id] ?? <Play size={14} />}
        </span>
      }
      onClose={closeAction}
      onConfirm={send}
      footNote="Sent immediately, even if this window is closed; logged in Activity."
      confirm={{
        intent: action.danger ? 'danger' : 'primary',
        text: verb,
        loading: state.sending.pending,
        disabled: !state.canSend,
        title: refusal ?? undefined,
      }}
    >
      <ScopeChoice order={request} chosen={state.chosen} onChange={state.choose} />
      {request.caution ? <p className="pp-caution">{request.caution}</p> : null}
      {refusal ? <p className="pp-caution">{refusal}</p> : null}
      {error ? <ErrorBar error={error} onRetry={again} /> : null}
      {error && leaveOut.length > 0 ? (
        <p className="pp-action-note pp-t2">
          Excluded: {leftOutWords(leaveOut)}. <LinkButton onClick={() => setLeaveOut([])}>Include</LinkButton>
        </p>
      ) : null}
      {/* Counts and warnings are announced when they arrive. */}
      <div className="pp-action-facts" aria-live="polite">
        {!prepared && !error ? (
          <PrepareWait
            resultId={resultId}
            fetches={state.scope.kind === 'matching'}
            onStop={() => {
              // Falls back to the rows that are loaded; without such a choice the dialog closes.
              const other = choices.findIndex((choice) => choice.scope.kind !== 'matching');
              if (other < 0) closeAction();
              else state.choose(other);
            }}
          />
        ) : null}
        {prepared ? (
          <ActionFacts
            order={request}
            prepared={prepared}
            leaveOut={leaveOut}
            onLeaveOut={(next) => {
              setLeaveOut(next);
              // The pressed link disappears: the focus must stay inside the dialog for its keys to work.
              reasonBox.current?.focus();
            }}
          />
        ) : null}
      </div>
      {prepared ? <PreviewGrid key={prepared.id} prepared={prepared} config={config} /> : null}
      {failure ? <ErrorBar error={failure} onRetry={again} /> : null}
      <ActionParams
        params={state.params}
        values={state.values}
        problems={state.problems}
        onChange={state.setValues}
      />
      <AreaField
        label="Reason (logged)"
        problem={state.reasonProblem}
        inputRef={reasonBox}
        rows={2}
        maxLength={2000}
        value={state.reason}
        onText={state.setReason}
      />
    </ConfirmDialog>
  );
}
