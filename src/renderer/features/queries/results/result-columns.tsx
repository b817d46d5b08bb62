/** Rendering of result columns in the grid: types, verdict chips and stacks from the query config. */

import { FolderClose, Inbox, Lock, SendMessage, Trash, Undo, WarningSign } from '@blueprintjs/icons';
import type { ComponentType, JSX } from 'react';
import { receivedDoubt } from '#renderer/entity/date-doubt.ts';
import { type CellType, fieldCellType, type VerdictValue } from '#renderer/ui/grid/cells.tsx';
import type { GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import type { StackEntry } from '#renderer/ui/stack-glyphs.tsx';
import type { ResultColumn } from '#shared/bridge/operations.ts';
import { dictionary } from '#shared/dictionary.ts';
import type { Cell, Column, FieldConfig, QueryConfig } from '#shared/model/entities.ts';
import { exact, formatGridCount, visibleText } from '#shared/model/format.ts';
import { isOwnSide } from '#shared/model/indicators.ts';
import { placeLabel } from '#shared/model/labels.ts';
import { parseVerdictCode } from '#shared/model/verdict.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import { pinOf } from '../columns-edit.ts';
import { fieldsById, isStackField, isVerdictField, valueWords } from '../query-run.ts';

export interface ResultRow {
  id: string;
  /** Values by the result's own column order. */
  cells: readonly Cell[];
}

export const toRow = (raw: readonly Cell[], index: number): ResultRow => ({
  id: typeof raw[0] === 'string' ? raw[0] : `row ${index}`,
  cells: raw.slice(1),
});

const STATE_ICONS: Readonly<Record<string, ComponentType<{ size?: number }>>> = dictionary({
  inbox: Inbox,
  quarantined: Lock,
  deleted: Trash,
  junk: WarningSign,
  'restore asked': Undo,
  'release requested': Undo,
  archive: FolderClose,
  sent: SendMessage,
});

export function StateLabel({ state }: { state: string }): JSX.Element {
  const Icon = STATE_ICONS[state.toLowerCase()];
  return (
    <span className="pp-word">
      {Icon ? (
        <span className="pp-t3 pp-stack-cell">
          <Icon size={14} />
        </span>
      ) : null}
      <span>{visibleText(placeLabel(state))}</span>
    </span>
  );
}

export const columnIndex = (columns: readonly ResultColumn[]): ReadonlyMap<string, number> =>
  new Map(columns.map(({ id }, index) => [id, index]));

/** The word shown for a value: the config's label where it has one. */
export function valueLabel(field: FieldConfig | undefined, value: unknown): string {
  const existingAllowedValue = field?.allowedValues?.find(
    (allowedValue) => String(allowedValue.value) === String(value),
  );
  return existingAllowedValue?.label ?? String(value);
}

export function countedLabel(
  field: FieldConfig | undefined,
  value: string | number | boolean | null,
): string {
  if (value === null) return 'Unknown';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return value === '' ? 'Empty' : visibleText(valueLabel(field, value));
}

/** `tool:verdict` words as one glyph per tool. */
function stackOf(value: Cell | undefined, labels: ReadonlyMap<string, string>): StackEntry[] | null {
  if (!Array.isArray(value)) return null;
  return value.flatMap((word) => {
    if (typeof word !== 'string') return [];
    const position = word.lastIndexOf(':');
    const tool = position < 0 ? word : word.slice(0, position);
    const label = labels.get(word);
    return [
      { tool, verdict: position < 0 ? 'unknown' : word.slice(position + 1), ...(label ? { label } : {}) },
    ];
  });
}

/** Tool names, which precede the last colon of a label: `checkpoint_te:clean` is labelled "Sandbox: Clean". */
const toolLabels = (field: FieldConfig): ReadonlyMap<string, string> =>
  new Map(
    (field.allowedValues ?? []).map(({ value, label }) => [
      String(value),
      label.slice(0, Math.max(0, label.lastIndexOf(':'))),
    ]),
  );

/** These share the remaining width with addresses, unless they have a width of their own. */
const FREE_TEXT: readonly string[] = ['subject', 'title', 'text'];
/** Width of one flex share. */
const FLEX_WIDTH = 260;
/** Addresses, and saved widths in a narrow window, shrink to at most this part of their width. */
const LEAST = 0.7;
const NO_WIDTHS: ReadonlyMap<string, number> = new Map();

/** Wide enough for one glyph per tool. */
const STACK_WIDTH = 184;
/** Wide enough for a date with its year and the seconds. */
const YEARS_WIDTH = 164;

const ENTITY_KINDS: readonly string[] = ['email', 'domain', 'ip', 'url', 'hash'];

function cellTypeOf(field: FieldConfig | undefined, column: ResultColumn): CellType {
  if (field && isVerdictField(field)) return 'verdict';
  if (field && isStackField(field)) return 'stack';
  const type = fieldCellType(fieldTypeOf(column.type));
  return type === 'address' && isOwnSide(column) ? 'recipient' : type;
}

/** A column whose field the service no longer has: it stays visible, without values. */
export const missingColumn = (id: string, label: string): GridColumn<ResultRow> => ({
  id,
  label: `${label} (missing)`,
  value: () => null,
  notApplicable: () => true,
  headerTooltip: `${label}: the service no longer has this field`,
});

/** Grid columns in the result's order; supporting columns are hidden. `declared` is the query's own columns. */
export function gridColumns(
  columns: readonly ResultColumn[],
  config: QueryConfig,
  shown: {
    declared: readonly Column[];
    visible: ReadonlySet<string>;
    /** Widths saved with the query, by column. */
    saved?: ReadonlyMap<string, number>;
    /** The window has room for saved widths. */
    full?: boolean;
    zone: string;
    /** Old times need room for their year. */
    years?: boolean;
  },
): GridColumn<ResultRow>[] {
  const { declared, visible, saved = NO_WIDTHS, full = true, zone, years = false } = shown;
  const fields = fieldsById(config);
  const index = columnIndex(columns);
  const widths = new Map(declared.map((column) => [column.id, column.width ?? undefined]));
  const pins = new Map(declared.map((column) => [column.id, pinOf(column)]));
  const codeAt = index.get('verdict_code');
  return columns.map((column, index): GridColumn<ResultRow> => {
    const field = fields.get(column.id);
    const type = cellTypeOf(field, column);
    const asWanted = widths.get(column.id) ?? field?.width ?? undefined;
    const least = type === 'stack' ? STACK_WIDTH : type === 'time' && years ? YEARS_WIDTH : 0;
    const width = least > 0 ? Math.max(least, asWanted ?? 0) : asWanted;
    const isSaved = saved.has(column.id);
    const flexes = !isSaved && (asWanted === undefined || asWanted === (field?.width ?? undefined));
    const tools = type === 'stack' && field ? toolLabels(field) : null;
    const words = valueWords([field]);
    const value = (row: ResultRow): unknown => {
      const cell = row.cells[index] ?? null;
      if (type === 'verdict' && typeof cell === 'string') {
        const code = column.id === 'verdict' && codeAt !== undefined ? row.cells[codeAt] : null;
        // Scan states such as "finished" add nothing to a verdict; the profile shows them.
        // A code that equals the verdict adds nothing.
        const verdict = parseVerdictCode(code);
        // A failed tool has a badge, in less space than the word.
        if (verdict === 'error') return { verdict: cell, error: true } satisfies VerdictValue;
        return { verdict: cell, code: verdict === cell ? null : verdict } satisfies VerdictValue;
      }
      if (tools) return stackOf(cell, tools);
      return type === 'text' && field?.allowedValues && cell !== null && !Array.isArray(cell)
        ? valueLabel(field, cell)
        : cell;
    };
    return {
      id: column.id,
      label: type === 'time' ? `${column.label} (${zone})` : column.label,
      type,
      value,
      sortId: field?.dbId ?? column.id,
      hidden: !visible.has(column.id),
      ...(column.id === 'received' ? { doubt: receivedDoubt } : {}),
      ...(flexes && FREE_TEXT.includes(column.id)
        ? { flex: 1, minWidth: 160 }
        : flexes && (type === 'address' || type === 'recipient') && width !== undefined
          ? { flex: width / FLEX_WIDTH, minWidth: Math.round(width * LEAST) }
          : width === undefined
            ? {}
            : isSaved && !full
              ? {
                  flex: width / FLEX_WIDTH,
                  // A verdict is drawn whole, and has a least width of its own in every grid.
                  ...(type === 'verdict' ? {} : { minWidth: Math.max(least, Math.round(width * LEAST)) }),
                }
              : { width }),
      ...(pins.get(column.id) === undefined ? {} : { pinned: pins.get(column.id) }),
      ...(column.id === 'clicks'
        ? {
            render: (_: ResultRow, clicks: unknown) =>
              typeof clicks === 'number' ? (
                <span className={clicks > 0 ? 'pp-cell-found' : undefined} title={exact(clicks)}>
                  {formatGridCount(clicks)}
                </span>
              ) : (
                <span className="pp-unknown">Unknown</span>
              ),
          }
        : {}),
      ...(column.id === 'state'
        ? {
            render: (_: ResultRow, shownValue: unknown) =>
              shownValue === null ? (
                <span className="pp-unknown">Unknown</span>
              ) : (
                <StateLabel state={String(shownValue)} />
              ),
          }
        : {}),
      entity: (row) => {
        const cell = row.cells[index];
        const first = Array.isArray(cell) ? cell[0] : cell;
        if (first === null || first === undefined || typeof first === 'object') return null;
        const fieldType = fieldTypeOf(column.type);
        const called = words?.[String(first)];
        return {
          kind: ENTITY_KINDS.includes(fieldType) ? fieldType : 'text',
          value: String(first),
          ...(called === undefined ? {} : { called }),
          field: column.id,
          id: row.id,
        };
      },
    };
  });
}
