import { Button } from '@blueprintjs/core';
import { Cross, Duplicate, SearchText } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { useClockSetting } from '#renderer/state/preferences.ts';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import { Facts } from '#renderer/ui/facts.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { lintRule } from '#shared/exceptions/lint.ts';
import { ruleQuery } from '#shared/exceptions/query.ts';
import { conditionWords } from '#shared/exceptions/words.ts';
import { profileTime } from '#shared/model/clock.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { type Branding, toolLabel } from '#shared/model/white-label.ts';
import { BlastPanel, openMatches } from './blast-panel.tsx';
import { type EntryRow, entityOf, entryRow } from './entry.ts';
import { ListMark } from './exceptions-grid.tsx';
import { useBlast } from './use-blast.ts';
import { useKnown } from './use-known.ts';

const HEADINGS = { allow: 'Allow rule', block: 'Block rule', unknown: 'Exception' } as const;

export function EntryDetail(props: {
  row: EntryRow;
  connectionId: string;
  branding: Branding;
  onClose: () => void;
  onCopy: () => void;
  onShow: (row: EntryRow) => void;
}): JSX.Element {
  const { row, connectionId, branding, onClose, onCopy, onShow } = props;
  const { entry, rule } = row;
  const clock = useClockSetting();
  const lists = useKnown(connectionId, branding.product, rule ? row.tool : null);
  const notes = useMemo(
    () => (rule ? lintRule(rule, lists.rules, entry.id ?? row.id) : []),
    [rule, lists.rules, entry.id, row.id],
  );
  const showOther = (id: string) => {
    const other = lists.entries.get(id);
    if (other) onShow(entryRow(other, 0, branding.product, row.tool));
  };
  const blast = useBlast(connectionId, rule);
  const query = rule && ruleQuery(rule.conditions);
  const further = rule?.conditions
    .slice(1)
    .map((condition) => conditionWords(condition))
    .join(' and ');
  return (
    <div className="pp-exc-editor" data-entry={row.id}>
      <header className="pp-exc-side-header">
        <h2 className="pp-heading">{HEADINGS[row.list ?? 'unknown']}</h2>
        <span className="pp-t3 pp-ellipsis pp-spacer">{toolLabel(row.tool, branding)}</span>
        <IconButton icon={<Cross size={14} />} label="Close details" onClick={onClose} />
      </header>
      <div className="pp-exc-side-body">
        <Facts
          facts={[
            { label: 'List', value: <ListMark list={row.list} rule={rule} /> },
            { label: 'Type', value: visibleText(row.type) },
            { label: 'Match', value: row.matching ?? 'Unknown' },
            { label: 'Value', value: <EntityValue entity={entityOf(row)} /> },
            ...(further ? [{ label: 'And', value: further }] : []),
            ...(rule === null && entry.payload != null
              ? [{ label: 'Payload', value: <code>{visibleText(JSON.stringify(entry.payload))}</code> }]
              : []),
            { label: 'Comment', value: visibleText(entry.comment ?? '') || 'None' },
            {
              label: 'Exclusive',
              value: entry.is_exclusive == null ? 'Unknown' : entry.is_exclusive ? 'Yes' : 'No',
            },
            { label: 'Hits, 6 months', value: entry.hits == null ? 'Unknown' : exact(entry.hits) },
            { label: 'Created by', value: visibleText(entry.created_by ?? '') || 'Unknown' },
            {
              label: 'Added',
              value: entry.created_at == null ? 'Unknown' : profileTime(entry.created_at, clock),
            },
          ]}
        />
        <div className="pp-exc-actions">
          <Button icon={<Duplicate size={14} />} text="Duplicate" disabled={rule === null} onClick={onCopy} />
          {rule && query ? (
            <Button
              icon={<SearchText size={14} />}
              text="Matching emails"
              onClick={() => openMatches(rule, { query })}
            />
          ) : null}
        </div>
        {rule ? (
          <BlastPanel
            blast={blast}
            rule={rule}
            isValid
            notes={notes}
            isWhole={lists.isWhole}
            onShow={showOther}
          />
        ) : (
          <p className="pp-exc-hint">
            {row.list === null
              ? 'The service doesn’t say whether it allows or blocks: shown as received. '
              : `Unsupported type “${visibleText(entry.type)}”: shown as received. `}
            It can’t be compared or duplicated.
          </p>
        )}
      </div>
      <footer className="pp-exc-side-footer">
        <span className="pp-t3 pp-small pp-spacer">Exceptions can’t be changed or deleted.</span>
      </footer>
    </div>
  );
}
