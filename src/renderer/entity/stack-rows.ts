/** Tool verdicts on an email or a file, one row per tool, in stack order. */
import type { App, ScanDetail } from '#shared/model/entities.ts';
import { CHECK_TOOLS, checkToolId } from '#shared/model/enums.ts';
import { plural } from '#shared/model/format.ts';
import { type DerivedVerdict, deriveVerdict, rollUp } from '#shared/model/verdict.ts';
import { type Branding, canonicalTool, toolLabel } from '#shared/model/white-label.ts';

export interface ToolRow {
  tool: string;
  label: string;
  derived: DerivedVerdict;
  /** The tool's summary in one line, or null if it gave none. */
  summary: string | null;
  reasons: readonly { category: string; text: string }[];
  durationMs: number | null;
  scannedAt: string | null;
  reEvaluated: boolean;
  error: string | null;
  /** A rescan is running until then (ISO 8601); the rest of the row is the previous result. Null if there is none. */
  rescanUntil: string | null;
  /** The whole row as the service sent it. */
  detail: ScanDetail;
}

export interface Stack {
  /** Tools that apply to this kind of entity. */
  rows: ToolRow[];
  /** Labels of those that do not. */
  notApplicable: string[];
  /** Rows with a usable answer: neither failed nor missing. */
  answered: number;
  /** No tool that answered is missing. */
  isWhole: boolean;
  total: DerivedVerdict;
}

function summaryOf(detail: ScanDetail): string | null {
  if (detail.summary) return detail.summary;
  if (detail.error) return detail.error;
  const reasons = detail.reasons ?? [];
  if (reasons.length > 0) return reasons.map(({ text }) => text).join('; ');
  if (typeof detail.matches !== 'number') return null;
  const clicks = typeof detail.clicks === 'number' ? `, ${plural(detail.clicks, 'click', 'clicks')}` : '';
  return plural(detail.matches, 'match', 'matches') + clicks;
}

/** `listed` is the tool's label in the catalogue. */
function rowOf(detail: ScanDetail, branding: Branding, listed: string | undefined): ToolRow {
  const tool = canonicalTool(detail.tool, branding.product);
  return {
    tool: detail.tool,
    label: toolLabel(detail.tool, branding, detail.label || listed),
    derived: deriveVerdict({ ...detail, tool }),
    summary: summaryOf(detail),
    reasons: detail.reasons ?? [],
    durationMs: detail.duration_ms ?? null,
    scannedAt: detail.scanned_at ?? null,
    reEvaluated: detail.re_evaluated === true,
    error: detail.error ?? null,
    detail,
    rescanUntil: detail.rescan ? (detail.rescan.until ?? '') : null,
  };
}

const UNKNOWN: DerivedVerdict = { verdict: 'unknown', rawCode: null, error: false };

/**
 * The rows of scan_details in stack order: the order of the apps if known, else that of the answer. Tools without
 * a position come last, in the order of the answer. `isWhole`: every tool that answered is among the details.
 */
export function readStack(
  details: readonly ScanDetail[],
  branding: Branding,
  apps: readonly App[] = [],
  isWhole = true,
): Stack {
  const labels = new Map(apps.map(({ name, label }) => [name, label]));
  const places = new Map(apps.map((app) => [app.name, app.security_stack_order ?? null]));
  const placeOf = (tool: string) => places.get(tool) ?? Number.MAX_SAFE_INTEGER;
  const all = details
    .map((detail) => rowOf(detail, branding, labels.get(detail.tool)))
    .map((row, index) => ({ row, index }))
    .sort((a, b) => placeOf(a.row.tool) - placeOf(b.row.tool) || a.index - b.index)
    .map(({ row }) => row);
  const rows = all.filter(({ derived }) => derived.verdict !== 'hidden');
  return {
    rows,
    notApplicable: all.filter(({ derived }) => derived.verdict === 'hidden').map(({ label }) => label),
    answered: rows.filter(({ derived }) => derived.verdict !== 'not-scanned').length,
    isWhole,
    // The result of a missing tool is unknown.
    total: rollUp([...all.map(({ derived }) => derived), ...(isWhole ? [] : [UNKNOWN])]),
  };
}

const CHECK_IDS: ReadonlySet<string> = new Set(CHECK_TOOLS.map(checkToolId));

/** The rows are kinds of checks of evidence, which no tool has seen. */
export const isOfChecks = ({ rows }: Stack): boolean =>
  rows.length > 0 && rows.every(({ tool }) => CHECK_IDS.has(tool));

/** A duration of a scan: `0.8 s`, `41 s`, `1 m 30 s`; – if the tool reported none. */
export function scanDuration(ms: number | null): string {
  if (ms === null || !Number.isFinite(ms) || ms < 0) return '–';
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
}
