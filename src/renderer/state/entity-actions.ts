/** Actions on a value: filter for, filter out, open, copy, copy defanged. */

import { useMemo } from 'react';
import { create } from 'zustand';
import { attempt } from '#renderer/state/show-failure.ts';
import type { EntityActions, EntityRef } from '#renderer/ui/entity-value.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { dictionary } from '#shared/dictionary.ts';
import { exceptionFieldOf } from '#shared/exceptions/from-query.ts';
import { defang } from '#shared/model/defang.ts';
import type { FieldConfig, NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { classifyIoc } from '#shared/model/ioc.ts';
import type { Condition } from '#shared/query/tree.ts';
import { emailConfig } from './domain-config.ts';
import { blankQuery } from './drafts.ts';
import { openPivot } from './navigation.ts';
import { openWith } from './tab-payload.ts';
import { activeTab } from './tabs.ts';
import { openWhoClicked } from './who-clicked.ts';
import { windowBridge } from './window-bridge.ts';

/** A query screen's value actions, registered under its tab. */
interface FilterTarget {
  filterFor: (entity: EntityRef) => void;
  filterOut: (entity: EntityRef) => void;
}

const useTargets = create<{ targets: ReadonlyMap<string, FilterTarget> }>(() => ({ targets: new Map() }));

/** Values of the window filter this tab while it is the active one. Returns the unregister. */
export function registerFilterTarget(tabId: string, target: FilterTarget): () => void {
  useTargets.setState(({ targets }) => ({ targets: new Map(targets).set(tabId, target) }));
  return () => {
    const targets = new Map(useTargets.getState().targets);
    if (targets.get(tabId) !== target) return;
    targets.delete(tabId);
    useTargets.setState({ targets });
  };
}

/** Fields for each kind of value, best first; the first one in the service's config is used. */
const FIELDS_OF: Readonly<Record<string, readonly string[]>> = dictionary({
  'message-id': ['message_id', 'internet_message_id'],
  address: ['from_email', 'sender_email', 'from', 'sender'],
  domain: ['from_domain', 'sender_domain', 'link_domains', 'link_domain'],
  ip: ['client_ip', 'sender_ip', 'ip'],
  url: ['link_urls', 'link_url', 'links', 'url'],
  'url-host': ['link_domains', 'link_domain', 'link_host'],
  md5: ['attachment_md5', 'md5'],
  sha1: ['attachment_sha1', 'sha1'],
  sha256: ['attachment_sha256', 'sha256'],
  text: ['subject'],
});
/** Operators that match a value, best first. Subjects are matched by their words (product.md section 1). */
const POSITIVE = ['is', 'eq', 'in_list', 'contains_any', 'contains_text', 'contains'];
const POSITIVE_TEXT = ['contains_words', 'contains_text', 'contains', ...POSITIVE];
const NEGATIVE = ['is_not', 'ne', 'not_in_list', 'not_contains'];
/** Fields with link domains, which may have been clicked. */
const LINK_FIELDS = ['link_domains', 'link_domain', 'host'];

function kindOf(entity: EntityRef): string {
  if (entity.kind === 'text' || entity.kind === 'message-id') return entity.kind;
  return classifyIoc(entity.value)?.type ?? (entity.kind === 'email' ? 'address' : entity.kind);
}

function fieldFor(config: QueryConfig, names: readonly string[]): FieldConfig | undefined {
  for (const name of names) {
    const field = config.fields.find(({ id, dbId }) => id === name || dbId === name);
    if (field) return field;
  }
  return undefined;
}

/** The field and value to query for: a URL by its host where the service stores no whole URLs. */
function fieldAndValue(config: QueryConfig, entity: EntityRef): { field: FieldConfig; value: string } | null {
  const kind = kindOf(entity);
  const field = fieldFor(config, [...(entity.field ? [entity.field] : []), ...(FIELDS_OF[kind] ?? [])]);
  if (field) return { field, value: entity.value };
  const host = kind === 'url' && URL.canParse(entity.value) ? new URL(entity.value).hostname : '';
  const byHost = host === '' ? undefined : fieldFor(config, FIELDS_OF['url-host'] ?? []);
  return byHost ? { field: byHost, value: host } : null;
}

/** A condition that asks for a value, in the service's own fields and operators; null when it has none. */
export const conditionFor = (config: QueryConfig, entity: EntityRef, negate = false): Condition | null =>
  askFor(config, entity, negate ? NEGATIVE : kindOf(entity) === 'text' ? POSITIVE_TEXT : POSITIVE);

/** The same for the exact value: the whole subject instead of its words. */
export const exactConditionFor = (config: QueryConfig, entity: EntityRef): Condition | null =>
  askFor(config, entity, POSITIVE);

function askFor(config: QueryConfig, entity: EntityRef, names: readonly string[]): Condition | null {
  const pair = fieldAndValue(config, entity);
  if (!pair) return null;
  const { field, value } = pair;
  const operator = names.find((id) => field.operators.includes(id));
  return operator === undefined ? null : { field: field.id, operator, values: [value] };
}

/** A new query for emails with this value. Rejects if the service has no field for it. */
async function queryWith(entity: EntityRef, negate = false): Promise<NewQuery> {
  const condition = conditionFor(await emailConfig(), entity, negate);
  if (!condition) throw new Error('This service has no field for this kind of value.');
  return {
    ...blankQuery(),
    name: entity.value.slice(0, 80),
    filter: { operator: 'and', conditions: [condition] },
  };
}

/** Opens a new query for a value; a toast explains if the service has no field for it. */
export const openNewQueryWith = (entity: EntityRef, negate = false): Promise<unknown> =>
  attempt('No query for this value', async () => {
    openPivot(await queryWith(entity, negate));
  });

/** Copies text through main and shows a toast. */
export const copyText = (text: string, what: string): Promise<unknown> =>
  attempt('Couldn’t copy', async () => {
    await windowBridge().call('clipboard.write', { text });
    showToast({ intent: 'success', title: what });
  });

function filter(entity: EntityRef, negate: boolean): void {
  const target = useTargets.getState().targets.get(activeTab()?.id ?? '');
  if (target) (negate ? target.filterOut : target.filterFor)(entity);
  else void openNewQueryWith(entity, negate);
}

/** The window's value actions: filters apply to the active query; elsewhere a new query opens. */
export function useEntityActions(): EntityActions {
  return useMemo(
    () => ({
      filterFor: (entity) => filter(entity, false),
      filterOut: (entity) => filter(entity, true),
      open: (entity) => void openNewQueryWith(entity),
      map: ({ kind, value }) => openWith('login-map', { part: kind === 'ip' ? 'ips' : 'users', value }),
      canMap: (entity) => kindOf(entity) === 'ip' || kindOf(entity) === 'address',
      clicked: ({ kind, value }) =>
        void openWhoClicked(kind === 'url' ? { kind: 'link', url: value } : { kind: 'host', host: value }),
      canClicked: ({ kind, field }) =>
        kind === 'url' || (kind === 'domain' && LINK_FIELDS.includes(field ?? '')),
      except: (entity) => openWith('exceptions', { prefill: { value: entity, from: null } }),
      canExcept: (entity) => exceptionFieldOf(entity.field, kindOf(entity)) !== null,
      canOpen: (entity) => Boolean(FIELDS_OF[kindOf(entity)]) && kindOf(entity) !== 'ip',
      copy: (entity) => void copyText(entity.called ?? entity.value, 'Copied, raw'),
      copyDefanged: (entity) => void copyText(entity.called ?? defang(entity.value), 'Copied, defanged'),
    }),
    [],
  );
}
