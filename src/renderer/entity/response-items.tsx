/** The responses to an entity as commands, and how they are drawn in the menu of its profile. */
import { Disable, Flag, HandUp, Lock, Repeat, Tag, Trash, Undo } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { type Command, CommandItem, useCommands } from '#renderer/commands/command.tsx';
import { type KeySpec, RESPONSE } from '#renderer/commands/keys.ts';
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

const KEYED = ['quarantine', 'report', 'rescan'] as const;
const KEYS: Readonly<Partial<Record<ResponseKind, KeySpec>>> = RESPONSE;

/** `spec` is its key, in place of the one that it has in every profile. */
export function responseCommand(response: Of, kind: ResponseKind, spec = KEYS[kind]): Command {
  const { verb, effect } = RESPONSES[kind];
  return {
    text: verb,
    ...spec,
    label: verb,
    title: spec === undefined ? effect : verb,
    icon: ICONS[kind],
    why: response.refusal(kind),
    isDanger: kind === 'quarantine' && response.harmful === true,
    run: () => response.start(kind),
  };
}

/** The same keys in every profile: A begins the main response, Q quarantines, R reports, Shift R scans again. */
export function useResponseKeys(noun: string, response: Of, main: ResponseKind | undefined): void {
  useCommands([
    {
      ...(main === undefined ? { run: () => false } : responseCommand(response, main)),
      ...RESPONSE.act,
      text: `Act on the ${noun}`,
    },
    ...KEYED.map((kind) => responseCommand(response, kind)),
  ]);
}

/** Menu items of the responses; disabled ones show the reason below their name. `main` is the one that A begins. */
export function ResponseItems(props: {
  kinds: readonly ResponseKind[];
  response: Of;
  main: ResponseKind | undefined;
}): JSX.Element {
  const { kinds, response, main } = props;
  return (
    <>
      {kinds.map((kind) => {
        const command = responseCommand(response, kind, kind === main ? RESPONSE.act : undefined);
        const words = (
          <>
            {command.label}…{command.why == null ? null : <span className="en-why">{command.why}</span>}
          </>
        );
        return <CommandItem key={kind} command={{ ...command, isDanger: false }} words={words} />;
      })}
    </>
  );
}
