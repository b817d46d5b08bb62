import type { JSX } from 'react';
import { SelectField } from '#renderer/ui/form/field.tsx';
import { SEVERITIES } from '#shared/model/enums.ts';
import { SEVERITY_LABELS } from '#shared/model/severity.ts';
import type { RuleContent } from '#shared/rules/rule.ts';

type Severity = RuleContent['severity'];

const LEVELS = SEVERITIES.toSorted((a, b) => b - a).map((level) => ({
  value: String(level),
  label: SEVERITY_LABELS[level],
}));

export function SeverityField(props: {
  severity: Severity;
  onChange: (severity: Severity) => void;
}): JSX.Element {
  const { severity, onChange } = props;
  return (
    <SelectField
      label="Severity"
      fill
      value={String(severity)}
      options={LEVELS}
      onChange={(value) => onChange(SEVERITIES.find((level) => String(level) === value) ?? severity)}
    />
  );
}
