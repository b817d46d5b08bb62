import { Button, MenuDivider, MenuItem } from '@blueprintjs/core';
import { Disable, Flag, HandUp, Lock, Repeat, Tag, Trash, Undo } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { RESPONSES, type ResponseKind } from '#shared/model/responses.ts';
import type { Response } from './use-response.ts';

/** What stands in the header: the answer to a request, else the way in or out of quarantine. */
export function mainKinds({ lifecycle }: Pick<Response, 'lifecycle'>): ResponseKind[] {
  if (!lifecycle?.held) return ['quarantine'];
  return lifecycle.state === 'requested' ? ['restore', 'decline'] : ['restore'];
}

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

/** The buttons of the header; a disabled one says why. A acts, R reports. */
export function ResponseButtons({ response }: { response: Response }): JSX.Element {
  const { wide } = useBreakpoint();
  const { refusal, start } = response;
  const main = mainKinds(response);
  const first = main.find((kind) => refusal(kind) === null);
  useHotkeys([
    {
      keys: ['A'],
      text: 'Act on the email',
      run: () => (first === undefined ? false : start(first)),
    },
    { keys: ['R'], text: 'Report', run: () => (refusal('report') === null ? start('report') : false) },
  ]);
  const button = (kind: ResponseKind, danger: boolean) => {
    const why = refusal(kind);
    return (
      <Button
        key={kind}
        icon={ICONS[kind]}
        text={kind === 'report' && !wide ? undefined : RESPONSES[kind].verb}
        aria-label={RESPONSES[kind].verb}
        {...(danger ? { intent: 'danger' as const } : {})}
        disabled={why !== null}
        title={why ?? (kind === first ? `${RESPONSES[kind].verb} (A)` : RESPONSES[kind].effect)}
        onClick={() => start(kind)}
      />
    );
  };
  return (
    <>
      {main.map((kind) => button(kind, kind === 'quarantine'))}
      {button('report', false)}
    </>
  );
}

const MENU: readonly ResponseKind[] = [
  'quarantine',
  'restore',
  'decline',
  'request_restore',
  'delete',
  'rescan',
  'identify',
];

/** All responses, for the menu; what cannot be done says why under its name. */
export function ResponseItems({ response }: { response: Response }): JSX.Element {
  const main = mainKinds(response);
  return (
    <>
      {MENU.map((kind) => {
        const why = response.refusal(kind);
        return (
          <MenuItem
            key={kind}
            icon={ICONS[kind]}
            text={
              <>
                {RESPONSES[kind].verb}…{why === null ? null : <span className="em-why">{why}</span>}
              </>
            }
            multiline
            disabled={why !== null}
            {...(kind === main[0] && why === null ? { labelElement: <Kbd keys="A" /> } : {})}
            onClick={() => response.start(kind)}
          />
        );
      })}
      <MenuDivider />
    </>
  );
}
