import { Button } from '@blueprintjs/core';
import type { JSX } from 'react';
import { GlyphArc } from '#renderer/ui/glyphs.tsx';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import type { RuleEffect } from '#shared/rules/rule.ts';
import { type TextOfRule, useTrial } from './use-trial.ts';

/** The figures in words; of emails that were not looked at to their end nothing is counted. */
export function effectWords({ checked, unfinished, finds, more, fewer }: RuleEffect): string {
  if (checked === 0) return unfinished === 0 ? 'There is no email here to count.' : 'Not counted.';
  const compared =
    more === null || fewer === null
      ? ''
      : more === 0 && fewer === 0
        ? ', the same as the saved rule'
        : `: ${exact(more)} more, ${exact(fewer)} fewer than the saved rule`;
  const of = unfinished === 0 ? '' : ` of the ${plural(checked, 'email')} that could be checked`;
  return `Finds ${of === '' ? plural(finds, 'email') : `${exact(finds)}${of}`}${compared}.`;
}

/** What a text would find in this evidence, counted on request. */
export function TextEffect(props: TextOfRule & { problem: string | null }): JSX.Element | null {
  const { problem, ...subject } = props;
  const { trial, begin, cancel } = useTrial(subject);
  if (subject.text.trim() === '') return null;
  return (
    <div className="ru-effect ru-trial">
      {trial.state === 'counting' ? (
        <Button size="small" text="Cancel" onClick={cancel} />
      ) : (
        <Button size="small" text="Count its emails" disabled={problem !== null} onClick={begin} />
      )}
      <p role="status" data-effect>
        {problem !== null && 'Not counted: its text is wrong.'}
        {problem === null && trial.state === 'idle' && 'Not counted yet.'}
        {trial.state === 'counting' && (
          <>
            <GlyphArc /> Counting
            {trial.progress && `: ${exact(trial.progress.done)} of ${plural(trial.progress.total, 'email')}`}
          </>
        )}
        {trial.state === 'failed' && `Not counted: ${visibleText(trial.reason)}`}
        {trial.state === 'counted' &&
          [effectWords(trial.effect), ...trial.effect.notes.map((note) => visibleText(note))].join(' ')}
      </p>
    </div>
  );
}
