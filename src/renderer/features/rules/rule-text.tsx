import { type JSX, useRef } from 'react';
import { AreaField } from '#renderer/ui/form/field.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import type { RuleKind } from '#shared/rules/rule.ts';
import type { TextCheck } from './use-text-check.ts';

const LABELS: Readonly<Record<Exclude<RuleKind, 'conditions'>, string>> = {
  indicators: 'Indicators',
  yara: 'YARA',
  mql: 'MQL',
};
const NOTES: Readonly<Record<Exclude<RuleKind, 'conditions'>, string>> = {
  indicators: 'One a line: hashes, domains, addresses, URLs or IP addresses, defanged or not.',
  yara: 'One or more rules in YARA.',
  mql: 'A rule as YAML with a source in MQL, or the source alone.',
};

/** Selects a line, which scrolls to it. */
function selectLine(area: HTMLTextAreaElement | null, line: number): void {
  if (area === null) return;
  const before = area.value.split('\n').slice(0, line);
  const end = before.join('\n').length;
  area.focus();
  area.setSelectionRange(end - (before.at(-1)?.length ?? 0), end);
  const height = area.scrollHeight / Math.max(1, area.value.split('\n').length);
  area.scrollTop = Math.max(0, (line - 3) * height);
}

/** The text of a rule that is no conditions, and what is wrong with it. */
export function RuleText(props: {
  kind: Exclude<RuleKind, 'conditions'>;
  text: string;
  /** False if it is too long to be edited here. */
  isWhole: boolean;
  /** What is wrong, beside what the check says. */
  problem: string | null;
  check: TextCheck;
  onChange: (text: string) => void;
}): JSX.Element {
  const { kind, text, isWhole, check, onChange } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  if (!isWhole)
    return (
      <p className="pp-t2">
        Its text is too long to be edited here and stays as it is. Export the rule, change the file and import
        it.
      </p>
    );
  const { result, failure } = check;
  const line = result?.problem?.line ?? null;
  const problem = props.problem ?? result?.problem?.message ?? null;
  const about = [
    ...(result?.indicators == null ? [] : [`${plural(result.indicators, 'indicator')}.`]),
    ...(failure === null ? [] : [`Not checked: ${failure}`]),
  ];
  return (
    <>
      <AreaField
        label={LABELS[kind]}
        problem={problem === null ? null : visibleText(problem)}
        note={[...about, NOTES[kind]].join(' ')}
        inputRef={area}
        className="ru-text"
        rows={14}
        spellCheck={false}
        aria-invalid={problem !== null}
        value={text}
        onText={onChange}
      />
      {line === null ? null : (
        <LinkButton onClick={() => selectLine(area.current, line)}>Go to line {exact(line)}</LinkButton>
      )}
      {result?.notes.map((note) => (
        <p key={note} className="pp-small pp-caution pp-flat">
          {visibleText(note)}
        </p>
      ))}
    </>
  );
}
