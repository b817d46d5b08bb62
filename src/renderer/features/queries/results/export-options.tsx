import { Checkbox } from '@blueprintjs/core';
import type { JSX } from 'react';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { exact } from '#shared/model/format.ts';
import { ExportPassword } from './export-password.tsx';
import { type ExportOptions, type ExportPlan, FORMATS, type Scope } from './export-plan.ts';
import { totalWords } from './fetch-words.ts';
import { isFiltering } from './use-rows.ts';

interface OptionsProps {
  plan: ExportPlan;
  options: ExportOptions;
  onChange: (change: Partial<ExportOptions>) => void;
}

const Line = ({ caption, children }: { caption: string; children: React.ReactNode }) => (
  <div className="pp-export-line">
    <span className="pp-caption pp-t3">{caption}</span>
    <div className="pp-row">{children}</div>
  </div>
);

/** Which rows. */
export function ScopeChoice({ plan, options, onChange }: OptionsProps): JSX.Element {
  const scopes: { value: Scope; label: string }[] = [
    {
      value: 'screen',
      label: `What you see (${isFiltering(plan.filter) ? exact(plan.count) : totalWords(plan.result)})`,
    },
    { value: 'everything', label: `Everything (${totalWords(plan.result)})` },
    ...((plan.selected ?? 0) > 0
      ? [{ value: 'selection' as const, label: `Selection (${exact(plan.selected ?? 0)})` }]
      : []),
  ];
  return (
    <Line caption="Rows">
      <Segmented
        label="Rows"
        options={scopes}
        value={options.scope}
        onChange={(scope) => onChange({ scope })}
      />
    </Line>
  );
}

/** How the file is made: format, formulas, clock, zip. */
export function FormatChoice({
  plan,
  options,
  onChange,
  zones,
}: OptionsProps & { zones: string[] }): JSX.Element {
  const { format, raw, bom, zip } = options;
  const hasDates = plan.result.columns.some(({ type }) => /date|time/i.test(type));
  return (
    <>
      <Line caption="Format">
        <Segmented
          label="Format"
          options={FORMATS}
          value={format}
          onChange={(value) => onChange({ format: value })}
        />
        <span className="pp-small pp-t2">{FORMATS.find(({ value }) => value === format)?.note}</span>
      </Line>
      {hasDates ? (
        <Line caption="Clock">
          {zones.length > 1 ? (
            <Segmented
              label="Clock"
              options={zones.map((zone) => ({ value: zone, label: zone }))}
              value={options.zone}
              onChange={(zone) => onChange({ zone })}
            />
          ) : (
            <span>{options.zone}</span>
          )}
          <span className="pp-small pp-t2">
            {format === 'xlsx' ? 'Dates as dates on this clock' : 'ISO times with their offset'}
          </span>
        </Line>
      ) : null}
      <div className="pp-export-options">
        {format === 'csv' ? (
          <>
            <Checkbox
              checked={!raw}
              label="Neutralise formulas (texts that a spreadsheet would calculate)"
              onChange={() => onChange({ raw: !raw })}
            />
            <Checkbox
              checked={bom}
              label="Byte order mark, for older spreadsheets"
              onChange={() => onChange({ bom: !bom })}
            />
          </>
        ) : null}
        <Checkbox
          checked={zip}
          label="Inside a zip, sealed with a password (AES-256)"
          onChange={() => onChange({ zip: !zip })}
        />
      </div>
      {zip ? (
        <ExportPassword password={options.password} onChange={(password) => onChange({ password })} />
      ) : null}
      {raw && format === 'csv' ? (
        <p className="pp-caution-bar">
          Cells are written as they came. A spreadsheet may run what a sender put into a subject.
        </p>
      ) : null}
    </>
  );
}
