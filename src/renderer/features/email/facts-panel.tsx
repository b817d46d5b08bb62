import { MenuItem } from '@blueprintjs/core';
import { Clipboard, Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { copyText } from '#renderer/state/entity-actions.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Facts } from '#renderer/ui/facts.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { useNow } from '#renderer/ui/use-now.ts';
import { emailFacts } from './facts.tsx';
import { type EmailReads, panelState } from './use-email.ts';

interface FactsPanelProps {
  email: EmailReads;
  onRecipients: () => void;
  onIdentify: (() => void) | null;
}

/** Every field of the profile; what is not recorded reads differently from what is none. */
export function FactsPanel({ email, onRecipients, onIdentify }: FactsPanelProps): JSX.Element {
  const clock = useClock();
  const now = useNow();
  const { data } = email.profile;
  return (
    <Panel
      title="Facts"
      {...panelState(email.profile)}
      rows={18}
      shownInstead="The facts below are older."
      notKnown="Nothing is known of this email."
      className="em-facts"
      menu={
        <>
          <MenuItem text="Refresh" icon={<Refresh size={14} />} onClick={email.profile.refresh} />
          <MenuItem
            text="Copy all as JSON"
            icon={<Clipboard size={14} />}
            disabled={data === undefined}
            onClick={() => void copyText(JSON.stringify(data, null, 2), 'Facts copied')}
          />
        </>
      }
    >
      {data ? (
        <Facts
          facts={emailFacts(data, {
            clock,
            now,
            email,
            lookalike: email.lookalike,
            onRecipients,
            onIdentify,
          })}
        />
      ) : null}
    </Panel>
  );
}
