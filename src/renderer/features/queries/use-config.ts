import { useMemo } from 'react';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { useBranding } from '#renderer/entity/use-entity-stack.ts';
import { domainLabel } from '#shared/model/domains.ts';
import type { App } from '#shared/model/entities.ts';
import { DOMAINS } from '#shared/model/enums.ts';
import { appLabel, saasLabel } from '#shared/model/white-label.ts';
import { brandedConfig, EVERY_APP } from './query-run.ts';

/** Fields, operators, columns and conditions of a domain; asks nothing while `domain` is null. */
export function useQueryConfig(domain: string | null, saas: string | null | undefined): Read<'query.config'> {
  const branding = useBranding();
  const read = useRead(
    'query.config',
    domain === null ? null : { query: { saas_id: saas || EVERY_APP, query_domain: domain } },
  );
  const { data } = read;
  const shown = useMemo(() => data && brandedConfig(data, branding), [data, branding]);
  return useMemo(() => ({ ...read, data: shown }), [read, shown]);
}

interface SaasChoice {
  value: string;
  label: string;
}

/** The apps a query can be limited to, all apps first; an app that the service does not list is offered as well. */
export function useSaasChoices(current?: string | null): SaasChoice[] {
  const { data } = useRead('apps.list', {});
  const branding = useBranding();
  const rows = data?.rows;
  return useMemo(() => {
    const apps = (rows ?? []).filter((app: App) => app.is_saas);
    const choices = [
      { value: EVERY_APP, label: 'All apps' },
      ...apps.map((app) => ({ value: app.name, label: appLabel(app, branding) })),
    ];
    if (current && !choices.some(({ value }) => value === current))
      choices.push({ value: current, label: saasLabel(current, apps, branding) });
    return choices;
  }, [rows, current, branding]);
}

/** Email comes first, as most queries are about emails. */
export const DOMAIN_CHOICES = ['email', ...DOMAINS.filter((domain) => domain !== 'email')].map((value) => ({
  value,
  label: domainLabel(value),
}));
