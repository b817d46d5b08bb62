import { type JSX, useState } from 'react';
import { panelState } from '#renderer/entity/panel-state.ts';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import { columnsFor, type GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import type { MailHeader } from '#shared/mail/headers.ts';
import { plural } from '#shared/model/format.ts';
import { CodeView } from './code-view.tsx';
import type { Located } from './reasons.ts';
import type { EmailReads } from './use-email.ts';

type Field = MailHeader & { at: number };

const { column, sorted } = columnsFor<Field>();
const COLUMNS: readonly GridColumn<Field>[] = [
  sorted('at', '#', 'number', 56, (row) => row.at),
  sorted('name', 'Field', 'mono', 200, (row) => row.name),
  column('value', 'Value, decoded', 'mono', [1, 240], (row) => row.decoded),
];
const VIEWS = [
  { value: 'raw', label: 'Raw' },
  { value: 'fields', label: 'Fields' },
] as const;

/** The headers as received: searchable raw text, or one row per field with encoded words decoded. */
export function RawHeadersPanel({
  email,
  place,
}: {
  email: EmailReads;
  place?: Located | undefined;
}): JSX.Element {
  const { headers, parsed } = email;
  const [view, setView] = useState<'raw' | 'fields'>('raw');
  const raw = headers.data?.raw;
  const fields = parsed?.headers.headers ?? [];
  const dropped = (parsed?.headers.dropped ?? 0) + (parsed?.headers.stray.length ?? 0);
  return (
    <Panel
      title="Raw headers"
      {...(parsed
        ? {
            count: `${plural(fields.length, 'field')}${dropped > 0 ? `, ${plural(dropped, 'line')} skipped` : ''}`,
          }
        : {})}
      {...panelState(headers)}
      rows={12}
      noScroll
      className="en-fill"
      shownInstead="Showing older headers."
      notKnown="The headers are unknown."
      empty={raw?.trim() === '' ? { title: 'No headers', reason: 'The service returned no headers.' } : null}
      actions={<Segmented compact label="Header view" options={VIEWS} value={view} onChange={setView} />}
    >
      {raw === undefined || raw.trim() === '' ? null : view === 'raw' ? (
        <CodeView
          label="Raw headers"
          text={raw.replace(/(?<![\r\n])[\r\n]+$/, '')}
          copied="Headers copied"
          marked={place?.range}
        />
      ) : (
        <ListGrid
          label="Header fields"
          columns={COLUMNS}
          rows={fields.map((field, index) => ({ ...field, at: index + 1 }))}
          rowId={(row) => String(row.at)}
          selectable={false}
          layoutKey="email-headers"
        />
      )}
    </Panel>
  );
}
