import { Button } from '@blueprintjs/core';
import { ArrowLeft, Flag } from '@blueprintjs/icons';
import { type JSX, useEffect, useRef } from 'react';
import { useCommands } from '#renderer/commands/command.tsx';
import { CLOSE } from '#renderer/commands/keys.ts';
import { scrollStop } from '#renderer/ui/grid/scroll-stop.ts';
import type { EmailFinding } from '#shared/model/entities.ts';
import type { Located } from './reasons.ts';
import { Sentence } from './reasons-panel.tsx';

/** Above the part that shows the place of a reason: the reason, whether its place is marked, and the way back. */
export function PlaceBar(props: {
  finding: EmailFinding;
  place: Located;
  onLeave: () => void;
  /** Begins a rule with what is at the place, or null if the reason speaks for the mail. */
  onRule: (() => void) | null;
}): JSX.Element {
  const { finding, place, onLeave, onRule } = props;
  const back = useRef<HTMLButtonElement>(null);
  useCommands([{ ...CLOSE, run: onLeave }]);
  // The reason had the focus, and is no longer drawn.
  useEffect(() => back.current?.focus(), []);
  return (
    <div className="em-place-bar">
      <Button
        ref={back}
        size="small"
        icon={<ArrowLeft size={12} />}
        text="Back to reasons"
        title="Back to reasons (Esc)"
        onClick={onLeave}
      />
      {onRule === null ? null : (
        <Button size="small" icon={<Flag size={12} />} text="Rule from this…" onClick={onRule} />
      )}
      <span ref={scrollStop} className="em-place-words" role="status">
        <Sentence text={finding.sentence} />{' '}
        <span className={place.isMissing ? 'pp-caution' : 'pp-t3'}>{place.words ?? 'Looking it up'}</span>
      </span>
    </div>
  );
}
