import { Button } from '@blueprintjs/core';
import { ArrowDown, ArrowUp, Filter, SearchText } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { listCount } from '#renderer/entity/list-state.ts';
import { quietState } from '#renderer/entity/panel-state.ts';
import { emailConfig } from '#renderer/state/domain-config.ts';
import { blankQuery } from '#renderer/state/drafts.ts';
import { openPivot } from '#renderer/state/navigation.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { openWith } from '#renderer/state/tab-payload.ts';
import { AppStateMark } from '#renderer/ui/app-state.tsx';
import { Facts } from '#renderer/ui/facts.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { SeverityMark } from '#renderer/ui/severity.tsx';
import { isWholeList } from '#shared/api/list-end.ts';
import type { App, NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { fieldLabel } from '#shared/model/labels.ts';
import type { Condition } from '#shared/query/tree.ts';
import type { Item } from './catalogue.ts';
import { Figures } from './figures.tsx';
import type { Catalogue } from './use-catalogue.ts';

// Emails recently flagged by a tool, as a query over the service's own fields.

/** Verdicts that do not count as flagged. */
const QUIET = new Set(['clean', 'not-scanned', 'nothing-found', 'hidden']);
const DAYS = 7;

/** The condition that asks for a tool's verdicts: a field whose allowed values are `tool:verdict`. */
export function flaggedBy(config: QueryConfig, tool: string): Condition | null {
  const prefix = `${tool}:`;
  for (const field of config.fields) {
    const values = (field.allowedValues ?? [])
      .map(({ value }) => String(value))
      .filter((value) => value.startsWith(prefix) && !QUIET.has(value.slice(prefix.length)));
    const operator = ['contains_any', 'in_list'].find((id) => field.operators.includes(id));
    if (values.length > 0 && operator) return { field: field.id, operator, values };
  }
  return null;
}

function lately(config: QueryConfig): Condition | null {
  const field = config.fields.find(
    ({ type, operators }) => type === 'date' && operators.includes('in_the_last'),
  );
  return field ? { field: field.id, operator: 'in_the_last', values: [DAYS, 'days'] } : null;
}

/** Of the last days, or of any time. Rejects when this service has no query field for tool verdicts. */
async function flaggedQuery(tool: string, label: string, isRecent: boolean): Promise<NewQuery> {
  const config = await emailConfig();
  const flagged = flaggedBy(config, tool);
  if (!flagged) throw new Error('This service has no query field for tool verdicts.');
  const time = isRecent ? lately(config) : null;
  return {
    ...blankQuery(),
    name: isRecent ? `Flagged by ${label}, last ${DAYS} days` : `Flagged by ${label}`,
    filter: { operator: 'and', conditions: time ? [time, flagged] : [flagged] },
  };
}

const openFlagged = ({ app, label }: Item, isRecent: boolean): Promise<unknown> =>
  attempt('This tool can’t be queried', async () => {
    openPivot(await flaggedQuery(app.name, label, isRecent));
  });

function optionText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'On' : 'Off';
  if (typeof value === 'string') return value.charAt(0).toUpperCase() + value.slice(1);
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) return value.join(', ');
  return JSON.stringify(value);
}

/** The tool's options by name; nested ones as JSON. */
export const optionFacts = (options: App['options']) =>
  Object.entries(options ?? {}).map(([label, value]) => ({
    label: visibleText(fieldLabel(label)),
    value: visibleText(optionText(value)),
  }));

/** Findings that are listed; the rest are counted. */
const LISTED = 100;

export function AppFindings({ name }: { name: string }): JSX.Element {
  const findings = useRead('findings.list', { query: {} });
  const { data } = findings;
  const rows = (data?.rows ?? []).filter(({ app }) => app === name);
  const isWhole = data !== undefined && isWholeList(data);
  const total = listCount(data);
  return (
    <Panel
      title="Findings"
      count={data ? `${isWhole ? '' : 'at least '}${exact(rows.length)}` : ''}
      {...quietState(findings)}
      rows={3}
      empty={
        isWhole && rows.length === 0 ? { title: 'No findings', reason: 'The service reports none.' } : null
      }
    >
      {data
        ? rows.slice(0, LISTED).map((finding) => (
            <div key={finding.id} className="pp-panel-row pp-finding">
              <SeverityMark severity={finding.severity} />
              <span className="pp-ellipsis pp-spacer" title={visibleText(finding.title)}>
                {visibleText(finding.affected || finding.title)}
              </span>
            </div>
          ))
        : null}
      {rows.length > LISTED ? (
        <p className="pp-panel-none pp-t3">and {exact(rows.length - LISTED)} more</p>
      ) : null}
      {data && !isWhole ? (
        <p className="pp-panel-none pp-caution">
          The service returned {exact(data.rows.length)} of {total === undefined ? 'more' : exact(total)}{' '}
          findings; more of them may be of this app.
        </p>
      ) : null}
    </Panel>
  );
}

export function ItemDetail({ item, catalogue }: { item: Item; catalogue: Catalogue }): JSX.Element {
  const { app } = item;
  const { isEvidence } = catalogue;
  const position = catalogue.items.findIndex(({ app: other }) => other.name === app.name);
  return (
    <div className="pp-stack-detail" data-detail={app.name}>
      <header>
        <h2 className="pp-ellipsis" title={item.label}>
          {visibleText(item.label)}
        </h2>
        <AppStateMark state={app.state} />
      </header>
      {app.is_saas ? null : (
        <div className="pp-stack-actions">
          <Button
            icon={<SearchText size={14} />}
            text={isEvidence ? 'Flagged emails' : 'Flagged emails, 7 days'}
            onClick={() => void openFlagged(item, !isEvidence)}
          />
          {isEvidence ? null : (
            <Button
              icon={<Filter size={14} />}
              text="Exceptions"
              onClick={() => openWith('exceptions', { tool: app.name })}
            />
          )}
          {catalogue.order === 'stack' ? (
            <span className="pp-row">
              <IconButton
                outlined
                icon={<ArrowUp size={14} />}
                label="Move up"
                shortcut="Alt ↑"
                disabled={position <= 0}
                onClick={() => catalogue.step(app.name, -1)}
              />
              <IconButton
                outlined
                icon={<ArrowDown size={14} />}
                label="Move down"
                shortcut="Alt ↓"
                disabled={position < 0 || position === catalogue.items.length - 1}
                onClick={() => catalogue.step(app.name, 1)}
              />
            </span>
          ) : null}
        </div>
      )}
      <Facts
        facts={
          isEvidence
            ? [
                { label: 'Kind', value: 'Check on this machine' },
                { label: 'Category', value: visibleText(app.category ?? '') },
              ]
            : [
                { label: 'Kind', value: app.is_saas ? 'SaaS app' : 'Security tool' },
                { label: 'Licence', value: visibleText(item.words.licence.label) },
                { label: 'Category', value: visibleText(app.category ?? '') },
                { label: 'Family', value: visibleText(item.words.family.label) },
                { label: 'App store position', value: app.app_store_order ?? '' },
                {
                  label: 'Security stack position',
                  value: app.security_stack_order ?? (app.is_saas ? 'Not a tool' : ''),
                },
                ...optionFacts(app.options),
              ]
        }
      />
      {isEvidence ? null : (
        <Figures counts={catalogue.counts.get(app.name)} read={catalogue.statistics} label={item.label} />
      )}
      {app.is_saas ? <AppFindings name={app.name} /> : null}
    </div>
  );
}
