import type { JSX } from 'react';
import { TextField } from '#renderer/ui/form/field.tsx';
import { RULE_NAME_MAX, RULE_SENTENCE_MAX } from '#shared/rules/rule.ts';
import { type Naming, renamed } from './import-plan.ts';
import { lineProblem } from './rule-form.ts';
import { SeverityField } from './severity-field.tsx';

export function ListNaming({
  naming,
  onChange,
}: {
  naming: Naming;
  onChange: (naming: Naming) => void;
}): JSX.Element {
  const name = lineProblem(naming, 'name');
  const sentence = lineProblem(naming, 'sentence');
  return (
    <div className="ru-naming">
      <TextField
        label="Name"
        problem={name}
        value={naming.name}
        maxLength={RULE_NAME_MAX}
        aria-invalid={name !== null}
        onValueChange={(value) => onChange(renamed(naming, value))}
      />
      <SeverityField severity={naming.severity} onChange={(severity) => onChange({ ...naming, severity })} />
      <TextField
        label="Sentence"
        problem={sentence}
        value={naming.sentence}
        maxLength={RULE_SENTENCE_MAX}
        aria-invalid={sentence !== null}
        onValueChange={(value) => onChange({ ...naming, sentence: value })}
      />
    </div>
  );
}
