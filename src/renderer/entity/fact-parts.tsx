/** Facts that several profiles share: texts, flags, times, actors, roles. */
import type { ReactNode } from 'react';
import { type EntityRef, EntityValue } from '#renderer/ui/entity-value.tsx';
import type { Fact } from '#renderer/ui/facts.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import type { AnswerOf } from '#shared/api/catalogue.ts';
import { dictionary } from '#shared/dictionary.ts';
import { actorLabel, permissionWords, roleRefusal } from '#shared/model/actors.ts';
import { type ClockSetting, profileTime, toInstant } from '#shared/model/clock.ts';
import type { PendingAction } from '#shared/model/entities.ts';
import { bytes, exact, timeAgo, visibleText } from '#shared/model/format.ts';
import { Lines } from './found-in.tsx';

export interface FactTimes {
  clock: ClockSetting;
  now: number;
}

const text = (value: string | null | undefined): ReactNode => (value ? visibleText(value) : null);

const NO_WORDS: Readonly<Record<string, string>> = dictionary({});

/** A text; `words` is what its values read as, if not as themselves. */
export const textFact = (label: string, value: string | null | undefined, words = NO_WORDS): Fact => ({
  label,
  value: text(words[value ?? ''] ?? value),
});

export const entityFact = (
  label: string,
  kind: EntityRef['kind'],
  value: string | null | undefined,
  field: string,
): Fact => ({ label, value: value ? <EntityValue entity={{ kind, value, field }} /> : null });

export const countFact = (label: string, count: number | null | undefined): Fact => ({
  label,
  value: typeof count === 'number' ? exact(count) : null,
});

export const withNote = (label: string, value: ReactNode, note: string | undefined): Fact => ({
  label,
  value,
  ...(note === undefined ? {} : { note }),
});

/** `yes` and `no` are the classes of these words. */
export function flagFact(label: string, value: boolean | null | undefined, yes = '', no = ''): Fact {
  if (value === null || value === undefined) return { label, value: null };
  if (!value) return { label, value: no === '' ? 'No' : <span className={no}>No</span> };
  return { label, value: <span className={yes}>Yes</span> };
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

export const sizeFact = (size: number | null | undefined, label = 'Size'): Fact => ({
  label,
  value: typeof size === 'number' ? <span title={`${exact(size)} bytes`}>{bytes(size)}</span> : null,
});

export const idFact = (entityId: string): Fact => entityFact('Entity ID', 'text', entityId, 'entity_id');

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

/** `back` says whether it can be restored; requested only for quarantined entities. */
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

export function plannedFacts(pending: readonly PendingAction[], clock: ClockSetting): Fact[] {
  if (pending.length === 0) return [];
  return [
    {
      label: 'Scheduled',
      value: (
        <Lines
          list={pending}
          line={(action) => (
            <>
              {visibleText(`${action.action.replaceAll('_', ' ')} at ${profileTime(action.time, clock)}`)}
              {action.by ? <span className="pp-t3"> by {visibleText(action.by)}</span> : null}
            </>
          )}
        />
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
      {onSet ? <LinkButton onClick={onSet}>{name ? 'Change' : 'Set'}</LinkButton> : null}
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
