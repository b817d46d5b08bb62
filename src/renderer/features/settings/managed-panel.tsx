import type { JSX } from 'react';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { Facts } from '#renderer/ui/facts.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { bytes } from '#shared/model/format.ts';
import { MANAGED, managedFacts } from './labels.ts';

/** Settings controlled by this machine's policy, or why the policy was rejected. Renders nothing without a policy. */
export function ManagedPanel(): JSX.Element | null {
  const managed = useAppInfo()?.managed ?? null;
  if (managed === null) return null;
  const budget = managed.cacheBudgetBytes === null ? null : bytes(managed.cacheBudgetBytes);
  return (
    <Panel title={MANAGED.title}>
      {managed.problem === null ? null : (
        <p className="pp-caution-bar" role="alert">
          {managed.problem}
        </p>
      )}
      <Facts
        facts={[
          {
            label: MANAGED.policy,
            value: <span className="pp-mono pp-wrap-anywhere">{managed.file}</span>,
            note: MANAGED.note,
          },
          ...managedFacts(managed, budget),
        ]}
      />
    </Panel>
  );
}
