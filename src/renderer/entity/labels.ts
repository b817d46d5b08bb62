/** Words that the profiles share: tools by their labels, exceptions, file names, defanged text. */
import type { AnswerOf } from '#shared/api/catalogue.ts';
import { defangText } from '#shared/model/defang.ts';
import { SECURITY_TOOLS } from '#shared/model/enums.ts';
import { visibleText } from '#shared/model/format.ts';
import { type Branding, canonicalTool, toolLabel } from '#shared/model/white-label.ts';

/** Tool and event texts may hold live addresses from the mail: those are defanged, the rest is unchanged. */
export const defangedText = (text: string): string =>
  visibleText(/(?:https?|ftp):\/\//i.test(text) ? defangText(text) : text);

/** The longest name that `dialogs.save` takes. */
const MAX = 200;
/** No program is registered for this extension, so double-clicking possible malware does nothing. */
const INERT = '.suspect';

/** At most `room` UTF-16 units, the end with its extension kept, no pair cut in half. */
function shortened(name: string, room: number): string {
  if (name.length <= room) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= 12 ? name.slice(dot) : '';
  return name.slice(0, room - extension.length).replace(/[\uD800-\uDBFF]$/, '') + extension;
}

/** The name to offer for a file that a tool matched; main makes it safe. */
export const matchedName = (name: string, sealed: boolean): string => {
  const suffix = sealed ? '.zip' : INERT;
  return shortened(name.trim() || 'matched-file', MAX - suffix.length) + suffix;
};

/** The entry inside the zip keeps its own name. */
export const entryName = (name: string): string => shortened(name.trim() || 'matched-file', 1_000);

const isTool = (id: string, branding: Branding): boolean =>
  SECURITY_TOOLS.some((tool) => tool === canonicalTool(id, branding.product));

/** A tool by its label, or several of them separated by commas; anything else as it is: it may be evidence. */
export function withToolNames(text: string, branding: Branding): string {
  const parts = text.split(/,\s*/);
  return parts.every((part) => isTool(part, branding))
    ? parts.map((part) => toolLabel(part, branding)).join(', ')
    : text;
}

type Row = AnswerOf<'scan.exceptions-status'>['rows'][number];

export interface ToolException {
  /** Left out for a status of no exception. */
  tone: 'none' | 'allowed' | 'blocked' | 'unknown';
  /** "Allowed by an exception"; an unknown status as the service wrote it. */
  words: string;
  detail: string | null;
}

/** Null if the service said nothing about this tool, which differs from “no exception”. */
export function exceptionOf(rows: readonly Row[] | undefined, tool: string): ToolException | null {
  const row = rows?.find(({ sec_type }) => sec_type === tool);
  if (!row) return null;
  const detail = row.detail ?? null;
  const status = row.status.trim().toLowerCase();
  if (status === 'none') return { tone: 'none', words: 'No exception', detail };
  if (status === 'allowed') return { tone: 'allowed', words: 'Allowed by an exception', detail };
  if (status === 'blocked') return { tone: 'blocked', words: 'Blocked by an exception', detail };
  return { tone: 'unknown', words: row.status || 'Unknown', detail };
}
