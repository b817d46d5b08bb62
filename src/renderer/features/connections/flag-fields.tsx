import { Checkbox } from '@blueprintjs/core';
import type { JSX } from 'react';
import { FEATURE_FLAGS, flagsOf, withFlag } from '#shared/model/flags.ts';

const LABELS = new Map(FEATURE_FLAGS.map(({ name, label }) => [name, label]));

/** The feature flags of a connection; what is set apart from the defaults says so. */
export function FlagFields({
  flags,
  onChange,
}: {
  flags: Readonly<Record<string, boolean>>;
  onChange: (flags: Record<string, boolean>) => void;
}): JSX.Element {
  return (
    <fieldset className="pp-flags">
      <legend className="pp-caption pp-t2">Feature flags</legend>
      {Object.entries(flagsOf(flags)).map(([name, on]) => (
        <Checkbox
          key={name}
          checked={on}
          onChange={({ currentTarget }) => onChange(withFlag(flags, name, currentTarget.checked))}
        >
          {LABELS.get(name) ?? <span className="pp-mono">{name}</span>}
          {Object.hasOwn(flags, name) ? <span className="pp-t3"> · set here</span> : null}
        </Checkbox>
      ))}
    </fieldset>
  );
}
