/** Facts that several profiles share: texts, flags, times, actors, roles. */
import type { ReactNode } from 'react';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import type { Fact } from '#renderer/ui/facts.tsx';
import type { AnswerOf } from '#shared/api/catalogue.ts';
import { actorLabel, permissionWords, roleRefusal } from '#shared/model/actors.ts';
import { type ClockSetting, profileTime, toInstant } from '#shared/model/clock.ts';
import type { PendingAction } from '#shared/model/entities.ts';
import { bytes, exact, timeAgo, visibleText } from '#shared/model/format.ts';

export interface FactTimes {
  clock: ClockSetting;
  now: number;
}

export const text = (value: string | null | undefined): ReactNode => (value ? visibleText(value) : null);

export const withNote = (label: string, value: ReactNode, note: string | undefined): Fact => ({
  label,
  value,
  ...(note === undefined ? {} : { note }),
});

/** `tone`: the class of a yes. */
export function flagFact(label: string, value: boolean | null | undefined, tone = ''): Fact {
  if (value === null || value === undefined) return { label, value: null };
  return { label, value: value ? <span className={tone}>Yes</span> : 'No' };
}

/** A time in the chosen time zone; `ago` adds its age. */
export function timeFact(
  label: string,
  value: string | null | undefined,
  { clock, now }: FactTimes,
  ago = true,
): Fact {
  const instant = toInstant(value);
  if (instant === null) return { label, value: text(value) };
  return { label, value: profileTime(instant, clock), ...(ago ? { note: timeAgo(instant, now) } : {}) };
}

export const sizeFact = (size: number | null | undefined): Fact => ({
  label: 'Size',
  value: typeof size === 'number' ? <span title={`${exact(size)} bytes`}>{bytes(size)}</span> : null,
});

export const idFact = (entityId: string): Fact => ({
  label: 'Entity ID',
  value: <EntityValue entity={{ kind: 'text', value: entityId, field: 'entity_id' }} />,
});

interface Stamp {
  time?: string | null | undefined;
  by?: string | null | undefined;
  by_label?: string | null | undefined;
  reason?: string | null | undefined;
}

/** "by l.brandt (Admin)": the person and the role the service names (section 6). */
function who(by: string | null | undefined, label: string | null | undefined): string | null {
  const role = actorLabel(label);
  if (!by) return role === null ? null : `by ${role}`;
  return role === null ? `by ${by}` : `by ${by} (${role})`;
}

/** Who, when and why, as one muted line. */
export function stamp(info: Stamp | null | undefined, clock: ClockSetting): string | undefined {
  if (!info) return undefined;
  const parts = [
    who(info.by, info.by_label),
    info.time ? profileTime(info.time, clock) : null,
    info.reason ? `“${info.reason}”` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? undefined : visibleText(parts.join(', '));
}

/** `back`: whether it can be restored; requested only for quarantined entities. */
export function quarantineFact(
  info: (Stamp & { quarantined?: boolean | null | undefined }) | null | undefined,
  back: { restorable: boolean; reason?: string | null | undefined } | undefined,
  clock: ClockSetting,
): Fact {
  if (!info) return { label: 'Quarantine', value: null };
  if (!info.quarantined) return { label: 'Quarantine', value: 'No' };
  const whether =
    back === undefined
      ? null
      : back.restorable
        ? 'can be restored'
        : `cannot be restored${back.reason ? `: ${back.reason}` : ''}`;
  const notes = [stamp(info, clock), whether === null ? null : visibleText(whether)].filter(Boolean);
  return withNote('Quarantine', 'Yes', notes.join('; ') || undefined);
}

/** Scheduled actions that are listed; the rest are counted. */
const PLANNED = 10;

export function plannedFacts(pending: readonly PendingAction[], clock: ClockSetting): Fact[] {
  if (pending.length === 0) return [];
  return [
    {
      label: 'Scheduled',
      value: (
        <>
          {pending.slice(0, PLANNED).map((one) => (
            <span key={`${one.action} ${one.time}`} className="en-line">
              {visibleText(`${one.action.replaceAll('_', ' ')} at ${profileTime(one.time, clock)}`)}
              {one.by ? <span className="pp-t3"> by {visibleText(one.by)}</span> : null}
            </span>
          ))}
          {pending.length > PLANNED ? (
            <span className="pp-t3">and {exact(pending.length - PLANNED)} more</span>
          ) : null}
        </>
      ),
    },
  ];
}

/** The identifier; editable if `onSet` is given. */
export const identifierFact = (name: string | null | undefined, onSet: (() => void) | null): Fact => ({
  label: 'Identifier',
  value: (
    <>
      {name ? (
        <EntityValue entity={{ kind: 'text', value: name, field: 'entity_identifier' }} />
      ) : (
        <span className="pp-t2">None</span>
      )}{' '}
      {onSet ? (
        <button type="button" className="pp-link" onClick={onSet}>
          {name ? 'Change' : 'Set'}
        </button>
      ) : null}
    </>
  ),
});

/** The caller's role and what it lacks, which explains what is missing from a profile (section 6). */
export function roleFact(data: AnswerOf<'entity.props'> | undefined, permissions: readonly string[]): Fact[] {
  if (!data?.role) return [];
  const label = actorLabel(data.role.label);
  const name = data.role.role_name;
  const lacks = permissions
    .filter((permission) => roleRefusal(data, permission) !== null)
    .map(permissionWords);
  return [
    withNote(
      'Your role',
      visibleText(label === null || label === name ? name : `${name} (${label})`),
      lacks.length > 0 ? `may not ${lacks.join(', ')}` : undefined,
    ),
  ];
}
