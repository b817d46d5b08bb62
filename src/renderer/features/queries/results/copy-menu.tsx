import { Button, Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { Clipboard } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { MenuPopover } from '#renderer/ui/menu-popover.tsx';
import type { CopyFormat } from '#shared/model/copy-as.ts';
import { localSort } from '../query-run.ts';
import { copyIocs, type IocForm } from './copy-iocs.ts';
import { copySelected } from './copy-rows.ts';
import type { Browse } from './use-browse.ts';

const ROWS: readonly { format: CopyFormat; text: string; label?: string }[] = [
  { format: 'tsv', text: 'Rows for a spreadsheet', label: 'TSV' },
  { format: 'csv', text: 'Rows as CSV' },
  { format: 'json', text: 'Rows as JSON' },
  { format: 'markdown', text: 'Rows as a Markdown table' },
];
const IOCS: readonly { form: IocForm; text: string }[] = [
  { form: { defanged: false, typed: false }, text: 'IOCs as they are' },
  { form: { defanged: true, typed: true }, text: 'IOCs with their types, defanged' },
];

/** Copies the selected rows, or their indicators, as what they are needed for. */
export function CopyMenu({ browse }: { browse: Browse }): JSX.Element {
  const { isEmail, result, columns, selection, rows, filtering, order } = browse;
  const filter = filtering ? rows.filter : undefined;
  const iocs = (form: IocForm) =>
    void copyIocs(result.id, columns.own, selection.selection, rows.filter, isEmail, form);
  const copy = (format: CopyFormat) =>
    void copySelected(format, {
      resultId: result.id,
      own: columns.own,
      shown: columns.shown,
      selection: selection.selection,
      filter: selection.selection.mode === 'all' ? filter : undefined,
      sort: order.isLocal ? localSort(order.sort, browse.local) : undefined,
    });
  const menu = (
    <Menu aria-label="Copy the selected rows">
      <MenuItem text="IOCs, defanged" labelElement={<Kbd keys="C" />} onClick={browse.copy} />
      {IOCS.map(({ form, text }) => (
        <MenuItem key={text} text={text} onClick={() => iocs(form)} />
      ))}
      <MenuDivider />
      {ROWS.map(({ format, text, label }) => (
        <MenuItem key={format} text={text} label={label ?? ''} onClick={() => copy(format)} />
      ))}
    </Menu>
  );
  return (
    <MenuPopover shouldReturnFocusOnClose content={menu} placement="bottom-start">
      <Button size="small" icon={<Clipboard size={14} />} text="Copy" aria-haspopup="menu" />
    </MenuPopover>
  );
}
