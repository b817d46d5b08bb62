import { Button } from '@blueprintjs/core';
import { ArrowDown, ArrowUp, Filter, SearchText } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import { openWith } from '#renderer/state/tab-payload.ts';
import { AppStateMark } from '#renderer/ui/app-state.tsx';
import { Facts } from '#renderer/ui/facts.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { SeverityMark } from '#renderer/ui/severity.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { App } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import type { Item } from './catalogue.ts';
import { Figures } from './figures.tsx';
import { flaggedQuery } from './flagged-query.ts';
import type { Catalogue } from './use-catalogue.ts';

async function openFlagged({ app, label }: Item): Promise<void> {
  try {
    openQuery(await flaggedQuery(app.name, label));
  } catch (error) {
    showToast({ intent: 'error', title: 'No query for this tool', detail: toBridgeError(error).message });
  }
}

/** Options as the service names them; nested ones as JSON. */
const optionFacts = (options: App['options']) =>
  Object.entries(options ?? {}).map(([label, value]) => ({
    label: visibleText(label),
    value: visibleText(typeof value === 'string' ? value : JSON.stringify(value)),
  }));

function AppFindings({ name }: { name: string }): JSX.Element {
  const findings = useRead('findings.list', { query: {} });
  const rows = (findings.data?.rows ?? []).filter(({ app }) => app === name);
  return (
    <Panel
      title="Findings"
      count={findings.data ? exact(rows.length) : ''}
      freshness={findings.freshness}
      loading={findings.loading}
      error={findings.error}
      onRetry={findings.refresh}
      rows={3}
      empty={
        findings.data && rows.length === 0
          ? { title: 'No findings', reason: 'The service lists none for it.' }
          : null
      }
    >
      {findings.data
        ? rows.slice(0, 100).map((finding) => (
            <div key={finding.id} className="pp-panel-row pp-finding">
              <SeverityMark severity={finding.severity} />
              <span className="pp-ellipsis pp-spacer" title={visibleText(finding.title)}>
                {visibleText(finding.affected || finding.title)}
              </span>
            </div>
          ))
        : null}
    </Panel>
  );
}

/** Everything known of one app or tool, and where to go from it. */
export function ItemDetail({ item, catalogue }: { item: Item; catalogue: Catalogue }): JSX.Element {
  const { app } = item;
  const place = catalogue.items.findIndex(({ app: one }) => one.name === app.name);
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
            text="Emails it flagged this week"
            onClick={() => void openFlagged(item)}
          />
          <Button
            icon={<Filter size={14} />}
            text="Its exceptions"
            onClick={() => openWith('exceptions', { tool: app.name })}
          />
          {catalogue.order === 'stack' ? (
            <span className="pp-row">
              <IconButton
                outlined
                icon={<ArrowUp size={14} />}
                label="Move towards the start"
                shortcut="Alt ↑"
                disabled={place <= 0}
                onClick={() => catalogue.step(app.name, -1)}
              />
              <IconButton
                outlined
                icon={<ArrowDown size={14} />}
                label="Move towards the end"
                shortcut="Alt ↓"
                disabled={place < 0 || place === catalogue.items.length - 1}
                onClick={() => catalogue.step(app.name, 1)}
              />
            </span>
          ) : null}
        </div>
      )}
      <Facts
        facts={[
          { label: 'Name', value: <code className="pp-mono">{visibleText(app.name)}</code> },
          { label: 'Kind', value: app.is_saas ? 'SaaS app' : 'Security tool' },
          { label: 'Licence', value: visibleText(item.words.licence.label) },
          { label: 'Category', value: visibleText(app.category ?? '') },
          { label: 'Family', value: visibleText(app.family ?? '') },
          { label: 'App store place', value: app.app_store_order ?? '' },
          {
            label: 'Security stack place',
            value: app.security_stack_order ?? (app.is_saas ? 'Not a tool' : ''),
          },
          ...optionFacts(app.options),
        ]}
      />
      <Figures counts={catalogue.counts.get(app.name)} label={item.label} />
      {app.is_saas ? <AppFindings name={app.name} /> : null}
    </div>
  );
}
