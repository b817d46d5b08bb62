import { Button } from '@blueprintjs/core';
import { Refresh, Reset } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { ageOf } from '#renderer/entity/panel-state.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { SearchBox } from '#renderer/ui/form/search-box.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { WINDOW_OPTIONS } from './labels.ts';
import type { Catalogue } from './use-catalogue.ts';

export type View = 'cards' | 'table';

export function StackHeader(props: {
  catalogue: Catalogue;
  view: View;
  onView: (view: View) => void;
}): JSX.Element {
  const { catalogue, view, onView } = props;
  const { apps, statistics } = catalogue;
  const { reach } = useConnection();
  const refresh = () => {
    apps.refresh();
    statistics.refresh();
  };
  return (
    <PageHeader
      title="Security stack"
      freshness={<FreshnessMark {...ageOf(apps)} />}
      filters={
        <>
          {catalogue.isEvidence ? null : (
            <Segmented
              label="Order"
              options={[
                { value: 'stack', label: 'Security stack' },
                { value: 'store', label: 'App store' },
              ]}
              value={catalogue.order}
              onChange={catalogue.setOrder}
            />
          )}
          <SearchBox
            className="pp-stack-search"
            label="Search apps and tools"
            placeholder="Search name or category"
            text={catalogue.filter.text}
            onText={(text) => catalogue.setFilter({ ...catalogue.filter, text })}
          />
        </>
      }
      actions={
        <>
          {catalogue.order === 'stack' && catalogue.isPersonal ? (
            <Button icon={<Reset size={14} />} text="Reset order" onClick={catalogue.resetOrder} />
          ) : null}
          {catalogue.isEvidence ? null : (
            <Segmented
              label="Window"
              options={WINDOW_OPTIONS}
              value={catalogue.window}
              onChange={catalogue.setWindow}
            />
          )}
          {catalogue.isEvidence ? null : (
            <Segmented
              label="View"
              options={[
                { value: 'cards', label: 'Cards' },
                { value: 'table', label: 'Table' },
              ]}
              value={view}
              onChange={onView}
            />
          )}
          <IconButton
            outlined
            icon={<Refresh size={14} />}
            label="Refresh"
            disabled={reach === 'offline' || apps.loading}
            onClick={refresh}
          />
        </>
      }
    />
  );
}
