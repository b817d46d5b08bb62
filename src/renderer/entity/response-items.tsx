import { Button, MenuItem } from '@blueprintjs/core';
import { Disable, Flag, HandUp, Lock, Repeat, Tag, Trash, Undo } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useCommands } from '#renderer/commands/command.tsx';
import { cap, type KeySpec, RESPONSE } from '#renderer/commands/keys.ts';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { RESPONSES, type ResponseKind } from '#shared/model/responses.ts';
import type { Response } from './use-sending.ts';

const ICONS: Readonly<Record<ResponseKind, JSX.Element>> = {
  quarantine: <Lock size={14} />,
  restore: <Undo size={14} />,
  decline: <Disable size={14} />,
  request_restore: <HandUp size={14} />,
  identify: <Tag size={14} />,
  rescan: <Repeat size={14} />,
  report: <Flag size={14} />,
  delete: <Trash size={14} />,
};

type Of = Pick<Response, 'refusal' | 'start' | 'harmful'>;

/**
 * The keys of responses, the same in every profile: A begins the main one, Q quarantines, R reports, Shift R scans
 * again.
 */
export function useResponseKeys(noun: string, response: Of, main: ResponseKind | undefined): void {
  const begin = (kind: ResponseKind | undefined) =>
    kind !== undefined && response.refusal(kind) === null ? response.start(kind) : false;
  useCommands([
    { ...RESPONSE.act, text: `Act on the ${noun}`, run: () => begin(main) },
    { ...RESPONSE.quarantine, run: () => begin('quarantine') },
    { ...RESPONSE.report, run: () => begin('report') },
    { ...RESPONSE.rescan, run: () => begin('rescan') },
  ]);
}

/** A response as a button of the header; a disabled one says why. */
export function ResponseButton(props: {
  kind: ResponseKind;
  response: Of;
  spec?: KeySpec | undefined;
  /** Shows the icon alone in narrow windows. */
  small?: boolean;
}): JSX.Element {
  const { kind, response, spec, small = false } = props;
  const { verb, effect } = RESPONSES[kind];
  const why = response.refusal(kind);
  return (
    <Button
      icon={ICONS[kind]}
      text={small ? undefined : verb}
      aria-label={verb}
      {...(kind === 'quarantine' && response.harmful ? { intent: 'danger' as const } : {})}
      disabled={why !== null}
      title={why ?? (spec ? `${verb} (${cap(spec)})` : effect)}
      onClick={() => response.start(kind)}
    />
  );
}

/** Menu items of the responses; disabled ones show the reason below their name. */
export function ResponseItems(props: {
  kinds: readonly ResponseKind[];
  response: Of;
  /** The one that A begins. */
  main: ResponseKind | undefined;
}): JSX.Element {
  const { kinds, response, main } = props;
  return (
    <>
      {kinds.map((kind) => {
        const why = response.refusal(kind);
        return (
          <MenuItem
            key={kind}
            icon={ICONS[kind]}
            text={
              <>
                {RESPONSES[kind].verb}…{why === null ? null : <span className="en-why">{why}</span>}
              </>
            }
            multiline
            disabled={why !== null}
            {...(kind === main && why === null ? { labelElement: <Kbd keys={cap(RESPONSE.act)} /> } : {})}
            onClick={() => response.start(kind)}
          />
        );
      })}
    </>
  );
}
