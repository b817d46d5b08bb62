import type { JSX } from 'react';
import { blankQuery } from '#renderer/state/drafts.ts';
import { openPivot } from '#renderer/state/navigation.ts';
import { GlyphArc } from '#renderer/ui/glyphs.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { type ConditionGroup, effective } from '#shared/query/tree.ts';
import { type Count, useCount } from '../queries/builder/use-count.ts';
import { runPayload } from '../queries/query-run.ts';
import { exceptFor } from './rule-form.ts';

const queryOf = (name: string, filter: ConditionGroup) => ({ ...blankQuery('email'), name, filter });
const payloadOf = (filter: ConditionGroup) => runPayload({ query: queryOf('', effective(filter)) }, [], []);

/** A count that opens its emails. */
function Opened(props: { count: Count; words: string; name: string; filter: ConditionGroup }): JSX.Element {
  const { count, words, name, filter } = props;
  if (count.total === 0) return <>{words}</>;
  return <LinkButton onClick={() => openPivot(queryOf(name, filter))}>{words}</LinkButton>;
}

/** How many emails of this evidence the conditions find, and which more or fewer than the saved ones; counted, never guessed. */
function Counted(props: {
  name: string;
  condition: ConditionGroup;
  saved: ConditionGroup | null;
}): JSX.Element {
  const { name, condition, saved } = props;
  const added = saved && exceptFor(condition, saved);
  const lost = saved && exceptFor(saved, condition);
  const all = useCount(payloadOf(condition));
  const more = useCount(added && payloadOf(added));
  const fewer = useCount(lost && payloadOf(lost));
  const counts = saved === null ? [all] : [all, more, fewer];
  // An older count is none of what is there now.
  const failed = counts.find(({ error }) => error !== null);
  if (failed) return <>Not counted: {failed.error?.message}</>;
  if (counts.some(({ counting, total }) => counting || total === null))
    return (
      <>
        <GlyphArc /> Counting
      </>
    );
  const quoted = `“${name.trim() || 'New rule'}”`;
  return (
    <>
      Finds{' '}
      <Opened
        count={all}
        words={plural(all.total ?? 0, 'email')}
        name={`Found by ${quoted}`}
        filter={condition}
      />
      {added === null || lost === null ? null : more.total === 0 && fewer.total === 0 ? (
        ', the same as the saved rule'
      ) : (
        <>
          :{' '}
          <Opened
            count={more}
            words={`${exact(more.total ?? 0)} more`}
            name={`Also found by ${quoted}`}
            filter={added}
          />
          ,{' '}
          <Opened
            count={fewer}
            words={`${exact(fewer.total ?? 0)} fewer`}
            name={`No longer found by ${quoted}`}
            filter={lost}
          />{' '}
          than the saved rule
        </>
      )}
      .
    </>
  );
}

/** What conditions would do to this evidence. */
export function RuleEffect(props: {
  name: string;
  condition: ConditionGroup;
  /** The conditions of the saved rule, or null if there is none. */
  saved: ConditionGroup | null;
  /** What is wrong with the conditions, or null if nothing is. */
  problem: string | null;
}): JSX.Element {
  const { name, condition, saved, problem } = props;
  return (
    <p className="ru-effect" role="status" data-effect>
      {problem === null ? (
        <Counted name={name} condition={condition} saved={saved} />
      ) : (
        `Not counted: ${visibleText(problem)}.`
      )}
    </p>
  );
}
