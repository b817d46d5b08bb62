import { Export, FloppyDisk, Media, Th } from '@blueprintjs/icons';
import { type JSX, useId } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { saveFile, savePng, saveSvg } from '#renderer/bridge/save-file.ts';
import { menuOf } from '#renderer/commands/command.tsx';
import { useClearFilesOff } from '#renderer/state/app-info.ts';
import { useSaving } from '#renderer/state/saving.ts';
import { bytesOfBase64 } from '#renderer/ui/base64.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Select } from '#renderer/ui/form/field.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { token } from '#renderer/ui/theme.ts';
import { xmlText } from '#renderer/ui/xml-text.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { GroupView } from '#shared/bridge/workspace.ts';
import { plural } from '#shared/model/format.ts';
import { SPANS } from '#shared/model/time-buckets.ts';
import type { Figure } from './figure.ts';
import { type GroupRow, groupsCsv, type NamedAxis } from './group-rows.ts';
import { type GroupBy, isTime, shapesOf, TOP_CHOICES } from './group-view.ts';
import { SHAPES, SPAN_LABELS } from './labels.ts';

const NONE = '' as const;

interface GroupsBarProps {
  name: string;
  result: ResultSet;
  view: GroupView;
  onView: (view: GroupView) => void;
  axes: readonly NamedAxis[];
  rows: readonly GroupRow[];
  /** Null if no chart is shown. */
  figure: Figure | null;
  size: () => { width: number; height: number };
  counted: string;
  partial: boolean;
  unsavable: string | null;
  onSave: () => void;
}

/** The column to group by, and for times the length of the spans. */
function BySelect(props: {
  label: string;
  columns: ResultSet['columns'];
  value: GroupBy | undefined;
  optional: boolean;
  onChange: (by: GroupBy | null) => void;
}): JSX.Element {
  const { label, columns, value, optional, onChange } = props;
  const id = useId();
  const options = [
    ...(optional ? [{ value: NONE, label: 'None' }] : []),
    ...columns.map((column) => ({ value: column.id, label: column.label })),
  ];
  return (
    <>
      <span className="pp-groups-by">
        <label className="pp-t3" htmlFor={id}>
          {label}
        </label>
        <Select
          id={id}
          value={value?.column ?? NONE}
          options={options}
          onChange={(column) => onChange(column === NONE ? null : { column })}
        />
      </span>
      {value !== undefined && isTime(columns, value.column) ? (
        <Select
          aria-label="Length of time spans"
          value={value.every ?? NONE}
          options={[
            { value: NONE, label: 'Auto' },
            ...SPANS.map((span) => ({ value: span, label: SPAN_LABELS[span] })),
          ]}
          onChange={(every) => onChange({ column: value.column, ...(every === NONE ? {} : { every }) })}
        />
      ) : null}
    </>
  );
}

function ExportGroups(props: GroupsBarProps): JSX.Element {
  const { name, axes, rows, figure, counted, partial, size } = props;
  const bridge = useBridge();
  const clock = useClock();
  const { busy, save: run } = useSaving();
  const unsaved = useClearFilesOff();
  const by = axes.map(({ label }) => label).join(' and ');
  const fileName = `${name || 'Results'} by ${by}`;
  const facts = {
    what: `Groups by ${by}: ${counted}`.slice(0, 300),
    missing: partial ? `Not every row of the results was counted: ${counted}.` : null,
  };
  const drawn = async (kind: 'png' | 'svg') => {
    if (figure === null) return null;
    const { picture } = await import('./plot.tsx');
    const title = xmlText(`${name || 'Results'} by ${by}. ${counted}${partial ? ' (PARTIAL)' : ''}`);
    const url = await picture(figure, kind, { title, background: token('--bg2'), ...size() });
    if (kind === 'svg')
      return saveSvg(bridge, fileName, decodeURIComponent(url.slice(url.indexOf(',') + 1)), facts);
    const raw = bytesOfBase64(url.slice(url.indexOf(',') + 1));
    return savePng(bridge, fileName, new Blob([raw], { type: 'image/png' }), facts);
  };
  const csv = () =>
    saveFile(bridge, `${fileName}.csv`, 'csv', { ...facts, entries: rows.length }, async function* () {
      yield { text: groupsCsv(rows, axes, clock) };
    });
  return (
    <MenuPopover
      placement="bottom-end"
      content={menuOf(
        'Export groups',
        [{ text: `${plural(rows.length, 'group')} as CSV`, icon: Th, run: () => run(csv) }],
        (['png', 'svg'] as const).map((kind) => ({
          text: `Chart as ${kind.toUpperCase()}`,
          icon: Media,
          isOff: figure === null,
          run: () => run(() => drawn(kind)),
        })),
      )}
    >
      <IconButton
        small
        outlined
        icon={<Export size={14} />}
        label="Export groups"
        disabled={busy || rows.length === 0 || unsaved !== null}
        why={unsaved}
      />
    </MenuPopover>
  );
}

export function GroupsBar(props: GroupsBarProps): JSX.Element {
  const { result, view, onView, counted, partial, unsavable, onSave } = props;
  const { columns } = result;
  const [first, second] = view.by;
  const change = (by: (GroupBy | null | undefined)[]) => {
    const chosen = by.filter((axis) => axis != null);
    const [shape = 'table'] = shapesOf(columns, chosen);
    const keeps = shapesOf(columns, chosen).includes(view.shape) && chosen.length === view.by.length;
    onView({ ...view, by: chosen, shape: keeps ? view.shape : shape });
  };
  const possible = shapesOf(columns, view.by);
  return (
    <div className="pp-groups-bar">
      <BySelect
        label="Group by"
        columns={columns}
        value={first}
        optional={false}
        // Choosing the other axis's column swaps the two.
        onChange={(by) => change(by?.column === second?.column ? [second, first] : [by, second])}
      />
      <BySelect
        label="and"
        columns={columns}
        value={second}
        optional
        onChange={(by) => change(by !== null && by.column === first?.column ? [second, first] : [first, by])}
      />
      <Select
        aria-label="Number of groups"
        value={view.most}
        options={TOP_CHOICES.map((most) => ({ value: most, label: `Top ${most}` }))}
        onChange={(most) => onView({ ...view, most })}
      />
      <Segmented
        label="Show as"
        options={SHAPES.filter(({ value }) => possible.includes(value))}
        value={view.shape}
        onChange={(shape) => onView({ ...view, shape })}
      />
      <span className={`pp-small pp-ellipsis ${partial ? 'pp-caution' : 'pp-t3'}`} title={counted}>
        {counted}
      </span>
      <span className="pp-spacer" />
      <IconButton
        small
        outlined
        icon={<FloppyDisk size={14} />}
        label={unsavable ?? 'Keep groups in the query'}
        disabled={unsavable !== null}
        onClick={onSave}
      />
      <ExportGroups {...props} />
    </div>
  );
}
