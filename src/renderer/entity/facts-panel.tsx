import { Clipboard } from '@blueprintjs/icons';
import type { JSX } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { type Fact, Facts } from '#renderer/ui/facts.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { useNow } from '#renderer/ui/use-now.ts';
import type { ReadEndpoint } from '#shared/api/catalogue.ts';
import type { FactTimes } from './fact-parts.tsx';
import { panelMenu } from './panel-menu.tsx';
import { panelState } from './panel-state.ts';
import './entity.css';

interface FactsPanelProps<N extends ReadEndpoint> {
  read: Read<N>;
  noun: string;
  factsOf: (profile: NonNullable<Read<N>['data']>, times: FactTimes) => Fact[];
  /** The list's values, shown until the profile has loaded, or null if there is none. */
  known?: Fact[] | null;
  className?: string;
}

/** Every field of the profile. “Not recorded” and “none” are shown differently. */
export function FactsPanel<N extends ReadEndpoint>(props: FactsPanelProps<N>): JSX.Element {
  const { read, noun, factsOf, className = '' } = props;
  const clock = useClock();
  const now = useNow();
  const { data } = read;
  return (
    <Panel
      title="Facts"
      {...panelState(read)}
      rows={18}
      shownInstead={data === undefined ? 'Showing values from the list.' : 'Showing older facts.'}
      notKnown={`No data for this ${noun}.`}
      className={`en-facts ${className}`}
      menu={panelMenu(read.refresh, {
        text: 'Copy all as JSON',
        icon: Clipboard,
        isOff: data === undefined,
        run: () => void copyText(JSON.stringify(data, null, 2), 'Facts copied'),
      })}
    >
      {data !== undefined ? (
        <Facts facts={factsOf(data, { clock, now })} />
      ) : props.known ? (
        <Facts facts={props.known} />
      ) : null}
    </Panel>
  );
}
