import type { JSX } from 'react';
import { Figures } from '#renderer/ui/dialog.tsx';
import { ResponseDialog } from '#renderer/ui/response-dialog.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { visibleText } from '#shared/model/format.ts';
import type { ResponseKind } from '#shared/model/responses.ts';
import { type ReadVerdict, VERDICT_LABELS } from '#shared/model/verdict.ts';
import type { Stack } from './stack-rows.ts';
import type { Response } from './use-sending.ts';
import { HARMFUL } from './verdict-line.ts';

/** Kinds that change who can reach the entity. */
export const moves = (kind: ResponseKind): boolean =>
  kind !== 'report' && kind !== 'identify' && kind !== 'rescan';

/** Tools found something in it. An unknown verdict is neither harmful nor clean, so its button has no colour. */
export const isHarmful = (stack: Stack | null): boolean =>
  stack !== null && HARMFUL.includes(stack.total.verdict);

/** Warnings against the action from the tools' results. `readers` is who gets it back. */
export function stackWarnings(kind: ResponseKind, stack: Stack | null, readers: string): string[] {
  const verdict: ReadVerdict | undefined = stack?.total.verdict;
  const back = kind === 'restore' || kind === 'request_restore';
  const warnings: string[] = [];
  if (back && isHarmful(stack))
    warnings.push(`Tools found a threat in it: restoring returns it to ${readers}.`);
  if ((kind === 'quarantine' || kind === 'delete') && verdict === 'clean')
    warnings.push('Every tool that answered found it clean.');
  if (stack === null && moves(kind)) warnings.push('Verdicts are unknown.');
  return warnings;
}

interface EntityResponseProps {
  noun: string;
  sending: Response;
  stack: Stack | null;
  figures: readonly { label: string; value: number | string; accent?: boolean }[];
  title: string;
  from: string;
  warningsFor: (kind: ResponseKind) => readonly string[];
  identifier: string | null | undefined;
}

export function EntityResponseDialog(props: EntityResponseProps): JSX.Element | null {
  const { sending, stack } = props;
  const { open } = sending;
  if (open === null) return null;
  const tools = (stack?.rows ?? []).map(({ tool, label, derived }) => ({
    id: tool,
    label,
    verdict: VERDICT_LABELS[derived.verdict],
  }));
  const total = stack?.total;
  return (
    <ResponseDialog
      key={`${sending.entityId} ${open}`}
      kind={open}
      noun={`1 ${props.noun}`}
      preview={
        <>
          <Figures figures={props.figures} />
          <p className="en-preview">
            {total ? <VerdictChip verdict={total.verdict} code={total.rawCode} error={total.error} /> : null}
            <b className="pp-ellipsis" title={visibleText(props.title)}>
              {visibleText(props.title)}
            </b>
            <span className="pp-t3 pp-ellipsis">{visibleText(props.from)}</span>
          </p>
        </>
      }
      warnings={props.warningsFor(open)}
      tools={tools}
      isDanger={open === 'delete' || sending.harmful === true}
      identifier={props.identifier ?? ''}
      pending={sending.pending}
      error={sending.error}
      onSend={(order) => void sending.send(order)}
      onClose={sending.close}
    />
  );
}
